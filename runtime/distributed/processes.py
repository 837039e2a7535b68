"""`anvl.distributed`: join the processes of a job, work with their devices, and leave."""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import anvl.runtime.ending as ending
from anvl.runtime.client import EMBEDDED, EMBEDDED_PYTHON, Client, embed, has_client, new_threads
from anvl.runtime.distributed.call_order import begin
from anvl.runtime.distributed.environment import Job, job_of
from anvl.runtime.distributed.exit_status import failure, watch_exit
from anvl.runtime.distributed.membership import Membership
from anvl.runtime.distributed.messages import NEVER
from anvl.runtime.distributed.status import set_current
from anvl.runtime.distributed.waiting import end_thread
from anvl.runtime.errors import DistributedError, readable
from anvl.runtime.lazy import compat
from anvl.runtime.settings import runtime_settings

__all__ = [
    "barrier", "gather", "initialize", "is_initialized", "plugin_options", "process_count",
    "process_index", "shutdown",
]  # fmt: skip

_COORDINATOR = "anvl.runtime.distributed.coordinator"
_SECONDS_TO_LISTEN = 60.0  # Python starts in a fraction of one
_SECONDS_TO_LEAVE = 300.0  # as in JAX


class _Group:
    """The connections and clients of this process as a member of a job."""

    def __init__(self, job: Job, devices: tuple[int, ...] | None) -> None:
        self.job = job
        self.devices = devices
        self.membership: Membership | None = None
        self.client: Any = None  # of PJRT's coordination service
        self.has_left = False


_group: _Group | None = None


def initialize(
    coordinator_address: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
    *,
    local_device_ids: Sequence[int] | None = None,
    coordinator_bind_address: str | None = None,
    initialization_timeout: float = 300,
    heartbeat_timeout: float = 60,
) -> None:
    """Join the other processes of a job, so that programs run over the devices of all.

    Every process calls it before it uses a device.  What is not given is read from the variables
    of `python -m anvl.distributed.launch`, of SLURM or of Open MPI.

    Parameters
    ----------
    coordinator_address : str, optional
        `host:port` where process 0 is reached by the others: its host, and a port that is free
        there, as is, if possible, the next one.
    num_processes : int, optional
        The number of processes.
    process_id : int, optional
        Which of them this one is, from 0.
    local_device_ids : sequence of int, optional
        The GPUs of the host that this process uses; if a launcher numbers the processes of a host,
        by default the one of its number.
    coordinator_bind_address : str, optional
        `host:port` where process 0 listens, if not on all addresses of its host.
    initialization_timeout : float, optional
        Seconds to wait for the other processes.
    heartbeat_timeout : float, optional
        Seconds after which a process that gives no sign of life is taken to have failed.  Of one
        that ends, the others hear at once.

    Raises
    ------
    TypeError, ValueError
        An argument is of another type, or neither given nor in the environment.
    DistributedError
        The coordinator is not reached, a process did not come, they disagree on their number, or
        two have one number; or this process has joined already, or used a device.

    Examples
    --------
    >>> import anvl
    >>> anvl.distributed.initialize("localhost:1234", num_processes=2, process_id=2)
    Traceback (most recent call last):
    ...
    ValueError: initialize: process_id is 2, but with num_processes=2 it must be one of 0 to 1 ...
    """
    global _group
    _check_first(initialization_timeout, heartbeat_timeout)
    job = job_of(coordinator_address, num_processes, process_id)
    _check_no_device()
    made = _Group(job, _devices(local_device_ids, job))
    if job.count > 1:
        bind = coordinator_bind_address or _bind_address(job.address)
        _join(made, bind, initialization_timeout, heartbeat_timeout)
    _group = made


def _check_first(*seconds: object) -> None:
    if _group is not None:
        raise DistributedError(
            f"initialize: this process is process {_group.job.index} of {_group.job.count} already;"
            " a process joins once"
        )
    _check_seconds(*seconds)


def _check_no_device() -> None:
    if has_client():
        raise DistributedError(
            "initialize: this process has used a device already; call it first of all, before the "
            "first array, program or anvl.devices()"
        )


