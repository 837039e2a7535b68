"""What ops of matrices, of complex numbers and of statistics refuse, and those of few kinds."""

from typing import Any

from constraints import Row, of_fields

from anvl.dialect.core.params.base import DotDims
from anvl.dialect.core.params.ragged_params import RaggedDims


def dot(rule: str, operands: str, says: str, *dims: Any, only: str = "", **rest: Any) -> Row:
    params = {"dot_dimension_numbers": DotDims(*dims), **rest}
    return Row("dot_general", rule, operands, says, params, only=only)


def ragged(rule: str, operands: str, says: str, *dims: Any, only: str = "", **rest: Any) -> Row:
    results, error = rest.pop("results", ""), rest.pop("error", TypeError)
    params = {"ragged_dot_dimension_numbers": RaggedDims(*dims), **rest}
    return Row("ragged_dot", rule, operands, says, params, results, only, error)


def solves(rule: str, operands: str, says: str, *, left: Any = True, **rest: Any) -> Row:
    params = {
        "left_side": left, "lower": True, "unit_diagonal": False, "transpose_a": "NO_TRANSPOSE",
    }  # fmt: skip
    results, only = rest.pop("results", ""), rest.pop("only", "")
    error = rest.pop("error", TypeError)
    return Row("triangular_solve", rule, operands, says, params | rest, results, only, error)


def norm(op: str, rule: str, operands: str, says: str, **rest: Any) -> Row:
    params = {k: rest.pop(k, d) for k, d in (("epsilon", 0.125), ("feature_index", 1))}
    return Row(f"batch_norm_{op}", rule, operands, says, params, **rest)


def fft(rule: str, operands: str, says: str, kind: Any, lengths: Any, **rest: Any) -> Row:
    params = {"fft_type": kind, "fft_length": lengths}
    return Row("fft", rule, operands, says, params, **rest)


def bits(
    rule: str,
    operands: str,
    says: str,
    algorithm: Any,
    *,
    dtype: Any = "ui32",
    shape: Any = (4,),
    **rest: Any,
) -> Row:
    params = {"rng_algorithm": algorithm, "shape": shape, "dtype": dtype}
    return Row("rng_bit_generator", rule, operands, says, params, **rest)


def rounds(rule: str, operands: str, says: str, exponent: Any, mantissa: Any, **rest: Any) -> Row:
    params = {"exponent_bits": exponent, "mantissa_bits": mantissa}
    return Row("reduce_precision", rule, operands, says, params, **rest)


def compares(rule: str, operands: str, says: str, direction: Any = "LT", **rest: Any) -> Row:
    return Row("compare", rule, operands, says, {"comparison_direction": direction}, **rest)


# What a norm of 2x3x4 takes for axis 1, after the array itself.
_THREE, _FOUR = "3xf32 3xf32", "3xf32 3xf32 3xf32 3xf32"
_X = "2x3x4xf32"


def _norms(op: str, each: str, words: tuple[str, ...], numbers: tuple[str, ...]) -> list[Row]:
    """The rows of a norm whose operands after the first, of these names, hold 3 numbers each."""
    rows = [
        norm(
            op,
            "C1",
            f"{_X} {each}",
            f"feature_index {axis}: {axis} is not an axis of tensor<2x3x4xf32>, which has axes 0 to 2",
            feature_index=axis,
        )
        for axis in (3, -1)
    ]
    parts = each.split()
    for i, (word, number) in enumerate(zip(words, numbers, strict=True)):
        for rule, wrong in ((number, "4xf32"), ("C2", "3xf64"), (f"I{i + 2}", "3x1xf32")):
            given = " ".join([_X, *parts[:i], wrong, *parts[i + 1 :]])
            says = f"{word} is tensor<{wrong}>; for feature_index 1 of tensor<2x3x4xf32> it must be tensor<3xf32>"
            rows.append(norm(op, rule, given, says))
    return rows


