"""Gather, scatter and dynamic slices where indices meet, stick out, or are not there."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from test_corners import adjoints, evaluated, gradient
from tolerances import PROGRAM, rounding

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dialect.core.types import numpy_dtype
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.dialect.interpreters.subprogram import Program
from anvl.testing.program import type_of

INF, NAN = np.inf, np.nan
POINTS = (), (0,), (), (), (0,), 1
ROWS = (1,), (0,), (), (), (0,), 1


def points(x: ir.Value, at: ir.Value) -> ir.Value:
    """x[at]"""
    return emit.gather(x, at, dimension_numbers=GatherDims(*POINTS), slice_sizes=(1,))


def assign(_: ir.Value, new: ir.Value) -> ir.Value:
    return new


def scattered(body: Callable[..., Any], dims: Any = POINTS, unique: bool = False) -> Any:
    """x, at, u: x with u combined into it at these places."""
    return lambda x, at, u: emit.scatter(
        x, at, u, scatter_dimension_numbers=ScatterDims(*dims), unique_indices=unique,
        update_computation=body,
    )[0]  # fmt: skip


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


# -- where an index is outside ---------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["i8", "i32", "i64", "ui8", "ui64"])
def test_gather_moves_an_index_to_the_nearest_element(dtype: str) -> None:
    signed = numpy_dtype(dtype).kind == "i"
    at = np.array([-2 if signed else 3, 3, 4, 100]).astype(numpy_dtype(dtype))
    x = np.array([1.0, 10, 100, 1000])
    found = evaluated(lambda x, at: [points(x, at)], x, at)[0]
    assert found.tolist() == [1 if signed else 1000, 1000, 1000, 1000]
    (g,) = gradient(points, x, at)
    assert g.tolist() == ([1, 0, 0, 3] if signed else [0, 0, 0, 4])


def test_the_bound_of_a_gather_need_not_fit_the_dtype_of_its_indices() -> None:
    x, at = np.arange(300.0), np.array([255, 0, 7], np.uint8)
    assert evaluated(lambda x, at: [points(x, at)], x, at)[0].tolist() == [255, 0, 7]
    (g,) = gradient(points, x, at)
    assert np.flatnonzero(g).tolist() == [0, 7, 255]


def test_gather_moves_a_window_as_a_whole() -> None:
    def f(x: ir.Value, at: ir.Value) -> ir.Value:
        dims = GatherDims((1,), (), (), (), (0,), 1)
        return emit.gather(x, at, dimension_numbers=dims, slice_sizes=(3,))

    x, at = np.arange(5.0), ints(1, 4, -1)
    assert evaluated(lambda *xs: [f(*xs)], x, at)[0].tolist() == [[1, 2, 3], [2, 3, 4], [0, 1, 2]]
    assert gradient(f, x, at)[0].tolist() == [1, 2, 3, 2, 1]


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("dtype", ["i32", "ui8"])
@pytest.mark.parametrize("body", ["add", "mul", "maximum", "minimum", "assign", "pow"])
def test_scatter_leaves_out_an_index_that_is_outside(body: str, dtype: str) -> None:
    at = np.array([4, -1, 100]).astype(numpy_dtype(dtype))
    f = scattered(assign if body == "assign" else getattr(emit, body), unique=body == "pow")
    x, u = np.array([1.0, 2, 3, 4]), np.array([0.0, INF, NAN])
    assert evaluated(lambda *xs: [f(*xs)], x, at, u)[0].tolist() == x.tolist()
    gx, gu = gradient(f, x, at, u)
    assert (gx.tolist(), gu.tolist()) == ([1, 1, 1, 1], [0, 0, 0])


def test_scatter_leaves_out_a_window_that_sticks_out() -> None:
    f = scattered(emit.add, ((1,), (), (), (), (0,), 1))
    x, at, u = np.zeros(4), ints(1, 3, -1), np.array([[1.0, 2], [4, 8], [16, 32]])
    assert evaluated(lambda *xs: [f(*xs)], x, at, u)[0].tolist() == [0, 1, 2, 0]
    assert gradient(f, x, at, u)[1].tolist() == [[1, 1], [0, 0], [0, 0]]


def test_scatter_into_nothing_leaves_nothing() -> None:
    for body in (emit.add, emit.mul, emit.maximum, assign):
        gx, gu = gradient(scattered(body), np.zeros(0), ints(0, -1), np.ones(2))
        assert (gx.tolist(), gu.tolist()) == ([], [0, 0])


@pytest.mark.parametrize("body", ["add", "mul", "maximum", "assign"])
def test_scatter_of_nothing_changes_nothing(body: str) -> None:
    f = scattered(assign if body == "assign" else getattr(emit, body))
    gx, gu = gradient(f, np.ones(3), ints(), np.ones(0))
    assert (gx.tolist(), gu.tolist()) == ([1, 1, 1], [])


@pytest.mark.parametrize(
    "starts, rows, columns",
    [((1, 1), (1, 3), (1, 3)), ((-5, 9), (0, 2), (2, 4)), ((2, -1), (1, 3), (0, 2))],
)
def test_dynamic_slices_move_into_the_array(starts: Any, rows: Any, columns: Any) -> None:
    x, u = np.arange(12.0).reshape(3, 4), -np.ones((2, 2))

    def f(x: ir.Value, u: ir.Value, *at: ir.Value) -> list[ir.Value]:
        y = emit.dynamic_slice(x, *at, slice_sizes=(2, 2))
        z = emit.dynamic_update_slice(x, u, *at)
        return [y, z, *adjoints(y, [x]), *adjoints(z, [x, u])]

    y, z, gx, gx_of_update, gu = evaluated(f, x, u, *map(np.int32, starts))
    place = np.s_[slice(*rows), slice(*columns)]
    wanted, mask = x.copy(), np.zeros_like(x)
    wanted[place], mask[place] = -1, 1
    assert y.tolist() == x[place].tolist()
    assert z.tolist() == wanted.tolist()
    assert gx.tolist() == mask.tolist()
    assert gx_of_update.tolist() == (1 - mask).tolist()
    assert gu.tolist() == np.ones((2, 2)).tolist()


@pytest.mark.parametrize("batched", [False, True])
def test_windows_at_indices_of_no_components_are_all_the_first(batched: bool) -> None:
    x, w = np.arange(12.0).reshape(2, 3, 2), np.arange(1, 17.0).reshape(2, 4, 2)
    axes = ((2,), (1,), (0,), (2,), (), 0) if batched else ((0, 2), (1,), (), (), (), 0)

    def f(x: ir.Value, at: ir.Value, w: ir.Value) -> ir.Value:
        y = emit.gather(
            x, at, dimension_numbers=GatherDims(*axes), slice_sizes=(1 if batched else 2, 1, 2)
        )
        order = (1, 0, 2) if batched else (0, 1, 2)
        return emit.mul(emit.transpose(y, permutation=order), w)

    at = np.zeros((0, 4, 2) if batched else (0, 4), np.int32)
    (g,) = gradient(f, x, at, w, wrt=[0])
    wanted = np.zeros_like(x)
    wanted[:, 0] = w.sum(1)
    assert g.tolist() == wanted.tolist()


# -- where indices meet ----------------------------------------------------------------------------


def test_gather_of_one_element_twice_adds_up() -> None:
    assert gradient(points, np.ones(3), ints(1, 1, 2))[0].tolist() == [0, 2, 1]


def test_the_last_of_several_assignments_gets_the_derivative() -> None:
    x, at, u = np.zeros(3), ints(1, 1, 0, 1), np.array([5.0, 6, 7, 8])

    def f(x: ir.Value, at: ir.Value, u: ir.Value) -> ir.Value:
        return emit.square(scattered(assign)(x, at, u))

    assert evaluated(lambda *xs: [f(*xs)], x, at, u)[0].tolist() == [49, 64, 0]
    gx, gu = gradient(f, x, at, u)
    assert (gx.tolist(), gu.tolist()) == ([0, 0, 0], [0, 0, 14, 16])


def test_windows_that_overlap_in_part() -> None:
    f = scattered(assign, ((1,), (), (), (), (0,), 1))
    x, at, u = np.zeros(4), ints(0, 1), np.array([[1.0, 2], [3, 4]])
    assert evaluated(lambda *xs: [f(*xs)], x, at, u)[0].tolist() == [1, 3, 4, 0]
    gx, gu = gradient(f, x, at, u)
    assert (gx.tolist(), gu.tolist()) == ([0, 0, 0, 1], [[1, 0], [1, 1]])


@pytest.mark.parametrize(
    "x, u, of_x, of_u",
    [
        ([2.0, 1], [3.0, 5], [15, 1], [10, 6]),
        ([2.0, 1], [0.0, 5], [0, 1], [10, 0]),
        ([2.0, 1], [0.0, 0], [0, 1], [0, 0]),
        ([0.0, 1], [0.0, 5], [0, 1], [0, 0]),
        ([0.0, 1], [3.0, 5], [15, 1], [0, 0]),
    ],
)
def test_a_product_at_one_place_with_zeros(x: Any, u: Any, of_x: Any, of_u: Any) -> None:
    gx, gu = gradient(scattered(emit.mul), np.array(x), ints(0, 0), np.array(u))
    assert (gx.tolist(), gu.tolist()) == (of_x, of_u)


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("zeros", [0, 1, 2, 3, 4])
def test_second_derivatives_of_a_product_at_one_place_with_zeros(zeros: int) -> None:
    values = np.array([2.0, 3, 5, 7])
    values[:zeros] = 0

    def body(x: ir.Value, at: ir.Value, u: ir.Value, *directions: ir.Value) -> list[ir.Value]:
        gx, gu = adjoints(scattered(emit.mul)(x, at, u), [x, u])
        block = ir.InsertionPoint.current.block
        first = reverse_sweep(block, [(gx, emit.slice(directions[0], **_part(0, 1)))], [x, u])
        rest = [
            reverse_sweep(block, [(gu, emit.slice(d, **_part(1, 4)))], [x, u])
            for d in directions[1:]
        ]
        return [part for pair in (first, *rest) for part in pair]

    found = evaluated(body, values[:1], ints(0, 0, 0), values[1:], *np.eye(4))
    hessian = np.array([[*found[2 * i], *found[2 * i + 1]] for i in range(4)])
    wanted = [
        [0 if i == j else np.prod([v for k, v in enumerate(values) if k not in (i, j)])
         for j in range(4)] for i in range(4)
    ]  # fmt: skip
    assert hessian.tolist() == wanted


def _part(start: int, limit: int) -> dict[str, Any]:
    return {"start_indices": (start,), "limit_indices": (limit,), "strides": (1,)}


def test_a_product_of_many_at_a_few_places_is_that_of_numpy() -> None:
    random = np.random.default_rng(1)
    x, at, u = random.uniform(1, 2, 5), random.integers(0, 5, 37), random.uniform(0.5, 2, 37)
    wanted = [
        x[i] * np.prod([v for m, v in enumerate(u) if m != k and at[m] == i])
        for k, i in enumerate(at)
    ]
    np.testing.assert_allclose(
        gradient(scattered(emit.mul), x, at.astype(np.int32), u)[1], wanted, rtol=rounding(PROGRAM)
    )


@pytest.mark.parametrize("dims", [ROWS, ((0,), (1,), (), (), (1,), 1)])
def test_a_product_of_rows_and_of_columns(dims: Any) -> None:
    x = np.full((2, 2), 2.0)
    u = np.array([[3.0, 5], [7, 0]])
    u = u if dims == ROWS else u.T.copy()
    gx, gu = gradient(scattered(emit.mul, dims), x, ints(0, 0), u)
    wanted_x, wanted_u = np.array([[21.0, 0], [1, 1]]), np.array([[14.0, 0], [6, 10]])
    if dims != ROWS:
        wanted_x, wanted_u = wanted_x.T, wanted_u.T
    assert (gx.tolist(), gu.tolist()) == (wanted_x.tolist(), wanted_u.tolist())


@pytest.mark.parametrize("op", ["maximum", "minimum"])
def test_extremes_at_one_place_share_evenly_where_they_tie(op: str) -> None:
    sign = 1 if op == "maximum" else -1
    x, u = sign * np.array([4.0, 9, 1]), sign * np.array([4.0, 4, 3, 8, 2, 2])
    gx, gu = gradient(scattered(getattr(emit, op)), x, ints(0, 0, 0, 1, 2, 2), u)
    third = 1 / 3
    assert (gx.tolist(), gu.tolist()) == ([third, 1, 0], [third, third, 0, 0, 0.5, 0.5])


def test_an_extreme_with_nan_leaves_the_other_places_alone() -> None:
    gx, gu = gradient(scattered(emit.maximum), np.array([NAN, 1]), ints(0, 1), np.array([1.0, 2]))
    assert (gx[1], gu[1]) == (0, 1)


@pytest.mark.parametrize("order", ["new first", "old first"])
def test_the_body_may_name_its_arguments_in_any_order(order: str) -> None:
    def body(old: ir.Value, new: ir.Value) -> ir.Value:
        return emit.mul(new, old) if order == "new first" else emit.mul(old, new)

    gx, gu = gradient(scattered(body), np.array([2.0]), ints(0, 0), np.array([3.0, 0]))
    assert (gx.tolist(), gu.tolist()) == ([0], [0, 6])


def test_a_body_that_keeps_the_old_or_writes_a_constant() -> None:
    from_body = [lambda old, new: old, lambda old, new: emit.mul(emit.sub(new, new), new)]
    found = [gradient(scattered(f), np.ones(2), ints(0), np.full(1, 3.0)) for f in from_body]
    assert [(gx.tolist(), gu.tolist()) for gx, gu in found] == [([1, 1], [0]), ([0, 1], [0])]


def test_a_body_of_no_known_form_takes_one_index_after_another() -> None:
    def body(old: ir.Value, new: ir.Value) -> ir.Value:
        return emit.add(emit.mul(old, new), new)  # the order matters: by index

    x, at, u = np.array([2.0, 1]), ints(0, 0), np.array([3.0, 5])
    f = scattered(body)
    assert evaluated(lambda *xs: [f(*xs)], x, at, u)[0].tolist() == [50, 1]
    gx, gu = gradient(f, x, at, u)
    assert (gx.tolist(), gu.tolist()) == ([15, 1], [15, 10])


def test_a_body_of_no_known_form_with_batched_axes() -> None:
    def body(old: ir.Value, new: ir.Value) -> ir.Value:
        return emit.add(emit.mul(old, new), new)

    dims = (), (1,), (0,), (0,), (1,), 2
    x, at = np.array([[2.0, 1, 3], [4, 5, 6]]), np.array([[2, 2], [0, 9]], np.int32)
    u = np.array([[3.0, 5], [7, 8]])
    whole = gradient(scattered(body, dims), x, at, u)
    rows = [gradient(scattered(body), x[i], at[i], u[i]) for i in range(2)]
    for found, wanted in zip(whole, zip(*rows, strict=True), strict=True):
        assert found.tolist() == np.stack(wanted).tolist()


def test_a_body_of_no_known_form_at_too_many_places_says_what_to_do() -> None:
    def body(old: ir.Value, new: ir.Value) -> ir.Value:
        return emit.add(emit.mul(old, new), new)

    f = scattered(body)
    with pytest.raises(MissingRule, match="there are 65, more than 64; set unique_indices = true"):
        gradient(f, np.ones(2), np.zeros(65, np.int32), np.ones(65))
    unique = scattered(body, unique=True)
    gx, _ = gradient(unique, np.ones(65), np.arange(65, dtype=np.int32), np.full(65, 2.0))
    assert gx.tolist() == [2] * 65


PROMOTING = """
  func.func @f(%x: tensor<2xf32>, %at: tensor<2xi32>, %u: tensor<2xf32>) -> tensor<2xf64> {
    %y = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%old: tensor<f64>, %new: tensor<f64>):
        %z = "anvl.mul"(%old, %new) : (tensor<f64>, tensor<f64>) -> tensor<f64>
        stablehlo.return %z : tensor<f64>
    }) {scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
      : (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<2xf64>
    return %y : tensor<2xf64>
  }
"""


def test_a_body_that_computes_in_a_wider_dtype() -> None:
    with context():
        module = ir.Module.parse(PROMOTING)
        op = module.body.operations[0].regions[0].blocks[0].operations[0].operation

        def body(*xs: ir.Value) -> list[ir.Value]:
            copy = op.clone()
            for i, x in enumerate(xs):
                copy.operation.operands[i] = x
            y = copy.operation.result
            rules = type(copy)
            row = emit.reshape(xs[0], shape=(1, 2))
            params = rules.read(copy.operation)
            batched = rules.batch([row, *xs[1:]], [True, False, False], **params)
            return [y, *batched, *adjoints(y, [xs[0], xs[2]])]

        x, u = np.array([2, 1], np.float32), np.array([3, 5], np.float32)
        y, batched, gx, gu = evaluated(body, x, ints(0, 0), u)
    assert (y.tolist(), batched.tolist()) == ([30, 1], [[30, 1]])
    assert (gx.tolist(), gu.tolist()) == ([15, 1], [10, 6])
    assert (gx.dtype, gu.dtype) == (np.float32, np.float32)


# -- what cannot be built --------------------------------------------------------------------------


def _built(name: str, types: Sequence[np.ndarray], **params: Any) -> None:
    with context(), ir.Location.unknown():
        Program.of(
            lambda *xs: [OPS[name].build(*xs, **params)][:0],
            [type_of(np.asarray(x)) for x in types],
        )


X, AT = np.zeros((4, 3)), ints(0, 1)
U = np.zeros((2, 3))


@pytest.mark.parametrize(
    "operands, changes, message",
    [
        ([X, AT], {}, "takes n arrays, indices and n updates, got tensor<"),
        ([X, X[0], AT, U, U], {}, "inputs tensor<4x3xf64>, tensor<3xf64> must be of one shape"),
        ([X, X, AT, U, U[0]], {}, "updates tensor<2x3xf64>, tensor<3xf64> must be of one shape"),
        ([X, AT, U.astype(np.float32)], {}, "must have the dtype of its input tensor<4x3xf64>"),
        ([X, U, U], {}, "the tensor of indices is tensor<2x3xf64>; it must hold integers"),
        ([X, AT, U[:1]], {}, "require [2, 3], or less along update_window_dims [1]"),
        ([X, AT, np.zeros((2, 4))], {}, "require [2, 3], or less along update_window_dims [1]"),
        (
            [X, AT, U],
            {"update_window_dims": ()},
            "together must name all 2 axes of tensor<4x3xf64>",
        ),
        ([X, AT, U], {"update_window_dims": (2,)}, "2 is not an axis of the updates"),
        ([X, AT, U], {"inserted_window_dims": (2,)}, "2 is not an axis of tensor<4x3xf64>"),
        ([X, AT, U], {"index_vector_dim": 2}, "index_vector_dim 2 must be 0 to 1"),
        ([X, AT, U], {"index_vector_dim": 0}, "must name an axis for each of the 2 components"),
        ([X, AT, U], {"scatter_dims_to_operand_dims": (2,)}, "2 is not an axis of tensor<4x3xf64>"),
        ([X, AT, U], {"scatter_indices_batching_dims": (0,)}, "must have equally many entries"),
        (
            [X, np.zeros((2, 0), np.int32), U],
            {"scatter_dims_to_operand_dims": ()},
            "holds 2 index vectors of no components",
        ),
    ],
)
def test_scatter_says_what_does_not_fit(
    operands: Any, changes: dict[str, Any], message: str
) -> None:
    dims = ScatterDims(*ROWS)._replace(**changes)
    with pytest.raises(TypeError) as caught:
        _built(
            "stablehlo.scatter", operands, scatter_dimension_numbers=dims,
            update_computation=emit.add,
        )  # fmt: skip
    assert str(caught.value).startswith("scatter: ")
    assert message in str(caught.value)


def test_the_body_of_a_scatter_returns_what_it_must() -> None:
    with pytest.raises(TypeError, match="returns tensor<i1> but must return tensor<f64>"):
        _built(
            "stablehlo.scatter",
            [X, AT, U],
            scatter_dimension_numbers=ScatterDims(*ROWS),
            update_computation=lambda old, new: emit.is_finite(new),
        )


def test_gather_from_an_empty_axis_says_so() -> None:
    with pytest.raises(TypeError, match="there is no element to fill it with"):
        _built(
            "anvl.gather",
            [np.zeros((0, 3)), AT],
            dimension_numbers=GatherDims(*ROWS),
            slice_sizes=(0, 3),
        )
