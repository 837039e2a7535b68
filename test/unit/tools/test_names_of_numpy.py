"""Names of NumPy that anvl has not: few, and each with a reason in docs/names.md."""

from pathlib import Path

import numpy as np
import pytest

from anvl.tools.dev.name_coverage import complaints, counterparts, reasons

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "names.md").read_text()


@pytest.mark.sweep(keep=0)
@pytest.mark.skipif(not np.__version__.startswith("2.4"), reason="the page is about NumPy 2.4")
def test_absent_names_of_numpy_are_few_and_have_reasons():
    absent = counterparts(None)
    assert set(absent) == {"numpy", "numpy.linalg", "numpy.fft"}
    assert complaints(absent, reasons(PAGE)) == []
    assert complaints(absent, reasons(PAGE) - {"nditer"}) == [
        "numpy: absent without a reason in docs/names.md: nditer"
    ]


def test_too_many_absent_names_and_reasons_without_need_are_found():
    absent = {"jax.numpy": ["20", "a", "b"], "jax.nn": ["10"]}
    assert complaints(absent, {"a", "b", "c"}) == [
        "jax: 2 of 30 names are absent, more than 5 %",
        "docs/names.md: not absent any more: c",
    ]
    assert reasons("| `a`, `b.c` | why |\n|---|---|\n| `d` | |\n") == {"a", "b.c"}