# fmt: off
DOT_GENERAL = [
    dot("C1", "2x3x4xf32 2x4x5xf32", "batching axes [0] of tensor<2x3x4xf32> and [] of tensor<2x4x5xf32> differ in number; they go in pairs", (0,), (), (2,), (1,)),
    dot("C2", "2x3xf32 3x4xf32", "contracting axes [1] of tensor<2x3xf32> and [] of tensor<3x4xf32> differ in number; they go in pairs", (), (), (1,), ()),
    dot("C3", "2x3xf32 3x4xf32", "left axes, batching [] and contracting [1, 1] repeat an axis of tensor<2x3xf32>; name each once", (), (), (1, 1), (0, 1)),
    dot("C3", "2x2xf32 2x2xf32", "left axes, batching [0] and contracting [0] repeat an axis of tensor<2x2xf32>", (0,), (0,), (0,), (1,)),
    dot("C4", "2x2xf32 2x2xf32", "right axes, batching [1] and contracting [1] repeat an axis of tensor<2x2xf32>", (0,), (1,), (1,), (1,)),
    dot("C5", "2x3xf32 3x4xf32", "left axes, batching [2] and contracting []: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1", (2,), (0,), (), ()),
    dot("C6", "2x3xf32 3x4xf32", "left axes, batching [] and contracting [-1]: -1 is not an axis of tensor<2x3xf32>", (), (), (-1,), (0,)),
    dot("C7", "2x3xf32 2x4xf32", "right axes, batching [3] and contracting []: 3 is not an axis of tensor<2x4xf32>", (0,), (3,), (), ()),
    dot("C8", "2x3xf32 3x4xf32", "right axes, batching [] and contracting [2]: 2 is not an axis of tensor<3x4xf32>", (), (), (1,), (2,)),
    dot("C9", "2x3xf32 4x3xf32", "batching sizes differ: axis 0 of tensor<2x3xf32> is 2, axis 0 of tensor<4x3xf32> is 4", (0,), (0,), (1,), (1,)),
    dot("C10", "2x3xf32 4x5xf32", "contracting sizes differ: axis 1 of tensor<2x3xf32> is 3, axis 0 of tensor<4x5xf32> is 4", (), (), (1,), (0,)),
    Row("dot_general", "C11", "2x3xf32 3x4xf32", "precision_config is ('HIGH',); it must be one of DEFAULT, HIGH, HIGHEST", {"dot_dimension_numbers": DotDims((), (), (1,), (0,)), "precision_config": ("HIGH",)}, only="python", error=ValueError),
    Row("dot_general", "C12", "2x3xf32 3x4xf32", "result is tensor<4x2xf32> but the operands give tensor<2x4xf32>", {"dot_dimension_numbers": DotDims((), (), (1,), (0,))}, results="4x2xf32"),
    dot("C13", "2x3xf32 3x4xf64", "operands differ in dtype: tensor<2x3xf32>, tensor<3x4xf64>; convert them to one dtype first", (), (), (1,), (0,)),
    Row("dot_general", "C13", "2x3xbf16 3x4xbf16", "a result of f16 from tensor<2x3xbf16>; it is bf16, or wider of its kind", {"dot_dimension_numbers": DotDims((), (), (1,), (0,))}, results="2x4xf16"),
    dot("C13", "2x3xf64 3x4xf64", "a result of f32 from tensor<2x3xf64>; it is f64, or wider of its kind", (), (), (1,), (0,), dtype="f32", only="python"),
    *of_fields("dot_general", 3, "2x3xf32 3x4xf32", {"dot_dimension_numbers": DotDims((), (), (1,), (0,))}, "dot_dimension_numbers"),
    Row("dot_general", "I7", "2x3xf32 3x4xf32", "precision_config is 'BEST'; it must be one of DEFAULT, HIGH, HIGHEST", {"dot_dimension_numbers": DotDims((), (), (1,), (0,)), "precision_config": "BEST"}, only="python", error=ValueError),
    dot("I8", "2x3xf32 3x4xf32", "algorithm is F32; it must be a dot algorithm, as an MLIR attribute", (), (), (1,), (0,), algorithm="F32", only="python"),
    dot("I6", "2x3xf32 3x4xf32", "dot_dimension_numbers says rhs_contracting is (0.0,); it must be a tuple of integers", (), (), (1,), (0.0,), only="python"),
    Row("dot_general", "I5", "2x3xf32 3x4xf32", "dot_dimension_numbers is ((1,), (0,)); it must be DotDims(lhs_batching, rhs_batching, lhs_contracting, rhs_contracting)", {"dot_dimension_numbers": ((1,), (0,))}, only="python"),
]

