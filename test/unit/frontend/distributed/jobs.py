"""Jobs of several processes for tests: started by the launcher, and never left behind."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Ended", "run_job"]

_LONGEST = 120.0  # seconds, on a machine that does much else


class Ended(NamedTuple):
    """A job that has ended."""

    code: int
    out: str
    err: str

    def lines_of(self, process: int) -> list[str]:
        """What a process wrote to stdout."""
        start = f"[{process}] "
        return [line.removeprefix(start) for line in self.out.splitlines() if line[:4] == start]


def run_job(
    folder: Path,
    program: str,
    *,
    count: int = 2,
    devices: int = 4,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program as a job on this machine."""
    script = folder / "program.py"
    script.write_text(program)
    command = [sys.executable, "-m", "anvl.distributed.launch", "-n", str(count), str(script)]
    variables = {"ANVL_NUM_CPU_DEVICES": str(devices), "ANVL_CACHE": "0", **(environment or {})}
    job = subprocess.Popen(
        [*command, *arguments],
        # jax, if a test of this process has imported it, asks XLA for its warnings.
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        out, err = job.communicate(timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        job.terminate()  # it ends the others
        out, err = job.communicate(timeout=_LONGEST)
        raise AssertionError(f"the job did not end\n{out}\n{err}") from None
    return Ended(job.returncode, out, err)
