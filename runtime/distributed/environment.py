"""Which process of how many this one is: from arguments, or from what started it."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ADDRESS", "COUNT", "INDEX", "LAUNCHER", "LOCAL_INDEX", "Job", "job_of"]

#: The variables of `python -m anvl.distributed.launch`; they may be set by hand, too.
ADDRESS = "ANVL_COORDINATOR_ADDRESS"
COUNT = "ANVL_NUM_PROCESSES"
INDEX = "ANVL_PROCESS_ID"
LOCAL_INDEX = "ANVL_LOCAL_PROCESS_ID"
#: The number of the launcher's own process, without which the others are to end.
LAUNCHER = "ANVL_LAUNCHER_PID"

# Ports of jobs whose launcher gives no address: of the last 4096, which are outside of the range
# that systems give to programs that ask for any.  Each job has two, as PJRT's service listens at
# the next one, and jobs that share a host often have numbers in a row.
_FIRST_PORT = 61440
_PAIRS = 2048
_STEPS = 389  # from the port of a step of a job to that of the next step, in pairs


@dataclass(frozen=True)
class Job:
    """The place of this process in a job.

    Attributes
    ----------
    address : str
        Host and port where the coordinator listens, on the host of process 0.
    count, index : int
        The number of processes, and which of them this one is.
    local_index : int or None
        Which of the processes of its host this one is, if the launcher says so.
    origin : str
        Where these are from, for messages.
    """

    address: str
    count: int
    index: int
    local_index: int | None
    origin: str


@dataclass(frozen=True)
class _Found:
    """The settings of the environment; None where it has none."""

    address: str | None
    count: int | None
    index: int | None
    local_index: int | None
    origin: str


def job_of(
    address: str | None,
    count: int | None,
    index: int | None,
    environment: Mapping[str, str] | None = None,
) -> Job:
    """The job, from arguments where they are given, and else from the environment.

    Raises
    ------
    TypeError
        An argument is of another type.
    ValueError
        Something is neither given nor in the environment, or is no number or address.
    """
    _check_types(address, count, index)
    given = os.environ if environment is None else environment
    found = _found(given)
    address = found.address if address is None else address
    count = found.count if count is None else count
    index = found.index if index is None else index
    if count == 1 and address is None:
        address = "127.0.0.1:0"
    if address is None or count is None or index is None:
        names = {"coordinator_address": address, "num_processes": count, "process_id": index}
        missing = [name for name, value in names.items() if value is None]
        raise ValueError(_missing(missing, found.origin))
    job = Job(address, count, index, found.local_index, found.origin)
    _check(job)
    return job


def _found(given: Mapping[str, str]) -> _Found:
    # `mpirun` in a job of SLURM starts its processes by ones that SLURM has numbered.
    launchers = (_ours(given), _open_mpi(given), _slurm(given))
    nothing = _Found(None, None, None, None, "the arguments")
    return next((of for of in launchers if of is not None), nothing)


def _check_types(address: object, count: object, index: object) -> None:
    if address is not None and not isinstance(address, str):
        raise TypeError(
            f"initialize: coordinator_address must be text such as 'host:1234', got {address!r} of "
            f"type {type(address).__name__}"
        )
    for name, value in (("num_processes", count), ("process_id", index)):
        if value is not None and type(value) is not int:
            raise TypeError(
                f"initialize: {name} must be a whole number, got {value!r} of type "
                f"{type(value).__name__}"
            )


def _missing(names: list[str], origin: str) -> str:
    where = (
        f"the environment says neither ({ADDRESS}, {COUNT}, {INDEX}; SLURM and Open MPI are known)"
        if origin == "the arguments"
        else f"{origin} does not say"
    )
    return (
        f"initialize: {' and '.join(names)} not given, and {where}; pass them, or start the "
        "processes by `python -m anvl.distributed.launch -n 2 script.py`, srun or mpirun"
    )


def _check(job: Job) -> None:
    if job.count < 1:
        raise ValueError(f"initialize: num_processes must be at least 1, got {job.count}")
    if not 0 <= job.index < job.count:
        raise ValueError(
            f"initialize: process_id is {job.index}, but with num_processes={job.count} it must be "
            f"one of 0 to {job.count - 1} (from {job.origin})"
        )
    host, _, port = job.address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError(
            f"initialize: coordinator_address {job.address!r} is no address; write host:port, such "
            "as '10.0.0.1:1234', of the host of process 0"
        )


def _number(given: Mapping[str, str], name: str) -> int | None:
    text = given.get(name, "").strip()
    if not text:
        return None
    if not text.isdecimal():
        raise ValueError(f"initialize: {name}={text} is no whole number; set it to one")
    return int(text)


# -- what starts processes -------------------------------------------------------------------------


def _ours(given: Mapping[str, str]) -> _Found | None:
    """Our own launcher, or variables that were set by hand."""
    if not any(given.get(name) for name in (ADDRESS, COUNT, INDEX)):
        return None
    count, index, local = (_number(given, name) for name in (COUNT, INDEX, LOCAL_INDEX))
    return _Found(given.get(ADDRESS) or None, count, index, local, "the variables ANVL_*")


def _slurm(given: Mapping[str, str]) -> _Found | None:
    """`srun`: the first host of the step has the coordinator.

    Source: the manual of srun, "Output environment variables".
    """
    if not given.get("SLURM_PROCID") or not given.get("SLURM_JOB_ID"):
        return None
    hosts = given.get("SLURM_STEP_NODELIST") or given.get("SLURM_JOB_NODELIST") or ""
    count = _number(given, "SLURM_STEP_NUM_TASKS")
    if count is None:
        count = _number(given, "SLURM_NTASKS")
    job, step = (_number(given, name) or 0 for name in ("SLURM_JOB_ID", "SLURM_STEP_ID"))
    address = f"{first_host(hosts)}:{_port(job + _STEPS * step)}" if hosts else None
    index, local = _number(given, "SLURM_PROCID"), _number(given, "SLURM_LOCALID")
    return _Found(address, count, index, local, "SLURM")


def _port(number: int) -> int:
    return _FIRST_PORT + 2 * (number % _PAIRS)


def first_host(hosts: str) -> str:
    """The first host of SLURM's list, such as `node[003-007,9],login` -> `node003`.

    Raises
    ------
    ValueError
        It is no such list.

    Examples
    --------
    >>> first_host("node[003-007,9],login")
    'node003'
    >>> first_host("a1,a2")
    'a1'
    """
    first = re.match(rf"(?:[\w.]|-|{_NUMBERS})+(?=,|$)", hosts.strip(), re.ASCII)
    if first is None:
        raise ValueError(
            f"initialize: SLURM's list of hosts is {hosts!r}, which has no first one; set "
            f"{ADDRESS} to host:port of process 0"
        )
    return re.sub(_NUMBERS, r"\1", first[0])


_NUMBERS = r"\[(\d+)(?:-\d+)?(?:,\d+(?:-\d+)?)*\]"


def _open_mpi(given: Mapping[str, str]) -> _Found | None:
    """`mpirun` of Open MPI, whose address is in `OMPI_MCA_orte_hnp_uri` up to version 4.

    Source: https://docs.open-mpi.org, "Environment variables"; the form of the address,
    `1531576320.0;tcp://10.96.0.1,10.148.0.1:34911`, is of Open MPI 4.1.
    """
    if not given.get("OMPI_COMM_WORLD_RANK") or not given.get("OMPI_COMM_WORLD_SIZE"):
        return None
    count = _number(given, "OMPI_COMM_WORLD_SIZE")
    index = _number(given, "OMPI_COMM_WORLD_RANK")
    local = _number(given, "OMPI_COMM_WORLD_LOCAL_RANK")
    uri = given.get("OMPI_MCA_orte_hnp_uri", "")
    host = re.search(r"tcp://([^,:;]+)|tcp6://\[([^,\]]+)", uri)
    job = re.match(r"\d+", uri)
    on_one_host = count == _number(given, "OMPI_COMM_WORLD_LOCAL_SIZE")
    number = int(job[0]) >> 12 if job else _family(given)
    port = _port(number)
    if on_one_host and number:
        address: str | None = f"127.0.0.1:{port}"
    else:
        address = f"{host[1] or host[2]}:{port}" if host else None
    return _Found(address, count, index, local, "Open MPI")


def _family(given: Mapping[str, str]) -> int:
    """A number of the job from its name in PMIx, which Open MPI 5 gives."""
    return zlib.crc32(given.get("PMIX_NAMESPACE", "").encode())