# Rows: the ragged axis is free, y has groups.  Sums: it is contracted.
_ROWS, _ROW_DIMS = "4x2xf32 3x2x5xf32 3xi32", ((), (), (1,), (1,), (0,), (0,))
_SUMS, _SUM_DIMS = "4x2xf32 4x5xf32 3xi32", ((), (), (0,), (0,), (0,))

RAGGED = [
    ragged("dtypes", "4x2xf32 3x2x5xf64 3xi32", "operands differ in dtype: tensor<4x2xf32>, tensor<3x2x5xf64>; convert them to one dtype first", *_ROW_DIMS),
    ragged("pairs", _ROWS, "contracting axes [1] of tensor<4x2xf32> and [] of tensor<3x2x5xf32> differ in number; they go in pairs", (), (), (1,), (), (0,), (0,)),
    ragged("pairs", _ROWS, "batching axes [] of tensor<4x2xf32> and [2] of tensor<3x2x5xf32> differ in number; they go in pairs", (), (2,), (1,), (1,), (0,), (0,)),
    ragged("left", _ROWS, "left axes, batching [] and contracting [2]: 2 is not an axis of tensor<4x2xf32>, which has axes 0 to 1", (), (), (2,), (1,), (0,), (0,)),
    ragged("right", _ROWS, "right axes, batching [] and contracting [3]: 3 is not an axis of tensor<3x2x5xf32>, which has axes 0 to 2", (), (), (1,), (3,), (0,), (0,)),
    ragged("sizes_of_pairs", _ROWS, "contracting sizes differ: axis 1 of tensor<4x2xf32> is 2, axis 2 of tensor<3x2x5xf32> is 5", (), (), (1,), (2,), (0,), (0,)),
    ragged("sizes_of_pairs", "4x2xf32 3x2x5xf32 3xi32", "batching sizes differ: axis 0 of tensor<4x2xf32> is 4, axis 2 of tensor<3x2x5xf32> is 5", (0,), (2,), (1,), (1,), (0,), ()),
    ragged("kind_of_sizes", "4x2xf32 3x2x5xf32 3xf32", "group_sizes is tensor<3xf32>; it must be an array of integers", *_ROW_DIMS),
    ragged("kind_of_sizes", "4x2xf32 3x2x5xf32 3xi1", "group_sizes is tensor<3xi1>; it must be an array of integers", *_ROW_DIMS),
    ragged("rank_of_sizes", "4x2xf32 3x2x5xf32 i32", "group_sizes is tensor<i32>; it must be an array of integers", *_ROW_DIMS),
    ragged("one_ragged", _ROWS, "ragged axes [] of tensor<4x2xf32>; name exactly one", (), (), (1,), (1,), (), (0,)),
    ragged("one_ragged", _ROWS, "ragged axes [0, 1] of tensor<4x2xf32>; name exactly one", (), (), (1,), (1,), (0, 1), (0,)),
    ragged("ragged_axis", _ROWS, "ragged axis 2: 2 is not an axis of tensor<4x2xf32>, which has axes 0 to 1", (), (), (1,), (1,), (2,), (0,)),
    ragged("ragged_axis", _ROWS, "ragged axis -1: -1 is not an axis of tensor<4x2xf32>, which has axes 0 to 1", (), (), (1,), (1,), (-1,), (0,)),
    ragged("no_groups", _SUMS, "group axes [1] of tensor<4x5xf32>; name none, as the ragged axis 0 is batched or summed over", *_SUM_DIMS, (1,)),
    ragged("no_groups", _SUMS, "group axes [1] of tensor<4x5xf32>; name none, as the ragged axis 0 is batched or summed over", (0,), (0,), (), (), (0,), (1,)),
    ragged("one_group", _ROWS, "group axes [] of tensor<3x2x5xf32>; name exactly one, as the ragged axis 0 is neither batched nor summed over", (), (), (1,), (1,), (0,), ()),
    ragged("one_group", _ROWS, "group axes [0, 2] of tensor<3x2x5xf32>; name exactly one", (), (), (1,), (1,), (0,), (0, 2)),
    ragged("group_axis", _ROWS, "group axes [3], batching and contracting [1]: 3 is not an axis of tensor<3x2x5xf32>, which has axes 0 to 2", (), (), (1,), (1,), (0,), (3,)),
    ragged("group_axis", _ROWS, "group axes [1], batching and contracting [1] repeat an axis of tensor<3x2x5xf32>; name each once", (), (), (1,), (1,), (0,), (1,)),
    ragged("group_count", "4x2xf32 3x2x5xf32 2xi32", "axis 0 of tensor<3x2x5xf32> has 3 groups, but group_sizes is tensor<2xi32>, for 2", *_ROW_DIMS),
    ragged("shape_of_sizes", "4x2xf32 3x2x5xf32 4x3xi32", "group_sizes is tensor<4x3xi32>; for the ragged axis 0 of tensor<4x2xf32> its shape must be [3]", *_ROW_DIMS),
    ragged("shape_of_sizes", "6x4x2xf32 3x2x5xf32 4x3xi32", "group_sizes is tensor<4x3xi32>; for the ragged axis 1 of tensor<6x4x2xf32> its shape must be [3] or [6, 3]", (), (), (2,), (1,), (1,), (0,)),
    ragged("shape_of_sizes", "6x4x2xf32 6x4x5xf32 4x3xi32", "its shape must be [3] or [6, 3]", (0,), (0,), (1,), (1,), (1,)),
    ragged("shape_of_sizes", "6x4x2xf32 6x4x5xf32 6x3xi32", "its shape must be [3]", (0, 1), (0, 1), (), (), (0,)),
    ragged("result", _ROWS, "result is tensor<5x4xf32> but the operands give tensor<4x5xf32>", *_ROW_DIMS, results="5x4xf32"),
    ragged("result", _SUMS, "result is tensor<2x5xf32> but the operands give tensor<3x2x5xf32>", *_SUM_DIMS, results="2x5xf32"),
    ragged("precision", _ROWS, "precision_config is 'BEST'; it must be one of DEFAULT, HIGH, HIGHEST", *_ROW_DIMS, precision_config="BEST", only="python", error=ValueError),
    *of_fields("ragged_dot", 4, _ROWS, {"ragged_dot_dimension_numbers": RaggedDims(*_ROW_DIMS)}, "ragged_dot_dimension_numbers"),
    Row("ragged_dot", "numbers", _ROWS, "ragged_dot_dimension_numbers is (0,); it must be RaggedDims(lhs_batching, rhs_batching, lhs_contracting, rhs_contracting, lhs_ragged, rhs_group)", {"ragged_dot_dimension_numbers": (0,)}, only="python"),
]

