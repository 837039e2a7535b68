"""(d) Import and start, each time in a new process."""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measure import in_turns, medians
from rows import AtLeastAsFast, AtMost, Result, Row
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
_NUMPY = "import numpy"
_OPT = (
    "import os, sys; sys.argv = ['anvl-opt', '{file}', '--anvl-gradient=function=f wrt=0', "
    "'--anvl-lower-to-stablehlo', '-o', os.devnull, '--anvl-in-process']; "
    "from anvl.tools.opt.main import main; main()"
)
_SQUARE = """
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
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
        result.rows.append(_start_of_opt(bytecode, scale))
    return result


def _start_of_opt(folder: str, scale: str) -> Row:
    """`anvl-opt` on a small program, as a multiple of the import of numpy, which it does not need.

    The target is 0.2 s where a process that imports numpy takes 0.08.
    """
    file = Path(folder, "square.mlir")
    file.write_text(_SQUARE)
    codes = {"numpy": _NUMPY, "anvl-opt": _OPT.format(file=file)}
    jobs = {name: partial(_measure, code, folder) for name, code in codes.items()}
    in_turns(jobs, 1)
    times = medians(in_turns(jobs, ROUNDS[scale]))
    ratio = times["anvl-opt"] / times["numpy"]
    what = "anvl-opt, a gradient lowered, in imports of numpy"
    return Row(what, "x", ratio, None, AtMost(2.5, "x"), {"seconds": times})


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
