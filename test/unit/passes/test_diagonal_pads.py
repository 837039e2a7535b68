"""Large matrices made of a diagonal, and the derivative of a diagonal: choices on the CPU."""

import numpy as np
import pytest

import anvl
from anvl import numpy as anp

_SHAPES = ((70, 70), (64, 90), (90, 64), (2, 40, 60))


@pytest.mark.parametrize("shape", _SHAPES, ids=str)
def test_the_gradient_of_a_diagonal_has_its_elements_alone(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape).astype(np.float32)
    offsets = [k for k in (0, 1, -1, 30, -30, 50, -50) if np.diagonal(x, k, -2, -1).size]
    weights = [rng.normal(size=np.diagonal(x, k, -2, -1).shape).astype("f4") for k in offsets]
    weights[0].flat[:2] = [-0.0, np.inf]

    def slopes(x: anvl.Array) -> list[anvl.Array]:
        read = [lambda x, k=k: anp.diagonal(x, k, -2, -1) for k in offsets]
        return [anvl.vjp(f, x)[1](w)[0] for f, w in zip(read, weights, strict=True)]

    program = anvl.jit(slopes)
    for k, weight, slope in zip(offsets, weights, program(x), strict=True):
        wanted = np.zeros_like(x)
        for i in range(weight.shape[-1]):
            wanted[(..., i, i + k) if k >= 0 else (..., i - k, i)] = weight[..., i]
        np.testing.assert_array_equal(slope, wanted, err_msg=str(k))
        np.testing.assert_array_equal(np.signbit(slope), np.signbit(wanted))


@pytest.mark.parametrize("k", [0, 3, -4])
def test_a_matrix_is_made_of_a_diagonal(k: int) -> None:
    x = np.random.default_rng(0).normal(size=70)
    x[[3, 5]] = -0.0, np.nan
    np.testing.assert_array_equal(anvl.jit(lambda x: anp.diag(x, k))(x), np.diag(x, k))