LINALG = [
    Row("cholesky", "I1", "3x3xi32", "operand is tensor<3x3xi32>; it takes f32, f64, c64 or c128, convert it first", {}),
    Row("cholesky", "C1", "3x3xf32", "result is tensor<3x3xf64> but the operands give tensor<3x3xf32>", {}, results="3x3xf64"),
    Row("cholesky", "C2", "3xf32", "operand is tensor<3xf32>; a stack of matrices has at least 2 axes", {}),
    Row("cholesky", "C3", "2x3xf32", "operand is tensor<2x3xf32>; its last two axes must have the same size", {}),
    solves("I1", "3x3xi32 3x2xi32", "operand is tensor<3x3xi32>; it takes f32, f64, c64 or c128, convert it first"),
    solves("C1", "3x3xf32 3x2xf64", "operands differ in dtype: tensor<3x3xf32>, tensor<3x2xf64>; convert them to one first"),
    solves("I2", "3x3xf32 3x2xi32", "operand is tensor<3x2xi32>; it takes f32, f64, c64 or c128, convert it first"),
    solves("C2", "3xf32 3xf32", "operand is tensor<3xf32>; a stack of matrices has at least 2 axes"),
    solves("C2", "3x3xf32 3xf32", "operand is tensor<3xf32>; a stack of matrices has at least 2 axes"),
    solves("C2", "3x3xf32 2x3x2xf32", "operands tensor<3x3xf32> and tensor<2x3x2xf32> must have the same axes before the last two; broadcast them first"),
    solves("C3", "4x3x3xf32 5x3x2xf32", "operands tensor<4x3x3xf32> and tensor<5x3x2xf32> must have the same axes before the last two; broadcast them first"),
    solves("C3", "2x3xf32 3x2xf32", "operand is tensor<2x3xf32>; its last two axes must have the same size"),
    solves("C3", "3x3xf32 2x3xf32", "axis 0 of tensor<2x3xf32> has size 2 but the matrices are tensor<3x3xf32>"),
    solves("C3", "3x3xf32 3x2xf32", "axis 1 of tensor<3x2xf32> has size 2 but the matrices are tensor<3x3xf32>", left=False),
    solves("C4", "3x3xf32 3x2xf32", "result is tensor<2x3xf32> but the operands give tensor<3x2xf32>", results="2x3xf32"),
    solves("I3", "3x3xf32 3x2xf32", "left_side is 'yes'; it must be True or False", left="yes", only="python"),
    solves("I4", "3x3xf32 3x2xf32", "lower is 1; it must be True or False", lower=1, only="python"),
    solves("I5", "3x3xf32 3x2xf32", "unit_diagonal is None; it must be True or False", unit_diagonal=None, only="python"),
    solves("I6", "3x3xf32 3x2xf32", "transpose_a is 'T'; it must be one of NO_TRANSPOSE, TRANSPOSE, ADJOINT", transpose_a="T", only="python", error=ValueError),
]

