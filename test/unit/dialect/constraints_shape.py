"""What ops that make arrays, move elements or rewrite them refuse."""

from typing import Any

from constraints import Row


def pad(rule: str, operands: str, says: str, low: Any, high: Any, inner: Any, **rest: Any) -> Row:
    params = {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inner}
    return Row("pad", rule, operands, says, params, **rest)


def cut(rule: str, says: str, start: Any, limit: Any, strides: Any, **rest: Any) -> Row:
    params = {"start_indices": start, "limit_indices": limit, "strides": strides}
    return Row("slice", rule, "5x3xf32", says, params, **rest)


def repeated(rule: str, operands: str, says: str, shape: Any, axes: Any, **rest: Any) -> Row:
    params = {"shape": shape, "broadcast_dimensions": axes}
    return Row("broadcast_in_dim", rule, operands, says, params, **rest)


def counted(rule: str, says: str, dimension: Any, shape: Any, dtype: Any, **rest: Any) -> Row:
    params = {"iota_dimension": dimension, "shape": shape, "dtype": dtype}
    return Row("iota", rule, "", says, params, **rest)


def sized(rule: str, operands: str, says: str, dimension: Any, **rest: Any) -> Row:
    return Row("get_dimension_size", rule, operands, says, {"dimension": dimension}, **rest)


def resized(rule: str, says: str, size: Any, dimension: Any, **rest: Any) -> Row:
    params = {"size": size, "dimension": dimension}
    return Row("set_dimension_size", rule, "5x3xf32", says, params, **rest)


_DTYPES = "use one of bool, i4, i8,"

# fmt: off
CREATE = [
    counted("C1", "iota_dimension 2: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1", 2, (2, 3), "f32"),
    counted("C1", "iota_dimension -1: -1 is not an axis of tensor<2x3xf32>", -1, (2, 3), "f32"),
    counted("C1", "iota_dimension 0: 0 is not an axis of tensor<f32>, which has no axes", 0, (), "f32"),
    counted("I1", "iota_dimension is 'x'; it must be an integer", "x", (2, 3), "f32", only="python"),
    counted("I1", "iota_dimension is True; it must be an integer", True, (2, 3), "f32", only="python"),
    counted("result", "result is tensor<2xi1>; its elements must be numbers", 0, (2,), "bool"),
    counted("result", "shape is (-2,); sizes must not be negative", 0, (-2,), "f32", only="python"),
    counted("result", "shape is (2.0,); it must be a tuple of integers", 0, (2.0,), "f32", only="python"),
    counted("result", f"dtype is 'float33'; {_DTYPES}", 0, (2,), "float33", only="python"),
    counted("result", f"dtype is None; {_DTYPES}", 0, (2,), None, only="python"),
    Row("captured", "index", "", "index -1 is negative; arrays are numbered from 0", {"index": -1, "shape": (2,), "dtype": "f32"}),
    Row("constant", "I1", "", "value must be dense<...> of a tensor type, got 3.0", {"value": 3.0}, only="python"),
]

