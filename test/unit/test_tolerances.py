"""Tolerances come from one place, and know the dtype."""

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from tolerances import assert_close, rounding

TESTS = Path(__file__).parent


def test_no_test_says_a_rounding_error_in_digits():
    """`rtol=1e-12` is right for one dtype and one processor: `rounding(PROGRAM)` says of which."""
    literal = re.compile(r"\b(?:rtol|atol)=\d(?:\.\d+)?e-(?:09|9|1[0-9])\b")
    found = [
        f"{path.name}:{number}"
        for path in TESTS.rglob("*.py")
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if literal.search(line)
    ]
    assert not found


def test_the_narrowest_dtype_counts():
    x = np.ones(2)
    assert rounding(4) == rounding(4, x) == rounding(4, x, 3) == 2.0**-50
    assert rounding(4, x, np.float32(1)) == rounding(4, "complex64") == 2.0**-21
    assert rounding(4, x, x.astype("f2")) == 2.0**-8
    assert rounding(2, ml_dtypes.bfloat16) == 2.0**-6
    assert rounding(4, np.arange(3)) == 0


def test_an_error_that_says_nothing_is_refused():
    with pytest.raises(ValueError, match=r"error of 4.88 says nothing: .* below 102"):
        rounding(5000, np.float16)


def test_neighbours_in_a_narrow_dtype_are_close():
    x = np.float16([-0.4944, 3])
    assert_close(np.nextafter(x, np.float16(9)), x, length=4)
    assert_close(x.astype("f4"), x, length=4)
    with pytest.raises(AssertionError):
        assert_close(x, [-0.4, 3], length=4)
    assert_close(x.astype(ml_dtypes.bfloat16), x, length=4)