BATCH_NORM = [
    *_norms("inference", _FOUR, ("scale", "offset", "mean", "variance"), ("C3", "C4", "C5", "C6")),
    *_norms("training", _THREE, ("scale", "offset"), ("C3", "C4")),
    *_norms("grad", f"3xf32 3xf32 3xf32 {_X}", ("scale", "mean", "variance"), ("C5", "C4", "C4")),  # type: ignore[arg-type]
    norm("grad", "C3", f"{_X} {_THREE} 3xf32 2x3x5xf32", "grad_output is tensor<2x3x5xf32>; for feature_index 1 of tensor<2x3x4xf32> it must be tensor<2x3x4xf32>"),
    norm("grad", "I5", f"{_X} {_THREE} 3xf32 3xf32", "grad_output is tensor<3xf32>; for feature_index 1 of tensor<2x3x4xf32> it must be tensor<2x3x4xf32>"),
    norm("grad", "C2", f"{_X} {_THREE} 3xf32 2x3x4xf64", "grad_output is tensor<2x3x4xf64>; for feature_index 1 of tensor<2x3x4xf32> it must be tensor<2x3x4xf32>"),
    norm("grad", "C4", f"{_X} {_THREE} 3xf32 {_X}", "result is tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32> but the operands give tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>", results=f"{_X} 4xf32 3xf32"),
    norm("inference", "C7", f"{_X} {_FOUR}", "result is tensor<2x3xf32> but the operands give tensor<2x3x4xf32>", results="2x3xf32"),
    norm("training", "C5", f"{_X} {_THREE}", "result is tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32> but the operands give tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>", results=f"{_X} 4xf32 3xf32"),
    norm("training", "C6", f"{_X} {_THREE}", "result is tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32> but the operands give", results=f"{_X} 3xf32 4xf32"),
    norm("training", "C7", f"{_X} {_THREE}", "result is tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32> but the operands give", results="2x3xf32 3xf32 3xf32"),
    norm("inference", "I1", "2x3x4xi32 3xi32 3xi32 3xi32 3xi32", "operand is tensor<2x3x4xi32>; it takes elements of kind float"),
    norm("training", "I1", "2x3x4xcomplex<f32> 3xcomplex<f32> 3xcomplex<f32>", "operand is tensor<2x3x4xcomplex<f32>>; it takes elements of kind float"),
    norm("grad", "I1", "2x3xi8 3xi8 3xi8 3xi8 2x3xi8", "operand is tensor<2x3xi8>; it takes elements of kind float"),
    norm("inference", "I6", f"{_X} {_FOUR}", "epsilon is '1e-3'; it must be a number", epsilon="1e-3", only="python"),
    norm("training", "I4", f"{_X} {_THREE}", "epsilon is None; it must be a number", epsilon=None, only="python"),
    norm("grad", "I6", f"{_X} {_THREE} 3xf32 {_X}", "epsilon is True; it must be a number", epsilon=True, only="python"),
    norm("inference", "I7", f"{_X} {_FOUR}", "feature_index is 1.0; it must be an integer", feature_index=1.0, only="python"),
    norm("training", "I5", f"{_X} {_THREE}", "feature_index is (1,); it must be an integer", feature_index=(1,), only="python"),
    norm("grad", "I7", f"{_X} {_THREE} 3xf32 {_X}", "feature_index is 'C'; it must be an integer", feature_index="C", only="python"),
]