def _check_seconds(start: object, heartbeat: object) -> None:
    for name, seconds in (("initialization_timeout", start), ("heartbeat_timeout", heartbeat)):
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise TypeError(
                f"initialize: {name} must be a number of seconds, got {seconds!r} of type "
                f"{type(seconds).__name__}"
            )
        if not 0 < seconds < NEVER:
            raise ValueError(
                f"initialize: {name} must be between 0 and {NEVER} seconds, got {seconds}"
            )


def _devices(given: Sequence[int] | None, job: Job) -> tuple[int, ...] | None:
    if given is None:
        return None if job.local_index is None else (job.local_index,)
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    if not is_list or any(type(i) is not int or i < 0 for i in given):
        raise TypeError(f"initialize: local_device_ids must be whole numbers from 0, got {given!r}")
    return tuple(given)


def _bind_address(address: str) -> str:
    """Where the coordinator listens: on loopback if it is reached there, else everywhere."""
    host, _, port = address.rpartition(":")
    if host == "localhost" or host.startswith("127."):
        return f"127.0.0.1:{port}"
    if host in ("[::1]", "::1"):
        return f"[::1]:{port}"
    return f"0.0.0.0:{port}"


def _join(made: _Group, bind: str, start_timeout: float, heartbeat_timeout: float) -> None:
    job, until = made.job, time.monotonic() + start_timeout
    if job.index == 0:
        _start_coordinator(bind, job.count, start_timeout, heartbeat_timeout)
    membership = Membership(job.address, heartbeat_timeout, until)
    facts = {
        "index": job.index, "count": job.count, "host": socket.gethostname(), "pid": os.getpid(),
        "jaxlib": compat.JAXLIB_VERSION,
    }  # fmt: skip
    # The coordinator knows better who is missing, so it is the first to lose patience.
    said = membership.join(facts, until + heartbeat_timeout)
    made.membership = membership
    set_current(membership.status)
    begin(membership.status, membership.gather)
    _check_versions(said["members"], membership)
    host = job.address.rpartition(":")[0]
    try:
        made.client = compat.connect_coordination(
            f"{host}:{said['port']}", job.index, int(start_timeout), NEVER
        )
        with new_threads():
            handle = compat.make_cpu_client_of_job(
                made.client,
                job.index,
                job.count,
                membership.own_host,
                num_devices=runtime_settings.num_cpu_devices,
                asynchronous=runtime_settings.cpu_async_dispatch,
            )
    except compat.Failure as error:
        membership.fail(f"initialize: {readable(error)}")
        raise DistributedError(f"initialize: {readable(error)}") from error
    embed(Client(handle, EMBEDDED, "lapack", python_target=EMBEDDED_PYTHON))
    atexit.register(_at_exit)
    watch_exit()


def _check_versions(members: Sequence[Any], membership: Membership) -> None:
    versions = {of["jaxlib"]: index for index, of in enumerate(members)}
    if len(versions) > 1:
        listed = ", ".join(f"jaxlib {of} in process {i}" for of, i in sorted(versions.items()))
        membership.close()
        raise DistributedError(
            f"initialize: the processes have several versions, {listed}; install the same"
        )


