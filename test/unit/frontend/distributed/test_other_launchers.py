"""Processes that SLURM's and Open MPI's variables describe: two hosts, of two processes each."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy
import anvl

anvl.distributed.initialize(initialization_timeout=60)
me, count = anvl.distributed.process_index(), anvl.distributed.process_count()
rows = anvl.sharding.Sharding(anvl.Mesh({"data": 4}), "data")
x = anvl.distributed.make_array_from_local(rows, numpy.full(1, float(me)))
print(me, count, anvl.jit(lambda x: x.sum())(x))
"""


def of_slurm(i):
    return {
        "SLURM_JOB_ID": "812345", "SLURM_STEP_ID": "3", "SLURM_PROCID": f"{i}",
        "SLURM_LOCALID": f"{i % 2}", "SLURM_NTASKS": "8", "SLURM_STEP_NUM_TASKS": "4",
        "SLURM_STEP_NODELIST": "127.0.0.[1-2]",
    }  # fmt: skip


def of_open_mpi(i):
    return {
        "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": f"{i}",
        "OMPI_COMM_WORLD_LOCAL_RANK": f"{i % 2}", "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
        "OMPI_MCA_orte_hnp_uri": "1531584512.0;tcp://127.0.0.1,10.148.0.1:34911",
    }  # fmt: skip


def of_open_mpi_in_slurm(i):
    of_one_a_host = {"SLURM_PROCID": f"{i // 2}", "SLURM_STEP_NUM_TASKS": "2"}
    return of_slurm(i) | of_one_a_host | of_open_mpi(i)


@pytest.mark.sweep(keep=0, part=0)  # 5 seconds each
@pytest.mark.parametrize("variables", [of_slurm, of_open_mpi, of_open_mpi_in_slurm])
def test_processes_find_each_other(variables):
    around = {k: v for k, v in os.environ.items() if k[:4] not in ("SLUR", "OMPI", "ANVL")}
    around["ANVL_NUM_CPU_DEVICES"] = "1"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM], env=around | variables(i), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        for i in range(4)
    ]  # fmt: skip
    said = [process.communicate(timeout=100)[0] for process in started]
    assert said == [f"{i} 4 6.0\n" for i in range(4)]