FFT = [
    fft("C1", "4xcomplex<f32>", "fft_length [4, 4] names more lengths than tensor<4xcomplex<f32>> has axes", "FFT", (4, 4)),
    fft("C2", "4xf32", "FFT takes c64 or c128, got tensor<4xf32>; convert it first", "FFT", (4,)),
    fft("C2", "4xf64", "IFFT takes c64 or c128, got tensor<4xf64>; convert it first", "IFFT", (4,)),
    fft("C2", "4xcomplex<f32>", "RFFT takes f32 or f64, got tensor<4xcomplex<f32>>; convert it first", "RFFT", (4,)),
    fft("C2", "3xf32", "IRFFT takes c64 or c128, got tensor<3xf32>; convert it first", "IRFFT", (4,)),
    fft("C2", "4xf32", "result is tensor<3xcomplex<f64>> but the operands give tensor<3xcomplex<f32>>", "RFFT", (4,), results="3xcomplex<f64>"),
    fft("C3", "4xcomplex<f32>", "fft_length [] of tensor<4xcomplex<f32>> must have 1 to 3 lengths, one for each of the last axes", "FFT", ()),
    fft("C3", "1x1x1x1xcomplex<f32>", "fft_length [1, 1, 1, 1] of tensor<1x1x1x1xcomplex<f32>> must have 1 to 3 lengths", "FFT", (1, 1, 1, 1)),
    fft("C3", "4xcomplex<f32>", "fft_length [-4] of tensor<4xcomplex<f32>> must not be negative", "FFT", (-4,)),
    fft("C4", "5xf32", "fft_length [4] of RFFT takes an operand of shape [4], got tensor<5xf32>; pad or slice it first", "RFFT", (4,)),
    fft("C4", "3xcomplex<f32>", "result is tensor<5xf32> but the operands give tensor<4xf32>", "IRFFT", (4,), results="5xf32"),
    fft("C5", "4xcomplex<f32>", "fft_length [5] of FFT takes an operand of shape [5], got tensor<4xcomplex<f32>>; pad or slice it first", "FFT", (5,)),
    fft("C5", "4xf32", "result is tensor<4xcomplex<f32>> but the operands give tensor<3xcomplex<f32>>", "RFFT", (4,), results="4xcomplex<f32>"),
    fft("C5", "4xcomplex<f32>", "fft_length [4] of IRFFT takes an operand of shape [3], got tensor<4xcomplex<f32>>; pad or slice it first", "IRFFT", (4,)),
    fft("I1", "4xi32", "FFT takes c64 or c128, got tensor<4xi32>; convert it first", "FFT", (4,)),
    fft("I1", "4xbf16", "RFFT takes f32 or f64, got tensor<4xbf16>; convert it first", "RFFT", (4,)),
    fft("I2", "4xcomplex<f32>", "fft_type is 'DCT'; it must be one of FFT, IFFT, RFFT, IRFFT", "DCT", (4,), only="python", error=ValueError),
    fft("I3", "4xcomplex<f32>", "fft_length is None; it must be a tuple of integers", "FFT", None, only="python"),
]

