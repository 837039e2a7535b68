"""Every op, rule by rule, has a lit test, or a line in test/exempt.txt that says why not."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from references import REFERENCES

from anvl.dialect.core.families import NUMBERS, Elementwise
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result
from anvl.dialect.core.op_registry import OPS, RULES
from anvl.dialect.core.types import element_type, tensor
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
    return (
        somewhere
        and not op_class.zero_derivative_reason
        and not {"float", "complex"}.isdisjoint(kinds)
    )


def rules_with_files(op_class: Any) -> list[str]:
    """The rules that the op's lit file must test."""
    return [
        rule
        for rule in RULES
        if not is_exempt(op_class.short_name, rule)
        and (rule != "adjoint" or has_derivative(op_class))
    ]


def names_op(text: str, op_class: Any) -> bool:
    return bool(re.search(rf'{re.escape(op_class.OPERATION_NAME)}"?[ (<:]', text))


# A check of all ops is one test: it says all that is missing, a line each.  What it looks at is an
# argument, so that the tests below can plant something that is missing.


def untested(op_class: Any, lit: Path) -> list[str]:
    """What the file of an op in this folder does not test."""
    path = lit / f"{op_class.short_name}.mlir"
    if not path.exists():
        return [f"{op_class.short_name}: no file {path.name}"]
    text = path.read_text()
    runs = " ".join(re.findall(r"// RUN: (.*)", text))
    wanted = [RUNS[rule] for rule in rules_with_files(op_class)]
    if "lower" in rules_with_files(op_class):
        wanted.append("%run")  # numbers
    found = [f"{path.name}: no RUN line has {run}" for run in wanted if run not in runs]
    if not names_op(text, op_class):
        found.append(f"{path.name}: no {op_class.OPERATION_NAME}")
    return found


def never_refused(op_class: Any, lit: Path) -> list[str]:
    """Whether the op is in no file of what the verifier refuses."""
    if names_op(refused(lit), op_class):
        return []
    return [f"{op_class.short_name}: {op_class.OPERATION_NAME} is in no file of invalid/"]


@cache
def refused(lit: Path) -> str:
    """What the verifier refuses, without what it says of it."""
    texts = [path.read_text() for path in sorted((lit / "invalid").glob("*.mlir"))]
    return re.sub(r"//.*", "", "".join(texts))


def lines(check: Callable[..., list[str]], ops: Iterable[Any], *args: Any) -> str:
    """All that a check finds, empty if nothing is missing."""
    return "\n".join(line for op in ops for line in check(op, *args))


def test_every_rule_of_every_op_has_a_lit_test_and_numbers() -> None:
    assert lines(untested, OPS.values(), LIT) == ""


def test_every_op_has_a_case_that_is_refused() -> None:
    assert lines(never_refused, OPS.values(), LIT) == ""


def test_every_op_has_every_rule() -> None:
    found = lines(
        lambda op: [f"{op.short_name}: no {rule}" for rule in missing_rules(op)], OPS.values()
    )
    assert found == ""


def test_all_rules_that_no_lit_file_tests_are_listed(tmp_path: Path) -> None:
    """Planted: an op without a file, and one whose file tests one rule and names another op."""
    ops = [OPS["anvl.sin"], OPS["anvl.cos"], OPS["anvl.floor"], OPS["anvl.captured"]]
    (tmp_path / "cos.mlir").write_text("// RUN: anvl-opt --anvl-gradient %s\n// anvl.cosh\n")
    for name in ("floor", "captured"):
        (tmp_path / f"{name}.mlir").write_text((LIT / f"{name}.mlir").read_text())
    assert lines(untested, ops, tmp_path).splitlines() == [
        "sin: no file sin.mlir",
        "cos.mlir: no RUN line has --verify-roundtrip",
        "cos.mlir: no RUN line has --anvl-lower-to-stablehlo",
        "cos.mlir: no RUN line has %run",
        "cos.mlir: no anvl.cos",
    ]


def test_an_op_that_is_never_refused_is_listed(tmp_path: Path) -> None:
    (tmp_path / "invalid").mkdir()
    (tmp_path / "invalid" / "some.mlir").write_text(
        '%0 = "anvl.cos"(%x)  // anvl.sin is refused\n%1 = anvl.sinh %x\n'
    )
    ops = [OPS["anvl.sin"], OPS["anvl.cos"], OPS["anvl.sinh"]]
    assert lines(never_refused, ops, tmp_path) == "sin: anvl.sin is in no file of invalid/"


def test_a_rule_that_an_op_does_not_have_is_missing(own_ops: None) -> None:
    class BareOp(AnvlOp, name="mine.bare_of_rules"):
        """Has its type, and no rule."""

        x: Operand
        y: Result

        @classmethod
        def result_type(cls, x: ir.Type) -> ir.Type:
            return x

    assert missing_rules(BareOp) == ["adjoint", "tangent", "batch", "sample", "lower"]


def test_no_line_of_the_exemptions_is_stale() -> None:
    for name, rule in exempt():
        assert rule in RULES
        assert name == "*" or f"anvl.{name}" in OPS
    assert all(len(reason) > 10 for reason in exempt().values())


def test_every_lit_file_is_of_an_op() -> None:
    names = {op.short_name for op in OPS.values()}
    assert {path.stem for path in LIT.glob("*.mlir")} <= names


def test_every_op_has_a_reference() -> None:
    without = {op.short_name for op in OPS.values()} - REFERENCES.keys() - {"captured"}
    assert without == set(), "each needs a line in test/unit/dialect/references.py"


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