SHAPE = [
    Row("convert", "C1", "2x3xf32", "result is tensor<3x2xf64> but the operands give tensor<2x3xf64>", {"dtype": "f64"}, results="3x2xf64"),
    Row("convert", "result", "2x3xf32", f"dtype is 'c65'; {_DTYPES}", {"dtype": "c65"}, only="python"),
    Row("bitcast_convert", "C1", "2x3xi32", "tensor<2x3xi32> to i64 needs a last axis of size 2", {"dtype": "i64"}),
    Row("bitcast_convert", "C1", "i8", "tensor<i8> to i32 needs a last axis of size 4", {"dtype": "i32"}),
    Row("bitcast_convert", "C1", "2x3xi32", "result is tensor<2x3x2xi8> but the operands give tensor<2x3x4xi8>", {"dtype": "i8"}, results="2x3x2xi8"),
    Row("bitcast_convert", "C1", "2x3xi32", "result is tensor<3x2xf32> but the operands give tensor<2x3xf32>", {"dtype": "f32"}, results="3x2xf32"),
    Row("bitcast_convert", "C2", "2xcomplex<f32>", "tensor<2xcomplex<f32>> to i64: c64 has no bits to read; use a number dtype", {"dtype": "i64"}),
    Row("bitcast_convert", "C2", "2xi64", "tensor<2xi64> to c64: c64 has no bits to read; use a number dtype", {"dtype": "c64"}),
    Row("bitcast_convert", "C2", "8xi1", "tensor<8xi1> to i8: bool has no bits to read; use a number dtype", {"dtype": "i8"}),
    repeated("C1", "3xf32", "result is tensor<2x3xf64> but the operands give tensor<2x3xf32>", (2, 3), (1,), results="2x3xf64"),
    repeated("C2", "3xf32", "broadcast_dimensions [0, 1] must name one axis of the result for each axis of tensor<3xf32>", (2, 3), (0, 1)),
    repeated("C3", "3xf32", "broadcast_dimensions [2] of tensor<3xf32>: 2 is not an axis of [2, 3], which has axes 0 to 1", (2, 3), (2,)),
    repeated("C3", "3xf32", "broadcast_dimensions [-1] of tensor<3xf32>: -1 is not an axis of [2, 3]", (2, 3), (-1,)),
    repeated("C4", "3x3xf32", "broadcast_dimensions [1, 1] of tensor<3x3xf32> repeat an axis of [2, 3]; name each once", (2, 3), (1, 1)),
    repeated("C5", "3xf32", "tensor<3xf32> does not broadcast to [2, 3] along [0]: size 3 meets 2", (2, 3), (0,)),
    repeated("I2", "3xf32", "broadcast_dimensions is 'all'; it must be a tuple of integers", (2, 3), "all", only="python"),
    repeated("result", "1xf32", "shape is (-3,); sizes must not be negative", (-3,), (0,), only="python"),
    Row("reshape", "C1", "2x3xf32", "result is tensor<6xf64> but the operands give tensor<6xf32>", {"shape": (6,)}, results="6xf64"),
    Row("reshape", "C2", "2x3xf32", "tensor<2x3xf32> has 6 elements but shape [4] has 4", {"shape": (4,)}),
    Row("reshape", "C2", "2x3xf32", "shape is (-2, -3); sizes must not be negative", {"shape": (-2, -3)}, only="python"),
    Row("transpose", "C1", "2x3xf32", "result is tensor<3x2xf64> but the operands give tensor<3x2xf32>", {"permutation": (1, 0)}, results="3x2xf64"),
    Row("transpose", "C2", "2x3xf32", "permutation [0, 0] does not name each axis of tensor<2x3xf32> once", {"permutation": (0, 0)}),
    Row("transpose", "C2", "2x3xf32", "permutation [1] does not name each axis of tensor<2x3xf32> once", {"permutation": (1,)}),
    Row("transpose", "C2", "2x3xf32", "permutation [0, 2] does not name each axis of tensor<2x3xf32> once", {"permutation": (0, 2)}),
    Row("transpose", "C2", "2x3xf32", "permutation [-1, 0] does not name each axis of tensor<2x3xf32> once", {"permutation": (-1, 0)}),
    Row("transpose", "C3", "2x3xf32", "result is tensor<2x3xf32> but the operands give tensor<3x2xf32>", {"permutation": (1, 0)}, results="2x3xf32"),
    Row("transpose", "I2", "2x3xf32", "permutation is (1, 'x'); it must be a tuple of integers", {"permutation": (1, "x")}, only="python"),
    Row("reverse", "C1", "2x3xf32", "result is tensor<3x2xf32> but the operands give tensor<2x3xf32>", {"dimensions": (1,)}, results="3x2xf32"),
    Row("reverse", "C2", "2x3xf32", "dimensions [1, 1] repeat an axis of tensor<2x3xf32>; name each once", {"dimensions": (1, 1)}),
    Row("reverse", "C3", "2x3xf32", "dimensions [2]: 2 is not an axis of tensor<2x3xf32>", {"dimensions": (2,)}),
    Row("reverse", "C3", "2x3xf32", "dimensions [-1]: -1 is not an axis of tensor<2x3xf32>", {"dimensions": (-1,)}),
    Row("reverse", "I2", "2x3xf32", "dimensions is None; it must be a tuple of integers", {"dimensions": None}, only="python"),
]

SLICE = [
    sized("C1", "2x3xf32", "dimension 2: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1", 2),
    sized("C1", "2x3xf32", "dimension -1: -1 is not an axis of tensor<2x3xf32>", -1),
    sized("I2", "2x3xf32", "dimension is 'x'; it must be an integer", "x", only="python"),
    resized("size", "size 4 must be from 0 to 3, the size of axis 1 of tensor<5x3xf32>; pad it first", 4, 1),
    resized("size", "size -1 must be from 0 to 3", -1, 1),
    resized("dimension", "dimension 2: 2 is not an axis of tensor<5x3xf32>", 1, 2),
    cut("C1", "result is tensor<5x3xf64> but the operands give tensor<5x3xf32>", (0, 0), (5, 3), (1, 1), results="5x3xf64"),
    cut("C2", "start_indices [0], limit_indices [5, 3] and strides [1, 1] must each have one entry for each axis of tensor<5x3xf32>", (0,), (5, 3), (1, 1)),
    cut("C2", "start_indices [0, 0], limit_indices [5] and strides [1, 1] must each have one entry for each axis of tensor<5x3xf32>", (0, 0), (5,), (1, 1)),
    cut("C2", "start_indices [0, 0], limit_indices [5, 3] and strides [] must each have one entry for each axis of tensor<5x3xf32>", (0, 0), (5, 3), ()),
    cut("C3", "-1:5:1 does not fit axis 0 of tensor<5x3xf32>; it takes 0 <= start <= limit <= 5 and a stride of at least 1", (-1, 0), (5, 3), (1, 1)),
    cut("C3", "0:4:1 does not fit axis 1 of tensor<5x3xf32>; it takes 0 <= start <= limit <= 3", (0, 0), (5, 4), (1, 1)),
    cut("C3", "3:2:1 does not fit axis 0 of tensor<5x3xf32>", (3, 0), (2, 3), (1, 1)),
    cut("C4", "0:5:0 does not fit axis 0 of tensor<5x3xf32>; it takes 0 <= start <= limit <= 5 and a stride of at least 1", (0, 0), (5, 3), (0, 1)),
    cut("C4", "0:3:-1 does not fit axis 1 of tensor<5x3xf32>", (0, 0), (5, 3), (1, -1)),
    cut("C5", "result is tensor<2x3xf32> but the operands give tensor<3x3xf32>", (0, 0), (5, 3), (2, 1), results="2x3xf32"),
    cut("I2", "start_indices is (0, None); it must be a tuple of integers", (0, None), (5, 3), (1, 1), only="python"),
    cut("I3", "limit_indices is (5, 3.0); it must be a tuple of integers", (0, 0), (5, 3.0), (1, 1), only="python"),
    cut("I4", "strides is (1, 18446744073709551616); it must be a tuple of integers that fit into 64 bits", (0, 0), (5, 3), (1, 2**64), only="python"),
]