BITS = [
    bits("C1", "2xui64", "result is tensor<3xui64>, tensor<4xui32> but the operands give tensor<2xui64>, tensor<4xui32>", "THREE_FRY", results="3xui64 4xui32"),
    bits("C2", "3xui64", "the state of THREE_FRY has 2 numbers, got tensor<3xui64>", "THREE_FRY"),
    bits("C2", "4xui64", "the state of PHILOX has 2 or 3 numbers, got tensor<4xui64>", "PHILOX"),
    bits("I1", "2xui64", "rng_algorithm is 'MERSENNE'; it must be one of DEFAULT, THREE_FRY, PHILOX", "MERSENNE", only="python", error=ValueError),
    bits("I2", "2xi64", "the state is tensor<2xi64>; it must be one-dimensional and ui64", "THREE_FRY"),
    bits("I2", "1x2xui64", "the state is tensor<1x2xui64>; it must be one-dimensional and ui64", "THREE_FRY"),
    bits("I2", "ui64", "the state is tensor<ui64>; it must be one-dimensional and ui64", "DEFAULT"),
    bits("result", "2xui64", "the dtype of the bits is f32, from a state of tensor<2xui64>; draw unsigned integers", "THREE_FRY", dtype="f32"),
    bits("result", "2xui64", "shape is (2, -1); sizes must not be negative", "THREE_FRY", shape=(2, -1), only="python"),
    rounds("C1", "2xf32", "result is tensor<2xf16> but the operands give tensor<2xf32>", 5, 10, results="2xf16"),
    rounds("C2", "2xf32", "a float has at least 1 exponent bit and 0 mantissa bits, got 0 and 10 for tensor<2xf32>", 0, 10),
    rounds("C3", "2xf32", "a float has at least 1 exponent bit and 0 mantissa bits, got 5 and -1 for tensor<2xf32>", 5, -1),
    rounds("I1", "2xi32", "operand is tensor<2xi32>; it takes elements of kind float", 5, 10),
    rounds("I2", "2xf32", "exponent_bits is 4294967296; it must fit into 32 bits", 2**32, 10, only="python"),
    rounds("I3", "2xf32", "mantissa_bits is 1.5; it must be an integer", 5, 1.5, only="python"),
]

