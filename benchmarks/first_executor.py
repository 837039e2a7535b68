"""Weigh a first executor without XLA: StableHLO to linalg to MLIR's own JIT compiler.

    python benchmarks/first_executor.py

Ten gradients that people compute are compiled both ways and run.  What is missing or slow decides;
docs/architecture.md has the decision ("A first executor without XLA").
"""

import ctypes
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from torch_mlir._mlir_libs import _mlirLinalgPasses  # noqa: F401, TID251  registers passes
from torch_mlir.execution_engine import ExecutionEngine  # noqa: TID251  weighed here alone
from torch_mlir.runtime import get_ranked_memref_descriptor  # noqa: TID251

import anvl
import anvl.numpy as np
from anvl import nn
from anvl.dialect.core.mlir import PassManager, ir, stablehlo

PASSES = """
    stablehlo-legalize-to-linalg
    func.func(linalg-fuse-elementwise-ops,empty-tensor-to-alloc-tensor)
    one-shot-bufferize{bufferize-function-boundaries=true
        function-boundary-type-conversion=identity-layout-map}
    buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true}
    func.func(convert-linalg-to-loops,lower-affine) canonicalize cse func.func(convert-scf-to-cf)
    expand-strided-metadata lower-affine func.func(convert-math-to-llvm) convert-math-to-libm
    convert-index-to-llvm convert-arith-to-llvm finalize-memref-to-llvm convert-func-to-llvm
    convert-cf-to-llvm reconcile-unrealized-casts"""


def perceptron(w1, w2, x, y):
    return np.mean((np.tanh(x @ w1) @ w2 - y) ** 2)


def cross_entropy(w, x):
    z = x @ w
    return np.mean(nn.logsumexp(z, axis=1) - z[:, 0])


def layer_norm(g, x):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return np.sum(g * centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5))


def attention(q, k, v):
    return np.sum(nn.softmax(q @ k.T / 8) @ v)


def elementwise(x):
    for _ in range(20):
        x = np.sin(x) * 1.01 + np.cos(x * 0.3) * 0.1
    return np.sum(x)


def convolution(w, x):
    return np.sum(nn.relu(nn.conv(x, w)) ** 2)


def rows(table, places):
    return np.sum(np.tanh(table[places]) ** 2)


def smallest(x):
    return np.sum(np.sort(x)[:10])


def recurrent(a, xs):
    def step(state, x):
        return np.tanh(a @ state) + x, None

    return np.sum(anvl.scan(step, np.zeros(16, dtype="f32"), xs)[0])


def log_det(a):
    spd = a @ a.T + 64 * np.eye(64, dtype="f32")
    return np.sum(np.log(np.diagonal(np.linalg.cholesky(spd))))


PROGRAMS: Sequence[tuple[Callable[..., Any], Sequence[tuple[int, ...]]]] = (
    (perceptron, [(64, 128), (128, 10), (32, 64), (32, 10)]),
    (cross_entropy, [(64, 10), (128, 64)]),
    (layer_norm, [(64,), (32, 64)]),
    (attention, [(64, 64)] * 3),
    (elementwise, [(1000,)]),
    (convolution, [(3, 3, 3, 8), (4, 16, 16, 3)]),
    (rows, [(100, 16), (50,)]),
    (smallest, [(1000,)]),
    (recurrent, [(16, 16), (20, 16)]),
    (log_det, [(64, 64)]),
)


def main() -> None:
    stablehlo.register_stablehlo_passes()
    random = numpy.random.default_rng(0)
    print(f"{'':16}{'XLA: compile':>14}{'run':>10}{'without: passes':>18}{'JIT':>10}{'run':>10}")
    for f, shapes in PROGRAMS:
        args = [random.standard_normal(shape, dtype="f") for shape in shapes]
        if f is rows:
            args[1] = random.integers(0, 100, shapes[1], dtype="i4")
        print(f"{f.__name__:16}" + " ".join(_weighed(f, args)), flush=True)


def _weighed(f: Callable[..., Any], args: Sequence[numpy.ndarray]) -> list[str]:
    g = anvl.jit(anvl.value_and_grad(f), roll=False)
    arrays = [np.array(x) for x in args]
    lowered = g.lower(*arrays)
    compiling = _milliseconds(lowered.compile)
    wanted = [numpy.asarray(x) for x in g(*arrays)]
    running = _median(lambda: [x.block_until_ready() for x in g(*arrays)])
    row = [f"{compiling:11.0f} ms{running:7.2f} ms"]
    with ir.Context() as context, ir.Location.unknown():
        stablehlo.register_dialect(context)
        module = ir.Module.parse(lowered.mlir("stablehlo"))
        try:
            return row + _without_xla(module, args, wanted)
        except (ir.MLIRError, RuntimeError) as error:
            refused = re.search(r'"?(stablehlo\.\w+|linalg\.\w+)', str(error))
            return [*row, f"  refused: {refused[1] if refused else error}"]


def _without_xla(
    module: ir.Module, args: Sequence[numpy.ndarray], wanted: Sequence[numpy.ndarray]
) -> list[str]:
    for function in module.body.operations:
        function.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
    pipeline = PassManager.parse(f"builtin.module({_listed(PASSES)})")
    passing = _milliseconds(lambda: pipeline.run(module.operation))
    found = [numpy.zeros_like(x) for x in wanted]
    begun = time.perf_counter()
    engine = ExecutionEngine(module)
    pointers = [
        ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(numpy.ascontiguousarray(x))))
        for x in (*args, *found)
    ]
    engine.invoke("main", *pointers)
    compiling = (time.perf_counter() - begun) * 1e3
    for x, y in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-4)
    running = _median(lambda: engine.invoke("main", *pointers))
    return [f"{passing:14.0f} ms{compiling:7.0f} ms{running:7.2f} ms"]


def _listed(passes: str) -> str:
    """A pipeline: passes that white space outside of braces and parentheses separates."""
    depth, found = 0, ""
    for character in " ".join(passes.split()):
        depth += (character in "({") - (character in ")}")
        found += "," if character == " " and depth == 0 else character
    return found


def _milliseconds(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e3


def _median(call: Callable[[], Any]) -> float:
    return sorted(_milliseconds(call) for _ in range(15))[7]


if __name__ == "__main__":
    main()
