"""The tools that read programs, for the server of the lit tests: server.py."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import scipy.linalg.cython_lapack  # noqa: F401 - jaxlib registers LAPACK with it, in 0.1 s

import anvl.runtime as rt  # no client is made here: XLA cannot fork
import anvl.tools.diff.diff_driver  # children import it late
import anvl.tools.diff.diff_tool
import anvl.tools.opt.main
import anvl.tools.opt.verify_gradient  # children import it late
import anvl.tools.reduce.reduce_driver  # children import it late
import anvl.tools.reduce.reduce_tool
import anvl.tools.run.driver
import anvl.tools.run.run_tool
import anvl.tools.viz.viz_driver
import anvl.tools.viz.viz_tool
from anvl.dialect.core.context import context
from anvl.dialect.text.parsing import parsed
from anvl.testing.program import FAST, OLD_EMITTERS
from anvl.tools.run.entry import lowered

_compile_as_users_do = rt.compile_lowered


def _compile_fast(program: bytes | str, *args: Any, options: Any = None, **rest: Any) -> Any:
    """Numbers are tested, not XLA's optimizer and new emitters, which take most of the time."""
    fast = FAST | dict(options or {})
    try:
        return _compile_as_users_do(program, *args, options=fast | OLD_EMITTERS, **rest)
    except (ValueError, rt.RuntimeFailure):  # they lack some ops, and newer XLA lacks them
        return _compile_as_users_do(program, *args, options=fast, **rest)


if not os.environ.get("ANVL_TEST_AS_USERS"):
    rt.compile_lowered = _compile_fast  # type: ignore[assignment]

TOOLS: dict[str, Callable[[Sequence[str]], int | None]] = {
    "anvl-diff": anvl.tools.diff.diff_tool.main,
    "anvl-opt": anvl.tools.opt.main.main,
    "anvl-reduce": anvl.tools.reduce.reduce_tool.main,
    "anvl-run": anvl.tools.run.run_tool.main,
    "anvl-viz": anvl.tools.viz.viz_tool.main,
}

_SAMPLE = """
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
"""
_SAMPLE_RUNS = [
    ["--verify-roundtrip", "--cse", "--anvl-gradient=function=f", "--anvl-lower-to-stablehlo"],
    ["--anvl-forward=function=f", "--anvl-vectorize=function=f batched=0 size=2", "--anvl-remat"],
    ["--anvl-lower-to-stablehlo", "--anvl-lift", "--anvl-inline", "--anvl-control-flow"],
]


def warm_up(folder: Path) -> None:
    """Do what children do, up to XLA: full caches save each of them 20 to 40 ms."""
    context().enable_multithreading(False)
    sample, output = folder / "sample.mlir", folder / "output.mlir"
    sample.write_text(_SAMPLE)
    for options in _SAMPLE_RUNS:
        if anvl.tools.opt.main.main([str(sample), "-o", str(output), *options]):
            raise RuntimeError(f"anvl-opt failed: {options}")
    lowered(parsed(_SAMPLE, "sample", context()), "f")