CHOICE = [
    compares("C1", "2xf32 2xf64", "operands differ in type: tensor<2xf32>, tensor<2xf64>; convert them to one dtype first"),
    compares("C2", "2xf32 3xf32", "operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first"),
    compares("C2", "2xf32 2xf32", "result is tensor<3xi1> but the operands give tensor<2xi1>", results="3xi1"),
    compares("C3", "2xcomplex<f32> 2xcomplex<f32>", "complex numbers have no order, LT of tensor<2xcomplex<f32>>; compare abs or real parts"),
    compares("I3", "2xf32 2xf32", "comparison_direction is '<'; it must be one of EQ, NE, GE, GT, LE, LT", "<", only="python", error=ValueError),
    Row("clamp", "C1", "3xf32 2xf32 f32", "low is tensor<3xf32> but the operand is tensor<2xf32>; a bound is a scalar or has the operand's shape, and its dtype"),
    Row("clamp", "C2", "f32 2xf32 1xf32", "high is tensor<1xf32> but the operand is tensor<2xf32>; a bound is a scalar or has the operand's shape, and its dtype"),
    Row("clamp", "C3", "f64 2xf32 f32", "low is tensor<f64> but the operand is tensor<2xf32>"),
    Row("clamp", "C3", "f32 2xf32 i32", "high is tensor<i32> but the operand is tensor<2xf32>"),
    Row("clamp", "C4", "f32 2xf32 f32", "result is tensor<f32> but the operands give tensor<2xf32>", results="f32"),
    Row("clamp", "I2", "complex<f32> 2xcomplex<f32> complex<f32>", "operand is tensor<2xcomplex<f32>>; it takes elements of kind bool, int, uint or float"),
    Row("select", "C1", "3xi1 2xf32 2xf32", "pred is tensor<3xi1> but the sides are tensor<2xf32>; it must be a scalar or have their shape"),
    Row("select", "C1", "1xi1 2xf32 2xf32", "pred is tensor<1xi1> but the sides are tensor<2xf32>"),
    Row("select", "C2", "2xi1 2xf32 2xf64", "the two sides differ in type: tensor<2xf32>, tensor<2xf64>; convert them to one dtype first"),
    Row("select", "C2", "i1 2xf32 3xf32", "the two sides differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first"),
    Row("select", "C2", "i1 2xf32 2xf32", "result is tensor<3xf32> but the operands give tensor<2xf32>", results="3xf32"),
    Row("select", "I1", "2xf32 2xf32 2xf32", "pred is tensor<2xf32>; it must hold bools"),
    Row("select", "I1", "2xi8 2xf32 2xf32", "pred is tensor<2xi8>; it must hold bools"),
    Row("complex", "C1", "2xf32 2xf64", "operands differ in type: tensor<2xf32>, tensor<2xf64>; convert them to one dtype first"),
    Row("complex", "C1", "2xf32 3xf32", "operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first"),
    Row("complex", "C2", "2xf32 2xf32", "result is tensor<3xcomplex<f32>> but the operands give tensor<2xcomplex<f32>>", results="3xcomplex<f32>"),
    Row("complex", "C3", "2xf32 2xf32", "result is tensor<2xcomplex<f64>> but the operands give tensor<2xcomplex<f32>>", results="2xcomplex<f64>"),
    Row("complex", "I1", "2xi32 2xi32", "operand is tensor<2xi32>; it takes elements of kind float"),
    Row("complex", "I1", "2xf16 2xf16", "parts are tensor<2xf16>; they must be f32 or f64, convert them first"),
    Row("custom_call", "I2", "2xf32", "call_target_name is 3; it must be a string", {"call_target_name": 3, "result_types": ()}, only="python"),
    Row("custom_call", "I2", "2xf32", "call_target_name is empty; name a routine", {"call_target_name": "", "result_types": ()}, only="python"),
    Row("custom_call", "I3", "2xf32", "has_side_effect is 'no'; it must be True or False", {"call_target_name": "f", "result_types": (), "has_side_effect": "no"}, only="python"),
    Row("custom_call", "I4", "2xf32", "backend_config is 'cfg'; it must be an MLIR attribute", {"call_target_name": "f", "result_types": (), "backend_config": "cfg"}, only="python"),
    Row("custom_call", "I5", "2xf32", "api_version is 4; it must be an MLIR attribute", {"call_target_name": "f", "result_types": (), "api_version": 4}, only="python"),
    Row("custom_call", "result", "2xf32", "result_types is ('f32',); it must be a tuple of static tensor types of MLIR", {"call_target_name": "f", "result_types": ("f32",)}, only="python"),
]
# fmt: on

ROWS = [*DOT_GENERAL, *RAGGED, *LINALG, *BATCH_NORM, *FFT, *BITS, *CHOICE]
