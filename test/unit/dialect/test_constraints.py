"""Each constraint of StableHLO's specification is refused in our words, by name."""

import re
from pathlib import Path

import pytest
from constraint_counts import ABSENT, CHLO, CHLO_ABSENT, COUNTS, OTHERWISE, UNTESTED
from constraints import Row, check_row, dialect, ids, is_borrowed, text_of
from constraints_algebra import ROWS as ALGEBRA
from constraints_elementwise import ROWS as ELEMENTWISE
from constraints_folds import ROWS as FOLDS
from constraints_indexing import ROWS as INDEXING
from constraints_shape import ROWS as SHAPE
from constraints_windows import ROWS as WINDOWS

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import _cext, ir
from anvl.dialect.core.op_registry import OPS

ROWS = [*ELEMENTWISE, *ALGEBRA, *FOLDS, *INDEXING, *SHAPE, *WINDOWS]


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_refused(row: Row) -> None:
    check_row(row)


def in_stablehlo(name: str) -> str:
    """The name of an op of ours in StableHLO's specification, or in CHLO."""
    op_class = OPS.get(f"anvl.{name}") or OPS[f"stablehlo.{name}"]
    return op_class.hlo or _OTHERS.get(name, name)


#: What is lowered by a rule, but to the same op where it can be.
_OTHERS = {"pow": "power"}


def rules_with_rows() -> set[tuple[str, str]]:
    return {(in_stablehlo(row.op), row.rule) for row in ROWS}


@pytest.mark.parametrize("op", COUNTS)
def test_every_constraint_has_a_row(op: str) -> None:
    n_inputs, n_constraints = COUNTS[op]
    rules = [f"I{i + 1}" for i in range(n_inputs)] + [f"C{i + 1}" for i in range(n_constraints)]
    said = rules_with_rows() | UNTESTED.keys()
    assert [rule for rule in rules if (op, rule) not in said] == []


def test_no_reason_is_stale() -> None:
    known = {
        (op, f"{kind}{i + 1}") for op, counts in COUNTS.items()
        for kind, n in zip("IC", counts, strict=True) for i in range(n)
    }  # fmt: skip
    assert UNTESTED.keys() <= known
    assert UNTESTED.keys() & rules_with_rows() == set()


def test_every_op_of_the_specification_is_there_or_said_to_be_absent() -> None:
    there = {in_stablehlo(op.short_name) for op in dialect()}
    assert {*COUNTS, *OTHERWISE} <= there
    assert there & set(ABSENT) == set()
    assert COUNTS.keys() & {*ABSENT, *OTHERWISE} == set()


def test_every_op_of_chlo_is_there_or_said_to_be_absent() -> None:
    there = {op.hlo or op.lifts for op in OPS.values()} | {op.short_name for op in OPS.values()}
    assert {name for name in CHLO if not {name, f"chlo.{name}"} & there} == set()
    assert {name for name in CHLO_ABSENT if f"chlo.{name}" in there} == set()


@pytest.mark.sweep(keep=0)
def test_the_list_of_chlo_is_complete() -> None:
    folder = Path(_cext.__file__).parent
    found: set[str] = set()
    for library in folder.glob("*.so*"):
        found |= set(re.findall(rb"(?<=\0)chlo\.([a-z_0-9]+)(?=\0)", library.read_bytes()))
    names = {name.decode() for name in found} - _ATTRIBUTES
    assert names == {*CHLO, *CHLO_ABSENT}


#: Names in CHLO that are no ops.
_ATTRIBUTES = {"comparison_direction", "comparison_type", "precision"}


OURS = sorted(op.short_name for op in dialect() if not is_borrowed(op.short_name))


@pytest.mark.parametrize("type_", ["f32", "tensor<*xf32>", "tensor<?x3xf32>", "vector<3xf32>"])
def test_what_is_no_tensor_of_static_shape(type_: str) -> None:
    for name in OURS:
        wanted = OPS[f"anvl.{name}"].n_operands
        if wanted == 0:
            continue
        n = wanted or 2
        operands, types = ", ".join(["%x"] * n), ", ".join([type_] * n)
        text = f'func.func @f(%x: {type_}) {{ "anvl.{name}"({operands}) : ({types}) -> {type_} }}'
        assert f"{name}: " in refused(text)
        assert "one result" in refused(text) or f"of static shape, got {type_}" in refused(text)


@pytest.mark.parametrize("element", ["index", "i2", "i128", "f80", "f8E4M3", "complex<f16>"])
def test_what_is_no_array_of_ours(element: str) -> None:
    for name in OURS:
        n = OPS[f"anvl.{name}"].n_operands
        if n is None or n == 0:
            continue
        type_ = f"tensor<2x{element}>"
        operands, types = ", ".join(["%x"] * n), ", ".join([type_] * n)
        text = f'func.func @f(%x: {type_}) {{ "anvl.{name}"({operands}) : ({types}) -> {type_} }}'
        message = refused(text)
        assert (
            f"{name}: operands and results must be tensors of bool, " in message
            or "one result" in message
        )


@pytest.mark.parametrize("name", [name for name in OURS if OPS[f"anvl.{name}"].n_operands != 0])
def test_too_few_operands(name: str) -> None:
    n = OPS[f"anvl.{name}"].n_operands
    message = refused(f'func.func @f() {{ "anvl.{name}"() : () -> tensor<f32> }}')
    assert f"{name}: takes {n or 'at least '}" in message
    assert "got 0" in message


def refused(text: str) -> str:
    with pytest.raises(ir.MLIRError) as error:
        ir.Module.parse(text, context())
    return str(error.value)


WITH_ATTRIBUTES = {
    row.op: row for row in ROWS
    if row.only == "" and not is_borrowed(row.op) and OPS[f"anvl.{row.op}"].attribute_params
}  # fmt: skip


@pytest.mark.parametrize("row", WITH_ATTRIBUTES.values(), ids=list(WITH_ATTRIBUTES))
def test_an_attribute_of_another_kind_or_none(row: Row) -> None:
    for name, kind in OPS[f"anvl.{row.op}"].attribute_params.items():
        if kind.attribute and row.op not in ("constant", "captured"):
            with context():
                wrong = refused(text_of(row, **{name: ir.StringAttr.get("wrong")}))
            assert f"{row.op}: attribute `{name}`: expected " in wrong
        if not kind.optional:
            message = refused(text_of(row, **{name: None}))
            assert f"{row.op}: attribute `{name}` is missing" in message


@pytest.mark.parametrize(
    ("op", "attribute", "wanted"),
    [
        ('"anvl.iota"() {iota_dimension = %} : () -> tensor<2xi32>', "0 : i32", "0 : i64"),
        ('"anvl.iota"() {iota_dimension = %} : () -> tensor<2xi32>', "false", "0 : i64"),
        ('"anvl.iota"() {iota_dimension = %} : () -> tensor<2xi32>', '"0"', "0 : i64"),
        (
            '"anvl.reduce_precision"(%x) {exponent_bits = %, mantissa_bits = 1 : i32} '
            ": (tensor<2xf32>) -> tensor<2xf32>",
            "5 : i64",
            "0 : i32",
        ),
    ],
)
def test_an_integer_of_another_width(op: str, attribute: str, wanted: str) -> None:
    """StableHLO takes these of one width; it would refuse them after lowering."""
    text = f"func.func @f(%x: tensor<2xf32>) {{ {op.replace('= %', f'= {attribute}')} return }}"
    assert f"expected an integer such as {wanted}, got {attribute}" in refused(text)
