"""Runs the numeric tests as if on other processors, as far as this one can: `make test-processors`.

    python tools/dev/processors.py                        every setting
    python tools/dev/processors.py AVX2 SkylakeX          only these
    python tools/dev/processors.py Zen -- -k qr           arguments for pytest

XLA and OpenBLAS choose their instructions where they run, and round in other places with each.  XLA
is told by `XLA_FLAGS=--xla_cpu_max_isa=`, OpenBLAS, which has the routines of LAPACK, by
`OPENBLAS_CORETYPE=`.  What this processor cannot execute is left out.  Where NumPy alone is wrong
with one of OpenBLAS's kernels, no program can be right: that is said in place of a count.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TESTS = Path("test/unit")

#: Numeric tests that depend on LAPACK's rounding.
LINALG_TESTS = (
    "dialect/test_linalg.py", "dialect/test_dependent_columns.py",
    "dialect/test_edges_of_matrices.py", "frontend/test_residuals.py",
    "frontend/numpy/test_numpy_linalg.py",
)  # fmt: skip
#: Numeric tests that depend on XLA's rounding, in addition.
XLA_TESTS = (
    "dialect/test_values.py", "dialect/test_corners.py", "dialect/test_edges.py",
    "frontend/test_reduce.py", "frontend/numpy/test_elementwise.py",
    "frontend/numpy/test_reductions.py",
)  # fmt: skip


class Setting(NamedTuple):
    """The environment of a library setting, and the processor flags that it requires."""

    name: str
    variable: str
    value: str
    needs: frozenset[str]
    tests: tuple[str, ...]


def _xla(isa: str, needs: str) -> Setting:
    value = f"--xla_cpu_max_isa={isa}"
    return Setting(isa, "XLA_FLAGS", value, frozenset(needs.split()), XLA_TESTS + LINALG_TESTS)


def _openblas(core: str, needs: str) -> Setting:
    return Setting(core, "OPENBLAS_CORETYPE", core, frozenset(needs.split()), LINALG_TESTS)


SETTINGS = (
    _xla("AVX2", "avx2 fma"),
    _xla("AVX512", "avx512f avx512bw avx512cd avx512dq avx512vl"),
    _openblas("Prescott", "pni"),
    _openblas("Haswell", "avx2 fma"),
    _openblas("Zen", "avx2 fma"),
    _openblas("SkylakeX", "avx512f avx512bw avx512cd avx512dq avx512vl"),
)

#: NumPy's products and factors, against sums of integers and against each other.
_NUMPY_ALONE = """
import numpy as np
random = np.random.default_rng(0)
for dtype in "fdFD":
    eps = np.finfo(dtype).eps
    for m, n in ((2, 2), (7, 3), (30, 30), (65, 33), (130, 130), (300, 120)):
        x = random.integers(-9, 10, (m, n))
        x = x + 1j * random.integers(-9, 10, (m, n)) if dtype in "FD" else x
        a, b = x.astype(dtype), x.T.conj().astype(dtype)
        wanted = np.einsum("ik,kj->ij", a.astype("D"), b.astype("D"))
        assert np.array_equal(a @ b, wanted), f"a product of {m} by {n} in {a.dtype} is wrong"
        size = 50 * eps * np.abs(wanted).max() * m
        q, r = np.linalg.qr(a)
        assert np.abs(q @ r - a).max() < size, f"qr of {m} by {n} in {a.dtype} is wrong"
        u, s, v = np.linalg.svd(a, full_matrices=False)
        assert np.abs((u * s) @ v - a).max() < size, f"svd of {m} by {n} in {a.dtype} is wrong"
        if m == n:
            y = np.linalg.solve(a + 99 * np.eye(n, dtype=dtype), b)
            off = np.abs((a + 99 * np.eye(n, dtype=dtype)) @ y - b).max()
            assert off < size * np.abs(y).max(), f"solve of {n} rows in {a.dtype} is wrong"
"""


_SEVERAL = ("-n", "auto", "--maxprocesses=4", "--dist=worksteal")  # as in `run_tests.py`


class Outcome(NamedTuple):
    """Result of the tests with a setting."""

    setting: Setting
    passed: int
    failed: int
    seconds: float
    remark: str = ""

    def __str__(self) -> str:
        name = f"{self.setting.variable}={self.setting.value}"
        counts = f"{self.passed:>7} |{self.failed:>7} |{self.seconds:>6.0f} s"
        return f"| {name:36} |{counts} | {self.remark} |"


def flags_here() -> set[str]:
    """Flags of this processor; empty where Linux does not list them."""
    path = Path("/proc/cpuinfo")
    found = re.search(r"^flags\s*: (.*)$", path.read_text(), re.M) if path.exists() else None
    return set(found[1].split()) if found else set()


def run(setting: Setting, extra: Sequence[str]) -> Outcome:
    """Run the tests with this setting, in a process of their own."""
    missing = sorted(setting.needs - flags_here())
    if missing:
        return Outcome(setting, 0, 0, 0, f"left out: this processor has no {' '.join(missing)}")
    environment = _environment(setting)
    alone = subprocess.run(
        [sys.executable, "-c", _NUMPY_ALONE], env=environment, capture_output=True, text=True
    )
    if alone.returncode:
        why = (alone.stderr.strip().splitlines() or [f"it ends with {alone.returncode}"])[-1]
        return Outcome(setting, 0, 0, 0, f"left out: NumPy alone is wrong: {why}")
    start = time.perf_counter()
    paths = [str(TESTS / name) for name in setting.tests]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *_SEVERAL,
        *extra,
        *paths,
    ]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    return _outcome(setting, done, time.perf_counter() - start)


def _environment(setting: Setting) -> dict[str, str]:
    before = os.environ.get("XLA_FLAGS", "") if setting.variable == "XLA_FLAGS" else ""
    as_users = {"ANVL_TEST_AS_USERS": "1"}  # compiled as in use, not as fast as possible
    return os.environ | as_users | {setting.variable: f"{before} {setting.value}".strip()}


def _outcome(setting: Setting, done: "subprocess.CompletedProcess[str]", seconds: float) -> Outcome:
    print(done.stdout[done.stdout.find("\n=") :] if done.returncode else "", end="", flush=True)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    passed, failed, errors = (
        int(found[1]) if (found := re.search(rf"(\d+) {word}", last)) else 0
        for word in ("passed", "failed", "error")
    )
    remark = ""
    if done.returncode and not failed + errors:
        remark, errors = f"pytest ended with {done.returncode}", 1
    return Outcome(setting, passed, failed + errors, seconds, remark)


def chosen(names: Sequence[str]) -> list[Setting]:
    """Settings by name; all if none is named."""
    known = {setting.name: setting for setting in SETTINGS}
    unknown = sorted(set(names) - known.keys())
    if unknown:
        raise SystemExit(
            f"processors: no setting {', '.join(unknown)}; there are {', '.join(known)}"
        )
    return [known[name] for name in names] or list(SETTINGS)


def main(argv: Sequence[str]) -> int:
    split = list(argv).index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="SETTING")
    outcomes = []
    for setting in chosen(parser.parse_args(argv[:split]).names):
        outcomes.append(run(setting, argv[split + 1 :]))
        print(outcomes[-1], flush=True)
    print(f"\n| {'setting':36} | passed | failed |   time  | remark |")
    print("|---|---|---|---|---|", *outcomes, sep="\n")
    passed, failed = sum(o.passed for o in outcomes), sum(o.failed for o in outcomes)
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
