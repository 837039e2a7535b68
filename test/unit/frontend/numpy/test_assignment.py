"""`x[index] = y`: refused, and where it is allowed seen by what should see it, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

X = np.arange(12.0, dtype="float32").reshape(3, 4)


def assign(x, index, value):
    x[index] = value


def test_assignment_is_refused_unless_it_is_allowed():
    x = anp.asarray(X)
    for f in (lambda x: assign(x, 0, 1), anvl.jit(lambda v: assign(x, 0, 1))):
        with pytest.raises(TypeError, match=r"x.at.*allow_item_assignment=True"):
            f(x)
    with anvl.config(allow_item_assignment=True):
        for f in (anvl.jit(lambda v: assign(v, 0, 1)), anvl.jit(lambda v: assign(x, 0, 1))):
            with pytest.raises(TypeError, match="arrays are never changed in place"):
                f(x)
        with pytest.raises(TypeError, match="does not hold"):
            x[0] = 1j
        with pytest.raises(IndexError, match="out of range"):
            x[3] = 1
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize(
    ("index", "value"),
    [
        (0, 5), ((slice(None), -1), [1.0, 2, 3]), (..., 0), (X > 4, -1.0), (X > 9, [7.0, 8]),
        (np.asarray([2, 0]), X[:2]), (False, 3), ((1, slice(0, 2)), np.asarray([5, 6])),
    ],
    ids=str,
)  # fmt: skip
def test_an_allowed_assignment_is_numpys(index, value):
    x, wanted = anp.asarray(X), X.copy()
    other, view, result = x, x.numpy(), x + 0
    value = anp.asarray(value, "float32") if isinstance(value, list) else value
    with anvl.config(allow_item_assignment=True):
        x[index] = value
    wanted[index] = np.asarray(value)
    np.testing.assert_array_equal(x, wanted)
    np.testing.assert_array_equal(other, wanted)
    np.testing.assert_array_equal(view, X)
    np.testing.assert_array_equal(result, X)


def test_a_slice_hands_an_assignment_on_to_its_array():
    x, wanted = anp.asarray(X), X.copy()
    with anvl.config(allow_item_assignment=True):
        x[1][2:][0] = 50
        part = x[np.int64(0), 1:]
        part[:] = 60
        part += 1  # a new array
        picked = x[np.asarray([2])]
        picked[0] = 70  # a copy, for NumPy too
    wanted[1][2:][0], wanted[0, 1:] = 50, 60
    np.testing.assert_array_equal(x, wanted)
    assert part.tolist() == [61, 61, 61] and picked.tolist() == [[70] * 4]


def test_a_constant_of_a_compiled_function_is_never_assigned_to():
    scale = anp.ones(2)
    f = anvl.jit(lambda x: x * scale)
    assert f(anp.ones(2)).tolist() == [1, 1]
    with anvl.config(allow_item_assignment=True):
        with pytest.raises(TypeError, match=r"a compiled function closes over x, f32\[2\].*x.copy"):
            scale[0] = 3.0
        part = scale[:1]
        with pytest.raises(TypeError, match="a compiled function closes over x"):
            part[0] = 3.0
        changed = scale.copy()
        changed[0] = 3.0
    assert changed.tolist() == [3, 1] and scale.tolist() == [1, 1]


# -- code of others --------------------------------------------------------------------------------

#: SciPy's own code makes them NumPy arrays.
LEFT_OUT = {"scipy": ["integrate.simpson: gives a ndarray", "linalg.solve: gives a ndarray"]}


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize(("library", "count"), [("scipy", 22), ("sklearn", 8)])
def test_functions_of_other_libraries_take_and_return_arrays(library, count):
    pytest.importorskip(library)
    script = Path(__file__).with_name("dispatching.py")
    child = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), library],
        env=os.environ | {"SCIPY_ARRAY_API": "1", "ANVL_CACHE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    first, *differences = [line for line in child.stdout.splitlines() if line]
    assert first == f"{count} calls"
    assert differences == LEFT_OUT.get(library, [])
