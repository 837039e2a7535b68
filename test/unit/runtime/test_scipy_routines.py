"""LAPACK is registered without importing `scipy.linalg`, which works before and after."""

import subprocess
import sys

import pytest

_PROGRAM = """
import sys, threading
import numpy as np
import anvl

def ours():
    x = np.float32([[4, 2], [2, 3]])
    factor = anvl.jit(lambda x: anvl.numpy.linalg.cholesky(x))(x)
    np.testing.assert_allclose(factor @ factor.T, x, rtol=1e-5)

def theirs():
    import scipy.linalg
    import scipy.linalg.cython_blas
    assert "dgemm" in scipy.linalg.cython_blas.__pyx_capi__
    np.testing.assert_allclose(scipy.linalg.solve(np.eye(2), np.ones(2)), 1)

def is_imported():
    return any(name.startswith("scipy.linalg") for name in sys.modules)
"""


@pytest.mark.parametrize(
    "steps",
    [
        "ours(); assert not is_imported(); theirs(); ours()",
        "theirs(); ours()",
        "ts = [threading.Thread(target=f) for f in (ours, theirs) * 2]\n"
        "for t in ts: t.start()\n"
        "for t in ts: t.join()\n"
        "ours(); theirs()",
    ],
    ids=["first", "last", "threads"],
)
def test_a_program_with_lapack_beside_scipy_linalg(steps):
    program = f"{_PROGRAM}\n{steps}\nprint('done')"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "done\n", done.stderr
    assert not done.stderr