def _start_coordinator(
    address: str, count: int, start_timeout: float, heartbeat_timeout: float
) -> None:
    """Start the coordinator in a process of its own, and wait until it listens."""
    terms = {
        "address": address, "count": count, "start_timeout": start_timeout,
        "heartbeat_timeout": heartbeat_timeout,
    }  # fmt: skip
    # In a session of its own: Ctrl-C in the terminal is for the job, whose end it waits for.
    process = subprocess.Popen(
        [sys.executable, "-m", _COORDINATOR, json.dumps(terms)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout as said:
        in_time, _, _ = select.select([said], [], [], _SECONDS_TO_LISTEN)
        line = said.readline() if in_time else b""
    try:
        found = json.loads(line)
    except ValueError:
        process.kill()
        found = {"error": "the process that listens there did not start"}
    if "error" in found:
        process.wait()
        raise DistributedError(
            f"initialize: process 0 cannot listen at {address}: {found['error']}; choose another "
            "port of this host"
        )
    process.returncode = 0  # it ends by itself, later: nobody waits for it, nor warns of it


def process_index() -> int:
    """Which process of its job this one is; 0 if it is the only one.

    Examples
    --------
    >>> import anvl
    >>> anvl.distributed.process_index()
    0
    """
    return 0 if _group is None else _group.job.index


def process_count() -> int:
    """The number of processes of the job; 1 if this is the only one.

    Examples
    --------
    >>> import anvl
    >>> anvl.distributed.process_count()
    1
    """
    return 1 if _group is None else _group.job.count


def is_initialized() -> bool:
    """Whether this process has joined a job, of itself alone perhaps."""
    return _group is not None


def barrier(name: str = "barrier", *, timeout: float = 300) -> None:
    """Wait until all processes have called it with this name.

    Parameters
    ----------
    name : str, optional
        Distinguishes it from other barriers, in messages and if processes go astray.
    timeout : float, optional
        Seconds to wait.

    Raises
    ------
    DistributedError
        A process has failed, or did not come in time; or `initialize` was not called.

    Examples
    --------
    >>> import anvl
    >>> anvl.distributed.barrier("epoch")
    Traceback (most recent call last):
    ...
    anvl.runtime.errors.DistributedError: barrier: this process has joined no job; call ...
    """
    if _group is None:
        raise DistributedError(
            "barrier: this process has joined no job; call anvl.distributed.initialize first"
        )
    gather("barrier", f"barrier {name}", None, timeout)


def gather(what: str, name: str, value: Any, timeout: float = 300) -> Sequence[Any]:
    """Values of all processes, in their order: texts, numbers, lists of these, as in JSON.

    `what` is named in errors, and `name` tells calls apart.
    """
    if _group is None or _group.membership is None:
        return [value]
    if _group.has_left:
        raise DistributedError(f"{what}: this process has left its job by shutdown()")
    return _group.membership.gather(what, name, value, timeout)


def plugin_options(is_gpu: bool) -> tuple[dict[str, Any], Any]:
    """Options of a plugin's client for this process, and the client of PJRT's service.

    Plugins of GPUs have collectives between processes.  Of other plugins each process has the
    devices for itself.
    """
    if not is_gpu or _group is None:
        return {}, None
    options: dict[str, Any] = {}
    if _group.devices is not None:
        options["visible_devices"] = list(_group.devices)
    if _group.client is not None:
        options |= {"node_id": _group.job.index, "num_nodes": _group.job.count}
    return options, _group.client


# -- leaving ---------------------------------------------------------------------------------------


def shutdown() -> None:
    """Leave the job; programs of this process alone go on.

    It is called at exit.  Process 0 waits for the others in it, as they reach the coordinator by
    its host.  A second call does nothing.

    Raises
    ------
    DistributedError
        The processes have called different programs over their devices, or one has failed
        meanwhile.

    Examples
    --------
    >>> import anvl
    >>> anvl.distributed.shutdown()
    """
    group = _group
    if group is None or group.membership is None or group.has_left:
        return
    group.has_left = True
    membership, status = group.membership, group.membership.status
    had_failed = status.reason is not None
    membership.say_goodbye()
    if group.job.index == 0 and status.reason is None:
        others = set(range(1, group.job.count))
        membership.wait_for_others(others, _SECONDS_TO_LEAVE)
    _disconnect(group)
    membership.close()
    if status.reason is not None and not had_failed:
        raise status.error("shutdown")


def _disconnect(group: _Group) -> None:
    try:
        group.client.shutdown()
    except compat.Failure:
        pass  # the service has ended


@contextmanager
def _printed_errors() -> Iterator[None]:
    """Print an error in one line: there is no caller at exit."""
    try:
        yield
    except DistributedError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)


def _at_exit() -> None:
    assert _group is not None and _group.membership is not None
    membership, status = _group.membership, _group.membership.status
    error = getattr(sys, "last_value", None)
    how = f"{type(error).__name__}: {error}" if error else failure()
    end_thread()
    if status.reason is None and how is None:
        with _printed_errors():
            shutdown()
    elif not _group.has_left:
        if how is None and not status.is_raised:  # it has made no call since it heard
            with _printed_errors():
                raise status.error("shutdown")
        membership.fail(f"it ended by {how}" if how else "it ended")
        _group.has_left = True
    if status.reason is None:
        if how is not None:
            _disconnect(_group)
            membership.close()
        return
    # A thread may wait in XLA for a process that is no more, and then nothing here ends by itself.
    atexit.unregister(_at_exit)
    atexit.unregister(ending._end)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)
