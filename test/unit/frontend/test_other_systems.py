"""Without `fork`, `/proc` and `sysconf`: everything a person does still works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HIDING = Path(__file__).parent / "other_system"
PROGRAM = """
import os
from pathlib import Path

import numpy as np

assert not hasattr(os, "fork") and not hasattr(os, "sysconf") and not Path("/proc").exists()

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl.dialect import parse
from anvl.runtime.memory import machine_memory
from anvl.testing import check_grads
from anvl.dialect.text.interpreter import interpreter
from anvl.tools.opt import main
from anvl.tools.run import run_tool

def f(x):
    return anp.sum(anp.sin(x) * x)

x = np.arange(3.0)
wanted = np.cos(x) * x + np.sin(x)
assert "sin(%x1)" in str(anvl.trace(f, x))
np.testing.assert_allclose(anvl.jit(anvl.grad(f))(x), wanted)
np.testing.assert_allclose(anvl.vmap(anvl.grad(f))(np.stack([x, x])), [wanted, wanted])
assert float(anvl.while_loop(lambda x: x > 1, lambda x: x / 2, 9.0)) == 0.5625
assert float(anvl.scan(lambda c, y: (c + y, None), 0.0, x)[0]) == 3
check_grads(f, (x,))

# Tools, and what starts processes of its own: bytecode and texts from elsewhere, the interpreter.
lowered = anvl.jit(anvl.grad(f)).lower(x)
Path("f.mlir").write_text(lowered.mlir("anvl"))
assert main.main(["f.mlir", "--emit-bytecode", "-o", "f.mlirbc"]) == 0
assert main.main(["f.mlirbc", "--anvl-gradient", "-o", "g.mlir"]) == 0
assert main.main(["--list-ops"]) == 0
assert run_tool.main(["f.mlirbc", "--args=[[0, 1, 2]]"]) == 0
np.testing.assert_allclose(rt.compile(lowered.mlir()).execute([rt.put(x)])[0], wanted)
twice = "func.func @f(%x: tensor<f64>) -> tensor<f64> {{ {} return %y : tensor<f64> }}"
for op, y in (("add", 4), ("multiply", 4)):
    module = parse(twice.format(f"%y = stablehlo.{op} %x, %x : tensor<f64>"))
    assert interpreter().run(module, [[np.array(2.0)]])[0][0] == y
assert machine_memory() is None
print("all of it")
"""


@pytest.mark.sweep(keep=0)
def test_without_fork_and_proc(tmp_path):
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(HIDING), *([before] if before else [])])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "all of it"
    assert "f64[3] 0.0 1.38177 0.0770038" in done.stdout
