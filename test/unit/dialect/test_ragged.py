"""Groups of rows: what is not finite, sizes that fit no rows, and members of a batch."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from references import REFERENCES
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import parse
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.ragged_params import RaggedDims

ROWS = RaggedDims((), (), (1,), (1,), (0,), (0,))  # [m, k] [g, k, n] -> [m, n]
SUMS = RaggedDims((), (), (0,), (0,), (0,))  # [m, k] [m, n] -> [g, k, n]
MEMBERS = RaggedDims((0,), (0,), (1,), (1,), (0,))  # [b, k] [b, k] -> [b]
NAN, INF = np.nan, np.inf


def dot(x: Any, y: Any, sizes: Any, dims: RaggedDims = ROWS) -> Any:
    return prim.ragged_dot(x, y, sizes, ragged_dot_dimension_numbers=dims)


def ran(f: Any, *xs: Any) -> np.ndarray:
    return np.asarray(anvl.jit(f)(*xs))


def test_what_is_not_finite_stays_in_its_group() -> None:
    x, y = np.ones((4, 2)), np.ones((2, 2, 2))
    y[1] = [[INF, 1], [1, NAN]]
    sizes = np.array([2, 1])
    wanted = np.array([[2, 2], [2, 2], [INF, NAN], [0, 0]])
    np.testing.assert_array_equal(ran(dot, x, y, sizes), wanted)

    def total(x: Any, y: Any, sizes: Any) -> Any:
        return anp.sum(dot(x, y, sizes))

    of_x, of_y = anvl.jit(anvl.grad(total, wrt=("x", "y")))(x, y, sizes)
    np.testing.assert_array_equal(of_x, [[2, 2], [2, 2], [INF, NAN], [0, 0]])
    np.testing.assert_array_equal(of_y, [[[2, 2], [2, 2]], [[1, 1], [1, 1]]])


def test_sums_do_not_see_what_is_not_finite_in_other_rows() -> None:
    x, z = np.array([[1.0], [INF], [NAN]]), np.array([[1.0], [0], [INF]])
    found = ran(lambda x, z, sizes: dot(x, z, sizes, SUMS), x, z, np.array([1, 1]))
    np.testing.assert_array_equal(found, [[[1]], [[NAN]]])


@pytest.mark.parametrize(
    "sizes",
    [
        np.array([-3, 2]),
        np.array([2, -1]),
        np.array([2**31 - 1, 2**31 - 1], np.int32),
        np.array([1, 2**63 - 1], np.int64),
        np.array([2**64 - 1, 1], np.uint64),
        np.array([0, 0], np.uint8),
    ],
    ids=str,
)
@pytest.mark.parametrize("dims", [ROWS, SUMS], ids=["rows", "sums"])
def test_sizes_that_fit_no_rows(sizes: np.ndarray, dims: RaggedDims) -> None:
    x = np.arange(6.0).reshape(3, 2)
    y = np.arange(8.0).reshape(2, 2, 2) if dims is ROWS else np.arange(3.0).reshape(3, 1)
    wanted = REFERENCES["ragged_dot"](x, y, sizes, dims)
    np.testing.assert_array_equal(ran(lambda *xs: dot(*xs, dims), x, y, sizes), wanted)


def test_rows_that_the_dtype_of_sizes_cannot_count() -> None:
    x, y = np.ones((300, 1)), np.array([[[1.0]], [[2.0]], [[3.0]]])
    found = ran(dot, x, y, np.array([127, 127, 40], np.int8))
    np.testing.assert_array_equal(found[:, 0], [1] * 127 + [2] * 127 + [3] * 40 + [0] * 6)


def test_bools_meet_any() -> None:
    x = np.array([[True, False], [False, True], [True, True]])
    y = np.array([[[True], [False]], [[False], [True]]])
    np.testing.assert_array_equal(ran(dot, x, y, np.array([1, 1])), [[True], [True], [False]])


WHICH = [which for which in product([False, True], repeat=3) if any(which)]


@pytest.mark.parametrize("which", WHICH, ids=str)
@pytest.mark.parametrize(
    "dims, x, y",
    [(ROWS, (4, 2), (2, 2, 3)), (SUMS, (4, 2), (4, 3)), (MEMBERS, (4, 2), (4, 2))],
    ids=["rows", "sums", "members"],
)
def test_a_batch_of_any_operands(
    dims: RaggedDims, x: tuple[int, ...], y: tuple[int, ...], which: tuple[bool, ...]
) -> None:
    random = np.random.default_rng(0)
    shapes = [(3,) * b + shape for b, shape in zip(which, (x, y, (2,)), strict=True)]
    xs = [random.normal(size=shapes[0]), random.normal(size=shapes[1])]
    sizes = random.integers(0, 4, shapes[2])
    f = anvl.vmap(lambda *xs: dot(*xs, dims), in_axes=tuple(0 if b else None for b in which))
    wanted = [
        REFERENCES["ragged_dot"](
            *(v[i] if b else v for v, b in zip((*xs, sizes), which, strict=True)), dims
        )
        for i in range(3)
    ]
    np.testing.assert_allclose(ran(f, *xs, sizes), wanted, rtol=rounding(PROGRAM))


def test_what_a_batch_does_not_have_is_not_repeated() -> None:
    """Weights that members share: their axis is one more of rows."""
    f = anvl.jit(anvl.vmap(dot, in_axes=(0, None, None)))
    avals = [anvl.aval("f32", (7, 4, 2)), anvl.aval("f32", (2, 2, 3)), anvl.aval("i32", (2,))]
    assert "7x2x2x3" not in f.lower(*avals).mlir()


def test_work_is_that_of_all_rows_for_each_group() -> None:
    module = parse(
        """func.func @f(%x: tensor<5x2xf32>, %y: tensor<3x2x7xf32>, %s: tensor<3xi32>) {
  %z = "anvl.ragged_dot"(%x, %y, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
    lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<5x2xf32>, tensor<3x2x7xf32>, tensor<3xi32>) -> tensor<5x7xf32>
  return
}"""
    )
    op = module.body.operations[0].body.blocks[0].operations[0]
    assert OPS["anvl.ragged_dot"].work(op.operation) == 2 * 5 * 2 * 3 * 7
