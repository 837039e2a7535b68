"""(d) Import, each time in a new process."""

import os
import subprocess
import sys
import tempfile
from functools import partial

from measure import in_turns, medians
from rows import AtLeastAsFast, Result, Row
from sides import Side

ROUNDS = {"full": 15, "quick": 5, "tiny": 1}

TWICE = AtLeastAsFast(2)

INCLUDED = (
    "measured inside a new process after the interpreter has started, with files in the page cache "
    "and all bytecode compiled before; numpy, which both import, is included"
)

_IMPORTS = {
    "anvl": "import anvl, anvl.numpy as np; jit, grad = anvl.jit, anvl.grad",
    "jax": "import jax, jax.numpy as np; jit, grad = jax.jit, jax.grad",
}
_FIRST_RESULT = "; repr(jit(grad(lambda x: np.sin(x) * x))(1.0))"


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(d) import", INCLUDED)
    names = [side.name for side in sides]
    cases = {
        "import, with jit and grad": ("", TWICE),
        "import and a first jit(grad(f))(x)": (_FIRST_RESULT, None),
    }
    with tempfile.TemporaryDirectory() as bytecode:
        for what, (more, target) in cases.items():
            jobs = {name: partial(_measure, _IMPORTS[name] + more, bytecode) for name in names}
            in_turns(jobs, 1)  # compiles the bytecode, fills the page cache
            times = medians(in_turns(jobs, ROUNDS[scale]))
            jax = times.get("jax")
            row = Row(what, "ms", times["anvl"] * 1e3, None if jax is None else jax * 1e3, target)
            result.rows.append(row)
    return result


def _measure(code: str, bytecode: str) -> float:
    """Seconds that `code` takes in a new process, which keeps its bytecode in a folder of ours.

    An installed package has its bytecode, a checkout may be told not to write any.
    """
    program = (
        f"import time; start = time.perf_counter(); {code}; print(time.perf_counter() - start)"
    )
    environment = os.environ | {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return float(done.stdout)
