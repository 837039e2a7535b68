"""The pages for people who come from NumPy and PyTorch: every name in their tables exists.

`test_readme.py` runs their code, `test_jax_spellings.py` holds the page for JAX.
"""

import functools
import re
from pathlib import Path

import pytest

import anvl
import anvl.numpy as anp

DOCS = Path(__file__).parents[3] / "docs"
ROOTS = {
    "anvl": anvl, "np": anp, "nn": anvl.nn, "optim": anvl.optim, "random": anvl.random,
    "safetensors": anvl.safetensors,
}  # fmt: skip
X = anp.ones((2, 2))


def names(page):
    """The dotted names in the last columns of the tables of a page."""
    cells = [
        line.strip().strip("|").split("|")[1:]
        for line in page.splitlines()
        if line.startswith("| ") and not line.startswith("| PyTorch")
    ]
    codes = [code for row in cells for cell in row for code in re.findall(r"`([^`]+)`", cell)]
    return {
        name for code in codes for name in re.findall(r"(?<![\w.\"])([a-z]+(?:\.\w+)+)", code)
        if name.partition(".")[0] in (*ROOTS, "x")
    }  # fmt: skip


def missing(name):
    root, *steps = name.split(".")
    try:
        functools.reduce(getattr, steps, X if root == "x" else ROOTS[root])
    except AttributeError as error:
        return str(error)
    return None


@pytest.mark.parametrize(("page", "least"), [("numpy", 30), ("pytorch", 55)])
def test_every_name_exists(page, least):
    found = names((DOCS / f"coming-from-{page}.md").read_text())
    assert len(found) >= least
    assert not [problem for name in sorted(found) if (problem := missing(name))]


def test_a_name_that_is_not_there_is_found():
    (name,) = names("| NumPy | here |\n| `np.ones(x)` | `np.onse(x)` |")
    assert "onse" in missing(name)
