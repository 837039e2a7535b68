"""(f) What a captured array of 400 MB costs in memory: nothing, it is on the device already.

As a program, `captured_memory.py SIDE MEGABYTES`, it measures one side in a process of its own: the
most memory that tracing, compiling and one call need beyond what the array itself takes.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

from rows import AtMost, Result, Row
from sides import Side, sides

STATUS = Path("/proc/self/status")
RESET_PEAK = Path("/proc/self/clear_refs")

MEGABYTES = {"full": 400, "quick": 400, "tiny": 4}
INCLUDED = (
    "the peak of resident memory (VmHWM) while `jit(lambda x: sum(captured) + x)` is traced, "
    "compiled and called, beyond what the process held with the array on the device; a process "
    "each; the compiler itself needs some of it, a copy would need the size of the array"
)


def run(sides: list[Side], scale: str) -> Result:
    size = MEGABYTES[scale]
    result = Result(f"(f) memory beyond a captured array of {size} MB", INCLUDED)
    if not RESET_PEAK.exists():
        result.notes.append("skipped: the peak of memory is read from /proc, which is not here")
        return result
    peaks = {side.name: _in_new_process(side.name, size) for side in sides}
    target = AtMost(100, "MB") if size >= 400 else None
    result.rows.append(Row("array on the device", "MB", peaks["anvl"], peaks.get("jax"), target))
    return result


def _in_new_process(side: str, size: int) -> float:
    done = subprocess.run(
        [sys.executable, __file__, side, str(size)],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    return float(done.stdout)


def _megabytes(field: str) -> float:
    (line,) = (line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def _measure(side: Side, size: int) -> float:
    captured = side.wait(side.array(np.ones(size * 1_000_000 // 4, np.float32)))
    # The client, the compiler and the code of both are in memory before the clock starts.
    side.wait(side.jit(lambda x: side.numpy.sum(x) * 2)(side.array(np.ones(3, np.float32))))
    x = side.wait(side.array(np.float32(1)))
    RESET_PEAK.write_text("5")
    before = _megabytes("VmHWM")
    side.wait(side.jit(lambda x: side.numpy.sum(captured) + x)(x))
    return _megabytes("VmHWM") - before


if __name__ == "__main__":
    name, megabytes = sys.argv[1:]
    (chosen,) = (side for side in sides(with_jax=name == "jax") if side.name == name)
    print(_measure(chosen, int(megabytes)))
