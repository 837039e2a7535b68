"""The tools that read programs, for the server of the lit tests: server.py."""

import os
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.linalg.cython_lapack  # noqa: F401 - jaxlib registers LAPACK with it, in 0.1 s

import anvl.dialect.text.interpreter as interpreter
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
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name
from anvl.dialect.text.parsing import parsed
from anvl.testing.program import FAST, OLD_EMITTERS
from anvl.tools.run import executors
from anvl.tools.run.entry import Lowered, lowered

#: One of so many programs that the interpreter could run is XLA's.
_ONE_IN = 8
#: Ops that end the process of the interpreter at an integer zero.
_DIVISIONS = {"stablehlo.divide", "stablehlo.remainder"}
_INTEGER = re.compile(r"stablehlo\.(divide|remainder)\b[^\n]*[<x]u?i\d")

_compile_as_users_do = rt.compile_lowered
_measure_as_users_do = executors.measure


def _compile_fast(program: bytes | str, *args: Any, options: Any = None, **rest: Any) -> Any:
    """Numbers are tested, not XLA's optimizer and new emitters, which take most of the time."""
    fast = FAST | dict(options or {})
    try:
        return _compile_as_users_do(program, *args, options=fast | OLD_EMITTERS, **rest)
    except (ValueError, rt.RuntimeFailure):  # they lack some ops, and newer XLA lacks them
        return _compile_as_users_do(program, *args, options=fast, **rest)


def _measure_soon(
    program: Lowered, inputs: Sequence[np.ndarray], repeat: int, *, seconds: float | None = None,
    options: Mapping[str, object] = MappingProxyType({}), plugin: str = executors.CPU,
    devices: int = 1,
) -> executors.Measured:  # fmt: skip
    """Numbers from StableHLO's interpreter, in this process; XLA takes 0.15 s to start and compile.

    XLA runs the program if more than its results is asked for, or if the interpreter cannot.
    """
    is_elsewhere = plugin != executors.CPU or devices > 1
    asks_for_xla = is_elsewhere or repeat or seconds is not None or options
    if not asks_for_xla and _is_interpretable(program):
        try:
            return executors.Measured(_interpreted(program, inputs), [], {}, {})
        except (ValueError, RuntimeError, TypeError, ir.MLIRError):
            pass  # XLA tells what is wrong
    return _measure_as_users_do(
        program, inputs, repeat, seconds=seconds, options=options, plugin=plugin, devices=devices
    )


def _is_interpretable(program: Lowered) -> bool:
    names = interpreter.names_of(program.module.operation)
    dtypes = {dtype_name(x.dtype) for x in (*program.arguments, *program.returned)}
    return not (
        program.report is not None
        or interpreter.unknown_ops(names)
        or (names & _DIVISIONS and _INTEGER.search(program.text))
        or dtypes & set(executors._UNREADABLE)
        or zlib.crc32(program.text.encode()) % _ONE_IN == 0
    )


def _interpreted(program: Lowered, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    code = executors._code(program)
    module = ir.Module.parse(code.bytecode, context())
    found = interpreter._evaluated(module, inputs)
    return program.settled(interpreter._put_together(iter(found), code.dtypes))


if not os.environ.get("ANVL_TEST_AS_USERS"):
    rt.compile_lowered = _compile_fast  # type: ignore[assignment]
    executors.measure = anvl.tools.run.driver.measure = _measure_soon

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
