"""Which process of how many: from arguments, our launcher, SLURM and Open MPI."""

import re

import pytest

from anvl.runtime.distributed.environment import Job, first_host, job_of

OURS = {
    "ANVL_COORDINATOR_ADDRESS": "a:1", "ANVL_NUM_PROCESSES": "4", "ANVL_PROCESS_ID": "2",
    "ANVL_LOCAL_PROCESS_ID": "0",
}  # fmt: skip
SLURM = {
    "SLURM_JOB_ID": "70001", "SLURM_PROCID": "5", "SLURM_LOCALID": "1", "SLURM_NTASKS": "16",
    "SLURM_STEP_NUM_TASKS": "8", "SLURM_STEP_NODELIST": "gpu[017-018,3]",
}  # fmt: skip
OPEN_MPI = {
    "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
    "OMPI_MCA_orte_hnp_uri": "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911",
}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "environment", "expected"),
    [
        (("h:9", 2, 1), {}, Job("h:9", 2, 1, None, "the arguments")),
        ((None, None, None), OURS, Job("a:1", 4, 2, 0, "the variables ANVL_*")),
        # Arguments come first, each by itself; our variables before those of a launcher.
        (("h:9", None, 0), OURS, Job("h:9", 4, 0, 0, "the variables ANVL_*")),
        ((None, None, None), {**SLURM, **OURS}, Job("a:1", 4, 2, 0, "the variables ANVL_*")),
        # 70001 % 2048 is 369; the step has fewer tasks than the job.
        ((None, None, None), SLURM, Job("gpu017:62178", 8, 5, 1, "SLURM")),
        (
            (None, None, None),
            {**SLURM, "SLURM_STEP_ID": "1"},
            Job("gpu017:62956", 8, 5, 1, "SLURM"),
        ),
        # 1531576320 / 4096 is 373920, of which 2048 leaves 1184.
        ((None, None, None), OPEN_MPI, Job("10.96.0.1:63808", 4, 3, 1, "Open MPI")),
        # `mpirun` in a job of SLURM.
        ((None, None, None), {**SLURM, **OPEN_MPI}, Job("10.96.0.1:63808", 4, 3, 1, "Open MPI")),
        (
            (None, None, None),
            {**OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_SIZE": "4"},
            Job("127.0.0.1:63808", 4, 3, 1, "Open MPI"),
        ),
        ((None, 1, 0), {}, Job("127.0.0.1:0", 1, 0, None, "the arguments")),
    ],
)
def test_a_job_is_found(given, environment, expected):
    assert job_of(*given, environment) == expected


@pytest.mark.parametrize(
    ("given", "environment", "message"),
    [
        (
            (None, 2, None), {},
            "initialize: coordinator_address and process_id not given, and the environment says",
        ),
        ((None, None, None), {"ANVL_PROCESS_ID": "1"}, "and num_processes not given, and the var"),
        ((None, None, None), {**OURS, "ANVL_PROCESS_ID": "x"}, "ANVL_PROCESS_ID=x is no whole"),
        (("h:9", 2, 2), {}, "process_id is 2, but with num_processes=2 it must be one of 0 to 1"),
        (("h:9", 0, 0), {}, "num_processes must be at least 1, got 0"),
        (("h", 2, 0), {}, "coordinator_address 'h' is no address; write host:port"),
        (("h:65536", 2, 0), {}, "'h:65536' is no address"),
        ((None, None, None), {**SLURM, "SLURM_PROCID": "8"}, "process_id is 8, but with num"),
        ((None, None, None), {**SLURM, "SLURM_STEP_NODELIST": "n[3"}, "hosts is 'n[3', which"),
        (
            (None, None, None), {k: v for k, v in SLURM.items() if "NODELIST" not in k},
            "coordinator_address not given, and SLURM does not say",
        ),
        ((None, None, None), {**OPEN_MPI, "OMPI_COMM_WORLD_RANK": "4"}, "process_id is 4, but"),
        (
            (None, None, None),
            {k: v for k, v in OPEN_MPI.items() if k != "OMPI_MCA_orte_hnp_uri"},
            "coordinator_address not given, and Open MPI does not say",
        ),
    ],
)  # fmt: skip
def test_a_job_that_is_incomplete_or_wrong_is_refused(given, environment, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        job_of(*given, environment)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((9, 2, 0), "coordinator_address must be text such as 'host:1234', got 9 of type int"),
        (("h:9", 2.0, 0), "num_processes must be a whole number, got 2.0 of type float"),
        (("h:9", 2, True), "process_id must be a whole number, got True of type bool"),
    ],
)
def test_arguments_of_another_type_are_refused(given, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        job_of(*given, {})


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ("one", "one"), ("a1,a2", "a1"), ("n[003-007,9],login", "n003"), ("n[9,11]", "n9"),
        ("rack[1-2]-gpu,x", "rack1-gpu"), ("r[0-3]b[07-41,50],x", "r0b07"),
        ("node[01-03,07]", "node01"), ("gpu-1.cluster", "gpu-1.cluster"),
    ],
)  # fmt: skip
def test_the_first_host_of_a_list(hosts, expected):
    assert first_host(hosts) == expected
