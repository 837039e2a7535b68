"""Calls of YNNPACK by XLA:CPU: NaN stays, and few arrays are read."""

import re

import numpy as np
import pytest
from tolerances import PROGRAM, assert_close

import anvl
from anvl import numpy as anp
from anvl import runtime as rt

X = np.random.default_rng(0).normal(size=(4100, 8)).astype(np.float32)
X[3, 5] = np.nan
AT_3 = np.arange(4100) == 3


def _many(x: anvl.Array) -> list[anvl.Array]:
    """Maxima and minima that make elements of sums, and that read their results."""
    return [
        anp.sum(anp.maximum(x, 0), axis=-1),
        anp.sum(anp.sqrt(anp.minimum(anp.abs(x), 9)) * 2, axis=-1),
        anp.maximum(anp.sum(x, axis=-1), 0),
        anp.exp(anp.minimum(anp.sum(x * x, axis=-1) - 1, 0)) + anp.maximum(x[:, 5], 0),
        anp.max(anp.maximum(x, -9), axis=-1),
    ]


def test_maxima_beside_large_sums_keep_nan() -> None:
    for i, found in enumerate(anvl.jit(_many)(X)):
        np.testing.assert_array_equal(np.isnan(found), AT_3, err_msg=str(i))


#: Shapes of large arrays, and axes: as one loop, as two, with a sum beside it.
_EXTREMES = {
    ((3300, 10), 1), ((10, 3300), 0), ((30, 11, 100), (1, 2)), ((33_000,), 0),
    ((6000, 2, 3), (1, 2)), ((40, 10, 90), 1), ((40, 30, 30), (0, 1)), ((31, 1100), 0),
    ((97, 400), 0), ((40, 30, 30), (0, 2)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_extremes_are_those_of_numpy_with_nan_anywhere(dtype: str) -> None:
    rng = np.random.default_rng(0)
    for shape, axes in sorted(_EXTREMES, key=str):
        x = rng.normal(size=shape).astype(dtype)
        x.flat[rng.choice(x.size, 9)] = [np.nan, -np.nan, *3 * [np.inf, -np.inf], np.nan]
        x.flat[[0, -1]] = np.nan
        both = anvl.jit(lambda x, axes=axes: [anp.max(x, axes), anp.min(x, axes)])(x)
        for found, f in zip(both, (np.max, np.min), strict=True):
            np.testing.assert_array_equal(found, f(x, axes), err_msg=f"{f.__name__} {shape} {axes}")


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_maxima_of_waves_of_large_sums_keep_nan(name: str) -> None:
    """From jaxlib 0.12 on XLA hands these functions over, too."""
    found = anvl.jit(lambda x: anp.maximum(getattr(anp, name)(anp.sum(x, axis=-1)), 0.0))(X)
    np.testing.assert_array_equal(np.isnan(found), AT_3)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_hidden_maxima_are_the_same_numbers(name: str) -> None:
    x = np.abs(np.nan_to_num(X))
    found = anvl.jit(lambda x: anp.sum(getattr(anp, name)(x, 0.5), axis=-1))(x)
    wanted = np.sum(getattr(np, name)(x, np.float32(0.5)), axis=-1)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def _kernels_of(text: str) -> list[str]:
    """The loops that XLA compiled, of the main program."""
    main = text[text.index("ENTRY") :]
    return [line for line in main.splitlines() if "kind=kLoop" in line]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_summands_of_a_large_sum_are_one_kernel(dtype: str) -> None:
    """Of sines and cosines none, where the call computes them itself."""
    x = np.random.default_rng(0).normal(size=(64, 100)).astype(dtype)
    f = anvl.jit(lambda x, y: anp.sum(anp.sin(x) * anp.cos(y), axis=0))
    text = f.lower(x, x + 1).compile().hlo()
    assert len(_kernels_of(text)) == (0 if rt.default_target().trigonometric else 1)
    wanted = np.sum(np.sin(x) * np.cos(x + 1), axis=0)
    assert_close(f(x, x + 1), wanted, PROGRAM)


def test_what_is_doubled_or_negated_is_added_up_as_it_is() -> None:
    x = np.random.default_rng(0).normal(size=(64, 100)).astype(np.float32)
    x[3] = 0
    f = anvl.jit(lambda x, y: anp.sum(-(2 * (x * y)), axis=1))
    same = anvl.jit(lambda x, y: anp.sum(x * y, axis=1))
    kernels = _kernels_of(f.lower(x, x).compile().hlo())
    assert len(kernels) == 1
    assert "f32[64]" in kernels[0].split("=")[1]
    found, wanted = np.asarray(f(x, x)), -2 * np.asarray(same(x, x))
    np.testing.assert_array_equal(found, wanted)
    assert not np.signbit(found[3])
    assert np.signbit(wanted[3])


def test_a_factor_behind_a_sum_is_not_joined_with_the_next_one() -> None:
    x = np.full((64, 100), 1e-12, np.float32)
    found = anvl.jit(lambda x: anp.sum(2 * x, axis=1) * 3e38)(x)
    np.testing.assert_allclose(found, np.float32(6e28), rtol=1e-5)


def test_a_factor_that_no_float_holds_stays_in_parts() -> None:
    x = np.zeros((64, 100), np.float32)
    x[0, 0] = 2.0**-110
    f = anvl.jit(lambda x: anp.sum(-(x * 2.0**100) * 2.0**100, axis=1))
    found = np.asarray(f(x))
    assert found[0] == np.float32(-(2.0**90))
    assert not found[1:].any()


@pytest.mark.parametrize("keeps", [True, False])
def test_what_a_mask_keeps_is_negated_behind_the_sum(keeps: bool) -> None:
    x = np.random.default_rng(0).normal(size=(64, 100)).astype(np.float32)
    p = x > 0 if keeps else x <= 0
    x[3], x[4, 0], x[5, 1], p[6], x[7] = np.nan, np.inf, -np.inf, not keeps, 0
    p[3] = not keeps

    def f(x: anvl.Array, p: anvl.Array) -> list[anvl.Array]:
        def chosen(x: anvl.Array) -> anvl.Array:
            return anp.where(p, x, 0) if keeps else anp.where(p, 0, x)

        total = anp.sum(chosen(-x), axis=1)
        return [total, chosen(x) + total[:, None]]

    program = anvl.jit(f)
    assert "negate" not in program.lower(x, p).mlir()
    total, both = map(np.asarray, program(x, p))
    kept = np.where(p == keeps, x, 0)
    wanted = np.sum(-kept, axis=1)
    assert_close(total, wanted, PROGRAM)
    with np.errstate(invalid="ignore"):  # inf - inf
        assert_close(both, kept + wanted[:, None], PROGRAM)
    assert not np.signbit(total[[3, 6, 7]]).any()


def _cross_entropy(x: anvl.Array, labels: anvl.Array) -> anvl.Array:
    logs = anvl.nn.log_softmax(x)
    return -anp.mean(anp.take_along_axis(logs, labels[:, None], axis=1))


def _softmax_square(x: anvl.Array, labels: anvl.Array) -> anvl.Array:
    return anp.sum(anvl.nn.softmax(x) ** 2)


def _calls_of(text: str) -> list[str]:
    """The library calls of the main program that give an array of two axes."""
    main = text[text.index("ENTRY") :]
    return re.findall(r"%ynn_fusion\S* = f32\[\d+,\d+\]", main)


@pytest.mark.parametrize(
    ("f", "shape", "count"),
    [
        (_cross_entropy, (120, 1000), 0),  # a loop computes exp(y), too
        (_cross_entropy, (120, 700), 1),  # the loop would be one task
        (_softmax_square, (120, 1000), 1),  # the softmax would be an array
    ],
)
def test_what_reads_a_large_sum_is_a_loop(f, shape, count) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=shape).astype(np.float32)
    labels = random.integers(0, shape[1], shape[0])
    slope = anvl.jit(anvl.grad(f))
    assert len(_calls_of(slope.lower(x, labels).compile().hlo())) == count
    # On the interpreter there are no calls.
    wanted = anvl.jit(anvl.grad(f), backend="interpreter")(x[:5], labels[:5])
    factor = 5 / len(x) if f is _cross_entropy else 1
    assert_close(slope(x, labels)[:5], wanted * factor, PROGRAM)
