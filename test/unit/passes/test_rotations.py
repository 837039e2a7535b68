"""Rotations along the innermost axis, as pads: the same bits as copies."""

import ml_dtypes
import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.dialect.text.interpreter import interpreter
from anvl.passes import LowerToStablehlo, Pipeline

DTYPES = {
    "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "i32": np.int32,
    "ui8": np.uint8, "i1": np.bool_, "complex<f32>": np.complex64,
}  # fmt: skip


def program(shape, k, axis, dtype="f32"):
    """The text of a rotation by k along an axis."""
    n = shape[axis]

    def sliced(start, limit):
        bounds = [f"{start}:{limit}" if a == axis else f"0:{m}" for a, m in enumerate(shape)]
        return ", ".join(bounds), of(
            [limit - start if a == axis else m for a, m in enumerate(shape)]
        )

    def of(sizes):
        return f"tensor<{'x'.join(map(str, sizes))}x{dtype}>"

    (last, a), (first, b), x = sliced(n - k, n), sliced(0, n - k), of(shape)
    return f"""func.func @f(%x: {x}) -> {x} {{
  %a = stablehlo.slice %x [{last}] : ({x}) -> {a}
  %b = stablehlo.slice %x [{first}] : ({x}) -> {b}
  %y = stablehlo.concatenate %a, %b, dim = {axis} : ({a}, {b}) -> {x}
  return %y : {x}
}}"""


def lowered(text):
    module = parse(text)
    Pipeline([LowerToStablehlo()]).run(module)
    return module


def numbers(shape, dtype):
    """Random bits: NaN, -0 and subnormals are among those of floats."""
    random = np.random.default_rng(0)
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(bool)
    count = np.prod(shape) * np.dtype(dtype).itemsize
    x = np.frombuffer(random.bytes(count), dtype).reshape(shape).copy()
    if np.dtype(dtype).kind in "fcV":
        with np.errstate(invalid="ignore"):
            x[np.isnan(x)] = np.nan  # quiet, as conversions make them
        x.flat[:3] = [np.nan, -0.0, np.inf]
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 5, 63])
def test_bits_are_those_of_the_concatenation(dtype, k):
    text, x = program((4, 8, 64, 1), k, 2, dtype), numbers((4, 8, 64, 1), DTYPES[dtype])
    module = lowered(text)
    assert "concatenate" not in str(module)
    ((found,),) = interpreter().run(module, [[x]])
    assert found.tobytes() == np.roll(x, k, 2).tobytes()


@pytest.mark.parametrize(
    ("shape", "axis"), [((64, 64), 0), ((4096,), 0), ((8, 64, 8), 1), ((4, 8), 1), ((1, 4096), 1)]
)
def test_other_rotations_stay(shape, axis):
    text = program(shape, 3, axis)
    module = lowered(text)
    assert "concatenate" in str(module)
    assert "stablehlo.pad" not in str(module)


def test_a_program_is_lowered_once():
    once = str(lowered(program((16, 64), 3, 1)))
    assert str(lowered(once)) == once


def test_in_a_loop_rotations_stay():
    def steps(x):
        return anvl.scan(lambda c, _: (anp.roll(c, 1, 1) * 2, None), x, None, length=9)[0]

    text = anvl.jit(steps).lower(anvl.aval("f32", (16, 64))).mlir()
    assert "concatenate" in text
    assert "stablehlo.pad" not in text


def test_over_a_mesh_rotations_stay():
    text = program((16, 64), 3, 1).replace(
        "%x: tensor<16x64xf32>)", '%x: tensor<16x64xf32> {anvl.sharding = "x=2;x,-"})'
    )
    assert "concatenate" in str(lowered(text))


def test_xla_makes_one_kernel_of_a_step_along_both_axes():
    def step(u):
        rolled = anp.roll(u, 1, 0) + anp.roll(u, -1, 0) + anp.roll(u, 3, 1) + anp.roll(u, -1, 1)
        return u + 0.1 * (rolled - 4 * u)

    u = np.random.default_rng(0).standard_normal((64, 128)).astype("f4")
    compiled = anvl.jit(step).lower(u).compile()
    assert compiled.hlo().count("kind=kLoop") == 1
    sides = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 3, 1) + np.roll(u, -1, 1)
    wanted = u + np.float32(0.1) * (sides - 4 * u)
    np.testing.assert_allclose(compiled(u).numpy(), wanted, rtol=rounding(PROGRAM, "f4"), atol=1e-6)
