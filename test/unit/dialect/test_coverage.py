"""Every op, rule by rule, has a lit test, or a line in test/exempt.txt that says why not."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from references import REFERENCES

from anvl.dialect.families import NUMBERS, Elementwise
from anvl.dialect.mlir import ir
from anvl.dialect.op import OPS, RULES
from anvl.dialect.types import element_type, tensor
from anvl.testing.closure import missing_rules
from anvl.testing.draw import Draw

TEST = Path(__file__).resolve().parents[2]
LIT = TEST / "lit" / "dialect"

# What the RUN lines of an op's file hold if a rule is tested there.
RUNS = {
    "result_type": "--verify-roundtrip",
    "lower": "--anvl-lower-to-stablehlo",
    "adjoint": "--anvl-gradient",
}


@cache
def exempt() -> dict[tuple[str, str], str]:
    """Reasons by op and rule."""
    lines = (TEST / "exempt.txt").read_text().splitlines()
    found = [line.split(maxsplit=2) for line in lines if line and not line.startswith("#")]
    return {(op, rule): reason for op, rule, reason in found}


def is_exempt(name: str, rule: str) -> bool:
    return bool({(name, rule), ("*", rule)} & exempt().keys())


def has_derivative(op_class: Any) -> bool:
    kinds = getattr(op_class, "kinds", NUMBERS).split()
    somewhere = op_class.n_operands is None or len(op_class.undefined) < op_class.n_operands
    return somewhere and not op_class.zero and not {"float", "complex"}.isdisjoint(kinds)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", sorted(op.short_name for op in OPS.values()))
def test_every_rule_of_every_op_has_a_lit_test(name: str, rule: str) -> None:
    op_class = next(op for op in OPS.values() if op.short_name == name)
    if is_exempt(name, rule) or (rule == "adjoint" and not has_derivative(op_class)):
        return
    path = LIT / f"{name}.mlir"
    assert path.exists(), f"write {path.relative_to(TEST.parent)}"
    text = path.read_text()
    assert op_class.OPERATION_NAME in text
    runs = " ".join(re.findall(r"// RUN: (.*)", text))
    assert RUNS[rule] in runs, f"{path.name}: no RUN line has {RUNS[rule]}"


@pytest.mark.parametrize("name", sorted(op.short_name for op in OPS.values()))
def test_every_op_has_numbers_and_a_case_that_is_refused(name: str) -> None:
    """Executed by its lit file, and named in one of those of what the verifier refuses."""
    op_class = next(op for op in OPS.values() if op.short_name == name)
    assert is_exempt(name, "lower") or "%run" in (LIT / f"{name}.mlir").read_text()
    assert re.search(rf'"?{re.escape(op_class.OPERATION_NAME)}"?[ (]', refused()), (
        f"{op_class.OPERATION_NAME} is in no file of {(LIT / 'invalid').relative_to(TEST)}"
    )


@cache
def refused() -> str:
    """What the verifier refuses, without what it says of it."""
    texts = [path.read_text() for path in (LIT / "invalid").glob("*.mlir")]
    return re.sub(r"//.*", "", "".join(texts))


def test_no_line_of_the_exemptions_is_stale() -> None:
    for name, rule in exempt():
        assert rule in RULES
        assert name == "*" or f"anvl.{name}" in OPS
    assert all(len(reason) > 10 for reason in exempt().values())


def test_every_lit_file_is_of_an_op() -> None:
    names = {op.short_name for op in OPS.values()}
    assert {path.stem for path in LIT.glob("*.mlir")} <= names


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_has_every_rule(name: str) -> None:
    assert missing_rules(OPS[name]) == []


def test_every_op_has_a_reference() -> None:
    assert {op.short_name for op in OPS.values()} - REFERENCES.keys() == {"captured"}


def test_every_op_says_what_it_does() -> None:
    for op_class in OPS.values():
        assert (op_class.__doc__ or "").strip().endswith("."), op_class.OPERATION_NAME


@pytest.mark.parametrize("name", sorted(n for n, op in OPS.items() if issubclass(op, Elementwise)))
def test_elementwise_ops_refuse_the_kinds_that_they_do_not_take(name: str) -> None:
    op_class = OPS[name]
    params = op_class.sample(Draw(name))[0].params
    dtypes = {"float": "f32", "complex": "c64", "int": "i32", "uint": "ui8", "bool": "bool"}
    for kind, dtype in dtypes.items():
        types = [tensor((2,), element_type(dtype))] * op_class.n_operands
        if kind in op_class.kinds.split():
            op_class.result_type(*types, **params)
            continue
        with pytest.raises(TypeError, match=rf"^{op_class.short_name}: operand is {types[0]}; "):
            op_class.result_type(*types, **params)


def test_types_of_another_context_are_not_needed_to_ask_for_a_type() -> None:
    with ir.Context():  # a person's own context that happens to be current
        assert str(OPS["anvl.sum"].result_type(tensor((2, 3), element_type("f32")), axes=(0,))) == (
            "tensor<3xf32>"
        )
