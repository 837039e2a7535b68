"""docs/op-contract.md names every rule and flag of `OpRules`, with its default."""

import re
from pathlib import Path

import pytest

from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import MAYBE_RULES, RULES
from anvl.dialect.core.op_rules import OpRules

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "op-contract.md").read_text()


def members(cls: type) -> set[str]:
    return {name for name in vars(cls) if not name.startswith("_") and not name.isupper()}


MEMBERS = members(AnvlOp) | members(OpRules)


def section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def first_column(title: str) -> set[str]:
    cells = re.findall(r"^\| (`.*?) \|", section(title), re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_every_rule_and_flag_is_on_the_page() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert MEMBERS - named == set()
    rules = first_column("Rules that an op writes")
    assert rules == {*RULES, *MAYBE_RULES, "as_values", "body_types"}
    hooks = first_column("Hooks with a default that holds for every op")
    flags = first_column("Flags that an op may set")
    assert rules | hooks | flags | {"short_name", "pure"} == members(OpRules)
    assert not hooks & flags
    calls = {name for name in MEMBERS if callable(getattr(AnvlOp, name))}
    assert hooks <= calls and not flags & calls


@pytest.mark.parametrize("flag", sorted(first_column("Flags that an op may set")))
def test_the_default_of_a_flag_is_that_of_the_class(flag: str) -> None:
    row = re.search(rf"^\| `{flag}` \| (.*?) \|", PAGE, re.MULTILINE)
    assert row
    default = getattr(AnvlOp, flag)
    assert row[1] in (f"`{default!r}`", '`""`' if default == "" else "a sentence")
