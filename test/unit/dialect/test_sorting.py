"""Orders where they are not plain: ties, NaN, signed zeros, stability, several keys."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_corners import INF, NAN, evaluated, gradient

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import element_type, numpy_dtype, tensor
from anvl.dialect.interpreters.subprogram import Program
from anvl.dialect.ops.array.sorting import argsort, taken_along


def comparing(direction: str) -> Callable[..., Any]:
    """A comparator of the first arrays."""

    def first(x: Any, y: Any, *_: Any) -> Any:
        return emit.compare(x, y, comparison_direction=direction)

    return first


def by_two_keys(a: Any, b: Any, c: Any, d: Any, *_: Any) -> Any:
    """The first key; among its equals, the second."""
    lower = emit.compare(a, b, comparison_direction="LT")
    equal = emit.compare(a, b, comparison_direction="EQ")
    return getattr(emit, "or")(lower, getattr(emit, "and")(equal, comparing("LT")(c, d)))


ASCENDING, DESCENDING = comparing("LT"), comparing("GT")


def sort(*xs: Any, comparator: Any = ASCENDING, axis: int = 0, is_stable: bool = True) -> Any:
    return emit.sort(*xs, dimension=axis, is_stable=is_stable, comparator=comparator)


# -- sort ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction, wanted", [("LT", [1, 4, 0, 3, 2]), ("GT", [2, 0, 3, 1, 4])])
def test_a_stable_sort_leaves_equals_in_order(direction: str, wanted: list[int]) -> None:
    x, places = np.array([2.0, 1.0, 3.0, 2.0, 1.0]), np.arange(5)
    comparator = comparing(direction)
    _, order = evaluated(lambda x, n: sort(x, n, comparator=comparator), x, places)
    assert order.tolist() == wanted


def test_a_stable_sort_of_many_equals() -> None:
    x, places = np.arange(1000) % 7, np.arange(1000)
    found, order = evaluated(sort, x, places)
    assert order.tolist() == np.argsort(x, kind="stable").tolist()
    assert found.tolist() == sorted(x)


def test_the_second_key_decides_among_equals_of_the_first() -> None:
    first, second = np.array([2.0, 1.0, 2.0, 1.0]), np.array([3.0, 9.0, 1.0, 8.0])
    xs = evaluated(lambda *xs: sort(*xs, comparator=by_two_keys), first, second, np.arange(4))
    assert [x.tolist() for x in xs] == [[1, 1, 2, 2], [8, 9, 1, 3], [3, 1, 2, 0]]


def test_the_cotangents_of_ties_go_where_each_of_them_was() -> None:
    def f(x: Any, v: Any) -> Any:
        weights = emit.convert(emit.iota(iota_dimension=0, shape=(4,), dtype="i32"), dtype="f64")
        return emit.mul(sort(x, v)[1], weights)

    _, v = gradient(f, np.array([2.0, 1.0, 2.0, 1.0]), np.zeros(4))
    assert v.tolist() == [2, 0, 3, 1]


def test_a_result_that_nothing_uses_needs_no_cotangent() -> None:
    x, v = gradient(lambda x, v: sort(x, v)[0], np.array([2.0, 1.0]), np.zeros(2))
    assert x.tolist() == [1, 1]
    assert v.tolist() == [0, 0]


def test_infinities_and_values_of_nan_that_the_comparator_does_not_see() -> None:
    x, v = np.array([INF, -INF, 0.0]), np.array([NAN, 1.0, 2.0])
    found = evaluated(sort, x, v)
    np.testing.assert_array_equal(found, [[-INF, 0, INF], [1, 2, NAN]])


def test_a_total_order_says_where_nan_goes() -> None:
    def nan_last(x: Any, y: Any) -> Any:
        is_nan = emit.compare(y, y, comparison_direction="NE")
        x_is_number = emit.compare(x, x, comparison_direction="EQ")
        return getattr(emit, "or")(ASCENDING(x, y), getattr(emit, "and")(x_is_number, is_nan))

    x = np.array([NAN, 1.0, -INF, NAN, 0.5])
    (found,) = evaluated(lambda x: sort(x, comparator=nan_last), x)
    np.testing.assert_array_equal(found, np.sort(x))
    (g,) = gradient(lambda x: emit.slice(
        sort(x, comparator=nan_last)[0], start_indices=(0,), limit_indices=(2,), strides=(1,)
    ), x)  # fmt: skip
    assert g.tolist() == [0, 0, 1, 0, 1]


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i8", "ui64", "bool"])
def test_sorting_every_kind_of_elements(dtype: str) -> None:
    x = np.array([3, 0, 1, 2], numpy_dtype(dtype))
    (found,) = evaluated(sort, x)
    np.testing.assert_array_equal(found, np.sort(x.astype(float)).astype(x.dtype))


def test_argsort() -> None:
    x = np.array([[2.0, 1.0, 2.0], [0.0, -1.0, -1.0]])

    def f(x: Any) -> Any:
        order = argsort(x, 1, DESCENDING)
        return [order, taken_along(x, order, 1)]

    order, ordered = evaluated(f, x)
    assert order.tolist() == [[0, 2, 1], [0, 1, 2]]
    assert ordered.tolist() == [[2, 2, 1], [0, -1, -1]]


# -- top_k -----------------------------------------------------------------------------------------


def test_top_k_takes_the_first_of_equals() -> None:
    x = np.array([1.0, 5.0, 5.0, 0.0, 5.0])
    values, indices = evaluated(lambda x: emit.top_k(x, k=2), x)
    assert (values.tolist(), indices.tolist()) == ([5, 5], [1, 2])
    (g,) = gradient(lambda x: emit.top_k(x, k=2)[0], x)
    assert g.tolist() == [0, 1, 1, 0, 0]


def test_top_k_has_nan_above_and_the_zeros_by_sign() -> None:
    x = np.array([-0.0, INF, 0.0, NAN, -INF])
    values, indices = evaluated(lambda x: emit.top_k(x, k=5), x)
    assert indices.tolist() == [3, 1, 2, 0, 4]
    np.testing.assert_array_equal(values, x[indices])


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i8", "ui8", "ui64", "bool"])
def test_top_k_of_every_kind_of_elements(dtype: str) -> None:
    x = np.array([1, 0, 1, 0], numpy_dtype(dtype))
    values, indices = evaluated(lambda x: emit.top_k(x, k=3), x)
    assert indices.tolist() == [0, 2, 1]
    assert values.dtype == x.dtype


# -- what the type rules of borrowed ops refuse ----------------------------------------------------


def refused(f: Callable[[], Any]) -> str:
    with context(), ir.Location.unknown(), pytest.raises(TypeError) as caught:
        f()
    return str(caught.value)


def test_sort_refuses_what_it_cannot_sort() -> None:
    f32 = element_type("f32")
    rule = OPS["stablehlo.sort"].result_type
    two, three = tensor((2,), f32), tensor((3,), f32)
    assert refused(rule) == "sort: takes at least one array, got none"
    assert refused(lambda: rule(two, three, dimension=0)).startswith(
        "sort: arrays tensor<2xf32>, tensor<3xf32> differ in shape"
    )
    assert refused(lambda: rule(two, dimension=1)) == (
        "sort: dimension 1 is not an axis of tensor<2xf32>, which has -1 to 0"
    )
    assert refused(lambda: rule(tensor((), f32), dimension=0)).endswith("no axes to sort along")


def test_a_comparator_gives_one_bool() -> None:
    x = tensor((2,), element_type("f32"))
    message = refused(lambda: Program.of(lambda x: sort(x, comparator=lambda a, b: a), [x]))
    assert message == "sort: comparator returns tensor<f32> but must return tensor<i1>"


def test_map_refuses_what_it_cannot_map() -> None:
    f32 = element_type("f32")
    rule = OPS["stablehlo.map"].result_type
    two, three = tensor((2,), f32), tensor((3,), f32)
    assert refused(lambda: rule(dimensions=(), dtype="f32")).startswith("map: takes at least one")
    assert "differ in shape" in refused(lambda: rule(two, three, dimensions=(0,), dtype="f32"))
    assert refused(lambda: rule(two, dimensions=(1,), dtype="f32")) == (
        "map: dimensions [1] must be [0], all axes of tensor<2xf32> in order"
    )


def test_a_custom_call_names_its_routine_where_it_refuses() -> None:
    def call(x: Any, target: str = "my_routine") -> Any:
        return emit.custom_call(x, call_target_name=target, result_types=(x.type,))[0]

    with pytest.raises(MissingRule, match="no derivative of the routine 'my_routine'"):
        gradient(call, np.zeros(2))
    x = tensor((2,), element_type("f32"))
    assert refused(lambda: Program.of(lambda x: [call(x, "")], [x])).startswith(
        "custom_call: call_target_name is empty"
    )


# -- bits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm, size", [("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2)]
)
def test_bits_are_drawn_on_from_the_state(algorithm: str, size: int) -> None:
    def draw(state: Any) -> Any:
        return emit.rng_bit_generator(state, rng_algorithm=algorithm, shape=(64,), dtype="ui32")

    def twice(state: Any) -> Any:
        after, first = draw(state)
        return [first, draw(state)[1], draw(after)[1]]

    first, again, second = evaluated(twice, np.arange(size).astype(np.uint64))
    assert first.tolist() == again.tolist()
    assert len({*first.tolist(), *second.tolist()}) > 120
