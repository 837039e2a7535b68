"""Floats of 8 bits: what takes them can be lowered, and is f32's result, rounded."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import scipy.special

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import parse
from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.passes.framework.pipeline import Pipeline

NAMES = sorted(
    name
    for name, op in OPS.items()
    if issubclass(op, Elementwise) and not op.params and "float" in op.kinds.split()
    if name != "anvl.complex"  # no dtype has parts of 8 bits
)
X = np.array([-2, -0.5, 0, 0.25, 1.5])


def text(name: str, dtype: str, result: str) -> str:
    count = OPS[name].n_operands
    types = ", ".join([f"tensor<2x{dtype}>"] * count)
    arguments = ", ".join(f"%x{i}: tensor<2x{dtype}>" for i in range(count))
    operands = ", ".join(f"%x{i}" for i in range(count))
    return (
        f"func.func @f({arguments}) -> {result} {{\n"
        f'  %y = "{name}"({operands}) : ({types}) -> {result}\n  return %y : {result}\n}}'
    )


@pytest.mark.sweep(keep=40, part=10)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["f8E5M2", "f8E4M3FN"])
def test_what_takes_them_can_be_lowered(name: str, dtype: str) -> None:
    lowered = 0
    for result in (f"tensor<2x{dtype}>", "tensor<2xi1>"):
        try:
            module = parse(text(name, dtype, result))
        except ir.MLIRError:  # the type rule wants the other result, or refuses them
            continue
        Pipeline(["anvl-lower-to-stablehlo"]).run(module, verify_each=True)
        assert "chlo." not in str(module)
        lowered += 1
    assert lowered == 1


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn])
@pytest.mark.parametrize(
    "name, wanted",
    [
        ("erf", scipy.special.erf),
        ("erfc", scipy.special.erfc),
        ("bessel_i0e", scipy.special.i0e),
        ("bessel_i1e", scipy.special.i1e),
        ("sinh", np.sinh),
    ],
)
def test_they_are_rounded_once(name: str, wanted: Any, dtype: Any) -> None:
    x = X.astype(dtype)
    found = np.asarray(getattr(prim, name)(x))
    assert found.dtype == dtype
    rounded = wanted(x.astype(float)).astype(np.float32).astype(dtype)
    assert found.astype(float).tolist() == rounded.astype(float).tolist()


def test_their_gradients() -> None:
    x = X.astype(ml_dtypes.float8_e5m2)
    found = anvl.grad(lambda x: anp.sum(prim.bessel_i0e(x)))(x)
    wide = anvl.grad(lambda x: anp.sum(prim.bessel_i0e(x)))(X)
    np.testing.assert_allclose(np.asarray(found).astype(float), wide, rtol=0.3, atol=0.05)


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
def test_extrema_where_the_dtype_has_no_infinity(dtype):
    x = anp.asarray([-2.0, 1.0, 3.0, -7.0], dtype)
    assert [float(f(x)) for f in (anp.max, anp.min, anp.argmax, anp.argmin)] == [3, -7, 2, 3]
    assert anp.cummax(x).tolist() == [-2, 1, 3, 3]
    assert anp.cummin(x).tolist() == [-2, -2, -2, -7]
    assert anvl.grad(anp.max)(x).tolist() == [0, 0, 1, 0]
    assert np.isfinite(np.asarray(anvl.lax.cumlogsumexp(x), float)).all()
    assert np.isnan(float(anp.max(x.at[0].set(anp.nan))))
    most = float(ml_dtypes.finfo(dtype).max) if dtype == "float8_e4m3fn" else np.inf
    assert anvl.ops.segment_max(x, anp.asarray([0, 0, 2, 2]), 3).tolist() == [1, -most, 3]
