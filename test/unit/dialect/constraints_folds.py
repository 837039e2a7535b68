"""What ops with bodies of scalars refuse, and those that order: `reduce`, `map`, `sort`, `top_k`."""

from typing import Any

from constraints import Row, about

from anvl.dialect.core.op import emit
from anvl.dialect.core.params.index_params import ScatterDims


def folds(rule: str, operands: str, says: str, dimensions: Any = (0,), body: Any = emit.add) -> Row:
    params = {"dimensions": dimensions, "body": body}
    return Row("reduce", rule, operands, says, params, only=about(says, "body"))


def maps(
    rule: str, operands: str, says: str, dimensions: Any = (0,), dtype: Any = "f32",
    computation: Any = emit.sin,
) -> Row:  # fmt: skip
    params = {"dimensions": dimensions, "computation": computation, "dtype": dtype}
    return Row("map", rule, operands, says, params, only=about(says, "computation"))


def less(x: Any, y: Any, *_: Any) -> Any:
    return emit.compare(x, y, comparison_direction="LT")


def sorts(
    rule: str, operands: str, says: str, dimension: Any = 0, comparator: Any = less, **rest: Any
) -> Row:
    params = {"dimension": dimension, "comparator": comparator, **rest}
    return Row("sort", rule, operands, says, params, only=about(says, "comparator"))


# fmt: off
REDUCE = [
    folds("C1", "2x3xf32 2x4xf32 f32 f32", "arrays tensor<2x3xf32>, tensor<2x4xf32> differ in shape"),
    folds("C2", "2x3xf32 i32", "initial value tensor<i32> of array tensor<2x3xf32> must be tensor<f32>"),
    folds("I2", "2x3xf32 3xf32", "initial value tensor<3xf32> of array tensor<2x3xf32> must be tensor<f32>"),
    folds("C3", "2x3xf32", "takes one initial value per array, got tensor<2x3xf32>"),
    folds("C3", "", "takes one initial value per array, got none"),
    folds("C4", "2x3xf32 f32", "dimensions [2]: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1", (2,)),
    folds("C4", "2x3xf32 f32", "dimensions [-1]: -1 is not an axis of tensor<2x3xf32>", (-1,)),
    folds("C5", "2x3xf32 f32", "dimensions [1, 1] repeat an axis of tensor<2x3xf32>; name each once", (1, 1)),
    folds("C6", "2x3xf32 f32", "body returns tensor<i1> but must return tensor<f32>", body=less),
    folds("C6", "2x3xf32 f32", "body returns tensor<1xf32> but must return tensor<f32>", body=lambda x, y: emit.reshape(x, shape=(1,))),
    folds("C6", "2x3xf32 2x3xi32 f32 i32", "body returns tensor<f32> but must return tensor<f32>, tensor<i32>", body=lambda *v: v[0]),
    folds("C6", "2x3xf32 2x3xi32 f32 i32", "body returns tensor<i32>, tensor<f32> but must return tensor<f32>, tensor<i32>", body=lambda *v: (v[1], v[0])),
    folds("C6", "2x3xf32 f32", "body takes (x) but is called with 2 scalars, tensor<f32>, tensor<f32>", body=lambda x: x),
    folds("C6", "2x3xf32 f32", "body takes (x, y, z) but is called with 2 scalars, tensor<f32>, tensor<f32>", body=lambda x, y, z: x),
    folds("C6", "2x3xf32 f32", "body returns None of type NoneType but must return tensor<f32>, made of its arguments", body=lambda x, y: None),
    folds("I3", "2x3xf32 f32", "dimensions is 'rows'; it must be a tuple of integers", "rows"),
    folds("I4", "2x3xf32 f32", "body is 'add'; it must be a function of scalars", body="add"),
]

MAP = [
    maps("C1", "2xf32 3xf32", "arrays tensor<2xf32>, tensor<3xf32> differ in shape; broadcast them to one"),
    maps("C2", "", "takes at least one array, got none", ()),
    maps("C3", "2x3xf32", "dimensions [0] must be [0, 1], all axes of tensor<2x3xf32> in order", (0,)),
    maps("C3", "2x3xf32", "dimensions [1, 0] must be [0, 1], all axes of tensor<2x3xf32> in order", (1, 0)),
    maps("C4", "2xf32", "computation returns tensor<f32> but must return tensor<f64>", dtype="f64"),
    maps("C4", "2xf32", "computation returns tensor<f32>, tensor<f32> but must return tensor<f32>", computation=lambda x: (x, x)),
    maps("C4", "2xf32 2xi32", "computation takes (x) but is called with 2 scalars, tensor<f32>, tensor<i32>", computation=lambda x: x),
    maps("I2", "2xf32", "dimensions is (0.0,); it must be a tuple of integers", (0.0,)),
    maps("I3", "2xf32", "computation is 0; it must be a function of scalars", computation=0),
    Row("map", "result", "2xf32", "dtype is 'f31'; use one of bool, i4, i8,", {"dimensions": (0,), "computation": emit.sin, "dtype": "f31"}, only="python"),
]