PAD = [
    pad("C1", "2x3xf32 f64", "padding_value is tensor<f64>; it must be tensor<f32>", (0, 0), (0, 0), (0, 0)),
    pad("C1", "2x3xf32 f32", "result is tensor<2x3xf64> but the operands give tensor<2x3xf32>", (0, 0), (0, 0), (0, 0), results="2x3xf64"),
    pad("I2", "2x3xf32 1xf32", "padding_value is tensor<1xf32>; it must be tensor<f32>", (0, 0), (0, 0), (0, 0)),
    pad("C2", "2x3xf32 f32", "edge_padding_low [0], edge_padding_high [0, 0] and interior_padding [0, 0] must each have one entry for each axis of tensor<2x3xf32>", (0,), (0, 0), (0, 0)),
    pad("C2", "2x3xf32 f32", "edge_padding_low [0, 0], edge_padding_high [0, 0, 0] and interior_padding [0, 0] must each have one entry for each axis of tensor<2x3xf32>", (0, 0), (0, 0, 0), (0, 0)),
    pad("C2", "2x3xf32 f32", "edge_padding_low [0, 0], edge_padding_high [0, 0] and interior_padding [] must each have one entry for each axis of tensor<2x3xf32>", (0, 0), (0, 0), ()),
    pad("C3", "2x3xf32 f32", "interior_padding [0, -1] of tensor<2x3xf32> must not be negative", (0, 0), (0, 0), (0, -1)),
    pad("C4", "2x3xf32 f32", "edge paddings [-2, 0] and [-1, 0] cut more from tensor<2x3xf32> than it has", (-2, 0), (-1, 0), (0, 0)),
    pad("C4", "2x3xf32 f32", "result is tensor<3x3xf32> but the operands give tensor<4x3xf32>", (1, 0), (1, 0), (0, 0), results="3x3xf32"),
    pad("C4", "2xf32 f32", "shape [13835058055282163713] is not the shape of an array; sizes must be integers from 0 to 9223372036854775807", (2**62,), (2**62,), (2**62 - 1,), only="python"),
    pad("I3", "2x3xf32 f32", "edge_padding_low is (0, 'x'); it must be a tuple of integers", (0, "x"), (0, 0), (0, 0), only="python"),
    pad("I4", "2x3xf32 f32", "edge_padding_high is ((0, 0), (0, 0)); it must be a tuple of integers", (0, 0), ((0, 0), (0, 0)), (0, 0), only="python"),
    pad("I5", "2x3xf32 f32", "interior_padding is (0, False); it must be a tuple of integers", (0, 0), (0, 0), (0, False), only="python"),
]

CONCATENATE = [
    Row("concatenate", "C1", "2xf32 2xf64", "operands tensor<2xf32>, tensor<2xf64> may differ only along axis 0; convert them to one dtype first", {"dimension": 0}),
    Row("concatenate", "C2", "2x3xf32 2x4xf32", "operands tensor<2x3xf32>, tensor<2x4xf32> may differ only along axis 0; reshape, slice or pad them first", {"dimension": 0}),
    Row("concatenate", "C2", "2x3xf32 2xf32", "operands tensor<2x3xf32>, tensor<2xf32> may differ only along axis 0", {"dimension": 0}),
    Row("concatenate", "C3", "", "needs at least one operand", {"dimension": 0}),
    Row("concatenate", "C4", "2x3xf32 2x3xf32", "dimension 2: 2 is not an axis of tensor<2x3xf32>", {"dimension": 2}),
    Row("concatenate", "C4", "2x3xf32 2x3xf32", "dimension -1: -1 is not an axis of tensor<2x3xf32>", {"dimension": -1}),
    Row("concatenate", "C4", "f32 f32", "dimension 0: 0 is not an axis of tensor<f32>, which has no axes", {"dimension": 0}),
    Row("concatenate", "I2", "2x3xf32 2x3xf32", "dimension is (0,); it must be an integer", {"dimension": (0,)}, only="python"),
]
# fmt: on

ROWS = [*CREATE, *SHAPE, *SLICE, *PAD, *CONCATENATE]
