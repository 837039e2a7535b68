"""(k) The first step of the digits example, in a first and in a second start: the cache on disk."""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measure import in_turns, medians
from rows import AtMost, Result, Row
from sides import Side

ROUNDS = {"full": 5, "quick": 3, "tiny": 1}
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

INCLUDED = (
    "in a new process, from the first call of the jitted loss and gradient to the parameters of "
    "the next step: tracing, lowering, starting the client, compiling or loading two programs, "
    "running; not the imports and the data"
)
_PROGRAM = """
import time, numpy, anvl, digits
x, _, labels, _ = digits.images_and_labels()
y = numpy.eye(digits.CLASSES, dtype=numpy.float32)[labels]
rng = numpy.random.default_rng(0)
params = digits.initial(rng)
velocity = anvl.tree.map(numpy.zeros_like, params)
batch = next(digits.batches(rng, x, y))
start = time.perf_counter()
_, gradient = digits.loss_and_gradient(params, *batch)
params, _ = digits.updated(params, velocity, gradient, 0.1)
for array in params:
    array.block_until_ready()
print(time.perf_counter() - start)
"""


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(k) second start", INCLUDED)
    with tempfile.TemporaryDirectory() as folder:
        kept, bytecode = Path(folder, "kept"), Path(folder, "bytecode")
        _measure(kept, bytecode)  # fills the cache, and compiles the bytecode
        jobs = {
            "first": partial(_first_start, bytecode),
            "second": partial(_measure, kept, bytecode),
        }
        times = medians(in_turns(jobs, ROUNDS[scale]))
    for which in jobs:
        result.rows.append(Row(f"digits, first step, {which} start", "ms", times[which] * 1e3))
    what = "the second start, in first starts"
    result.rows.append(Row(what, "x", times["second"] / times["first"], None, AtMost(0.2, "x")))
    return result


def _first_start(bytecode: Path) -> float:
    with tempfile.TemporaryDirectory() as empty:
        return _measure(Path(empty), bytecode)


def _measure(cache: Path, bytecode: Path) -> float:
    """Seconds to the first step in a new process, with this cache.

    An installed package has its bytecode, a checkout may be told not to write any.
    """
    environment = {
        "ANVL_CACHE": "1",
        "ANVL_CACHE_DIR": str(cache),
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPATH": str(EXAMPLES),
        "PYTHONPYCACHEPREFIX": str(bytecode),
    }
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return float(done.stdout)
