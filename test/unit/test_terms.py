"""The page of terms: every row is full and says where the term lives."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "terms.md").read_text()
HEADER = ["term", "meaning", "where", "JAX", "Enzyme", "MLIR"]


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_column_of_every_row_is_filled():
    header, _, *terms = rows()
    assert header == HEADER
    assert [row for row in terms if len(row) != len(HEADER) or not all(row)] == []


def test_terms_are_in_order_and_explained_in_one_sentence():
    terms = rows()[2:]
    names = [row[0].lower() for row in terms]
    assert names == sorted(set(names))
    assert [row[0] for row in terms if len(re.findall(r"\.(?:\s|$)", row[1])) != 1] == []


def test_where_is_a_file():
    for term, _, where, *_ in rows()[2:]:
        found = re.fullmatch(r"`([^`]+)`|\[[^]]+\]\(([^)#]+)(#[^)]*)?\)", where)
        assert found, term
        path = ROOT / found[1] if found[1] else ROOT / "docs" / found[2]
        assert path.is_file(), f"{term}: {where}"
