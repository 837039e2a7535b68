"""Text that ends the process in MLIR is refused before it is parsed, and its neighbours are not."""

import random
import re

import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.hazards import InvalidOp, check_text
from anvl.dialect.text.parsing import _most_levels, parsed, too_deep


def _constant(value, of):
    body = f"  %0 = stablehlo.constant {value} : {of}\n  return %0 : {of}\n"
    return f"func.func @f() -> {of} {{\n{body}}}"


def _exchange(groups):
    return (
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        '  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, split_count = 1 : i64,\n'
        f"    concat_dimension = 0 : i64, replica_groups = {groups}}}\n"
        "    : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}"
    )


COMPLEX = (
    "dense<(1.0,2.0)>", "dense < (1, 2)>", "dense<((1.0,2.0),(3.0,4.0))>",
    "dense< //\n (1.0, 2.0)>",
    "dense<[(1.0,2.0),(3.0,4.0)]>", "dense<[ [(1,2)], [(3,4)] ]>",
)  # fmt: skip
TYPES = ("tensor<f16>", "tensor<bf16>", "tensor<f64>", "tensor<ui8>", "tensor<i32>")


@pytest.mark.parametrize("value", COMPLEX)
@pytest.mark.parametrize("of", TYPES)
def test_a_complex_number_of_another_type(value, of):
    with pytest.raises(InvalidOp, match="a complex number in a literal of tensor<") as caught:
        check_text("a.mlir", _constant(value, of))
    assert '"a.mlir":2:27' in caught.value.location


def test_a_complex_number_of_an_alias():
    for of, is_right in (("tensor<f16>", False), ("tensor<complex<f32>>", True)):
        text = f"!t = {of}\n{_constant('dense<(1.0,2.0)>', '!t')}"
        if is_right:
            parsed(text, "a.mlir", context())
        else:
            with pytest.raises(InvalidOp):
                check_text("a.mlir", text)


@pytest.mark.parametrize(
    ("value", "of"),
    [
        ("dense<(1.0,2.0)>", "tensor<complex<f32>>"),
        ("dense<(1.0,2.0)>", "tensor<2x3xcomplex<f64>>"),
        ("dense<[(1.0,2.0),(0.0,-1.0)]>", "tensor<2xcomplex<f64>>"),
        ('dense<1.0> : tensor<f32> // dense<(1.0,2.0)>', "tensor<f32>"),
    ],
)  # fmt: skip
def test_complex_numbers_of_complex_types_are_read(value, of):
    if "//" in value:
        text = f"// dense<(1.0,2.0)> : tensor<f16>\n{_constant('dense<1.0>', of)}"
        parsed(text, "a.mlir", context())
    else:
        parsed(_constant(value, of), "a.mlir", context())


@pytest.mark.parametrize(
    "groups", ["dense<0> : tensor<0x2xi64>", "dense<> : tensor<0x0xi64>", "#g"]
)
def test_all_to_all_without_groups(groups):
    alias = "#g = dense<0> : tensor<0x2xi64>\n" if groups == "#g" else ""
    with pytest.raises(InvalidOp, match="all_to_all: replica_groups has no group") as caught:
        check_text("a.mlir", alias + _exchange(groups))
    assert f'"a.mlir":{4 if alias else 3}:33' in caught.value.location


def test_other_groups_are_left_to_mlir():
    parsed(_exchange("dense<0> : tensor<1x1xi64>"), "a.mlir", context())
    with pytest.raises(ir.MLIRError):
        parsed(_exchange("dense<0> : tensor<2x0xi64>"), "a.mlir", context())


def _depth(text):
    """The deepest nesting, token by token: brackets in strings, and arrows, do not nest."""
    deepest = depth = 0
    for token in re.findall(r'"[^"\n]*"|->|>=|<=|[(){}\[\]<>]', text):
        depth = max(depth + (token in "({[<") - (token in ")}]>"), 0)
        deepest = max(deepest, depth)
    return deepest


def test_brackets_nest_as_deep_as_their_tokens():
    """The bound that spares reading tokens never hides a level."""
    draw = random.Random(0)
    parts = (*"()[]{}<>", "->", ">=", "<=", '"', '""', '"("', "\n", "=", "((", "))")
    for _ in range(5000):
        text = "".join(draw.choices(parts, k=draw.randrange(1, 30)))
        for most in (1, 2, 3, 5):
            assert (too_deep(text, most) is None) == (_depth(text) <= most), text


@pytest.mark.parametrize("depth", [50, 200, 600])
def test_brackets_of_deep_texts_are_counted_by_their_tokens(depth):
    """Taking out pairs reads the text once for each level, which took minutes for 1 MB."""
    text = 20 * ("[" * depth + "]" * depth)
    assert (_most_levels(text, 900) <= 900) == (depth <= 100)
    assert too_deep(text, 900) is None
    assert too_deep(text, depth) is None
    assert too_deep(text, depth - 1) == depth - 1
