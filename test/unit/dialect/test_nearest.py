"""The name that was meant, of those that there are: one that is near, or none."""

import pytest

from anvl.dialect.core.errors import nearest

FLAGS = ["--o", "--p", "--load"]
PASSES = ["anvl-roll", "cse"]
OPS = ["anvl.add", "anvl.or"]


@pytest.mark.parametrize(
    "name, known, meant",
    [
        ("--foo", FLAGS, ""),  # half of what it has in common with --o are the dashes
        ("--laod", FLAGS, "--load"),
        ("--q", FLAGS, ""),
        ("on", ["o"], ""),
        ("anvl-foo", PASSES, ""),
        ("anvl-rol", PASSES, "anvl-roll"),
        ("anvl-", PASSES, ""),
        ("cze", PASSES, "cse"),
        ("anvl.ad", OPS, "anvl.add"),
        ("anvl.qq", OPS, ""),
        ("older", ["older-than"], "older-than"),
        ("", OPS, ""),
    ],
)
def test_a_name_that_is_near_or_none(name: str, known: list[str], meant: str) -> None:
    assert nearest(name, known) == (f", did you mean {meant!r}?" if meant else "")