SORT = [
    sorts("C1", "", "takes at least one array, got none"),
    sorts("C3", "2x3xf32 2x4xf32", "arrays tensor<2x3xf32>, tensor<2x4xf32> differ in shape; broadcast them to one"),
    sorts("C4", "2x3xf32", "dimension 2 is not an axis of tensor<2x3xf32>, which has -2 to 1", 2),
    sorts("C4", "2x3xf32", "dimension -3 is not an axis of tensor<2x3xf32>, which has -2 to 1", -3),
    sorts("C4", "f32", "dimension 0 is not an axis of tensor<f32>, which has no axes to sort along", 0),
    sorts("C5", "2x3xf32", "comparator returns tensor<f32> but must return tensor<i1>", comparator=lambda x, y: x),
    sorts("C5", "2x3xf32", "comparator returns tensor<i1>, tensor<i1> but must return tensor<i1>", comparator=lambda x, y: [less(x, y)] * 2),
    sorts("C5", "2x3xf32", "comparator returns True of type bool but must return tensor<i1>, made of its arguments", comparator=lambda x, y: True),
    sorts("C5", "2x3xf32 2x3xi32", "comparator takes (x, y) but is called with 4 scalars, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>", comparator=lambda x, y: less(x, y)),
    sorts("C5", "2x3xf32", "comparator takes (x, y, z) but is called with 2 scalars, tensor<f32>, tensor<f32>", comparator=lambda x, y, z: less(x, y)),
    sorts("I2", "2x3xf32", "dimension is 'last'; it must be an integer", "last"),
    sorts("I3", "2x3xf32", "is_stable is 'yes'; it must be True or False", is_stable="yes"),
    sorts("I4", "2x3xf32", "comparator is 'LT'; it must be a function of scalars", comparator="LT"),
    Row("top_k", "rank", "f32", "tensor<f32> has no axis to search along; reshape it to one of size 1", {"k": 0}),
    Row("top_k", "k", "2x3xf32", "k is 4, but the last axis of tensor<2x3xf32> has 3 elements; take 0 to 3 of them", {"k": 4}),
    Row("top_k", "k", "2x3xf32", "k is -1, but the last axis of tensor<2x3xf32> has 3 elements", {"k": -1}),
    Row("top_k", "k", "2x3xf32", "k is None; it must be an integer", {"k": None}, only="python"),
    Row("top_k", "operand", "3xcomplex<f32>", "operand is tensor<3xcomplex<f32>>; it takes elements of kind bool, int, uint or float", {"k": 1}),
    Row("top_k", "results", "2x3xf32", "result is tensor<2x1xf32>, tensor<2x1xi64> but the operands give tensor<2x1xf32>, tensor<2x1xi32>", {"k": 1}, results="2x1xf32 2x1xi64"),
]
# fmt: on


# The results of StableHLO's own ops, which its verifier refuses.
def _claims(op: str, rule: str, operands: str, results: str, **params: Any) -> Row:
    return Row(op, rule, operands, "", params, results)


_FOLD = {"dimensions": (1,), "body": emit.add}
_WINDOW = {"window_dimensions": (2, 3), "body": emit.add}
_PICK = {"window_dimensions": (2, 3), "select": less, "scatter": emit.add}
_POINTS = {
    "scatter_dimension_numbers": ScatterDims((), (0,), (), (), (0,), 1),
    "update_computation": emit.add,
}
RESULTS = [
    _claims("concatenate", "C5", "2xf32 3xf32", "5xf64", dimension=0),
    _claims("concatenate", "C6", "2xf32 3xf32", "6xf32", dimension=0),
    _claims("optimization_barrier", "C1", "2xf32 3xi32", "2xf32 3xf32"),
    _claims("reduce", "C7", "2x3xf32 f32", "3xf32", **_FOLD),
    _claims("reduce", "C8", "2x3xf32 f32", "2xf64", **_FOLD),
    _claims("reduce_window", "C14", "4x5xf32 4x5xf32 f32 f32", "3x3xf32 3x4xf32", **_WINDOW),
    _claims("reduce_window", "C15", "4x5xf32 f32", "4x5xf32", **_WINDOW),
    _claims("reduce_window", "C16", "4x5xf32 f32", "3x3xf64", **_WINDOW),
    _claims("scatter", "C24", "5xf32 4x1xi32 4xf32", "4xf32", **_POINTS),
    _claims("scatter", "C25", "5xf32 4x1xi32 4xf32", "5xf64", **_POINTS),
    _claims("select_and_scatter", "C11", "4x5xf32 3x3xf32 f32", "3x3xf32", **_PICK),
    _claims("select_and_scatter", "C12", "4x5xf32 3x3xf32 f32", "4x5xf64", **_PICK),
    _claims("map", "C1", "2xf32", "3xf32", dimensions=(0,), computation=emit.sin, dtype="f32"),
    _claims("sort", "C2", "2x3xf32", "2x3xf64", dimension=0, comparator=less),
]

ROWS = [*REDUCE, *MAP, *SORT, *RESULTS]
