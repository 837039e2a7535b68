"""What tests of several folders share."""

import gc
import os
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from interpreted import compiled_fast, interpreted
from sweep import LONG_TESTS, MODE, SWEEP, every_sixth

import anvl.dispatch.executables
from anvl.dialect.core.op_registry import OPS
from anvl.testing.program import Program

# Programs are compiled in each run, also in processes that tests start, and nothing is written to
# the home directory.  Tests of the cache on disk have it in folders of their own.
os.environ["ANVL_CACHE"] = "0"

# Compiling takes most of the time of tests, and most tests ask for numbers, not for speed: so the
# reference interpreter runs their programs (see interpreted.py), and XLA compiles the others as
# fast as it can, in a third of the time.  Not so in these folders and files, where what XLA makes
# of a program is tested.  `make sweep-part` and `make sweep` compile all programs, and
# ANVL_TEST_AS_USERS=1 compiles them as users do; `make test-processors` sets it.
_AS_USERS = {
    "passes", "runtime", "tools", "test_readme.py", "test_executables.py",
    "test_regressions.py", "test_stages.py", "test_jit.py", "test_linalg.py", "test_hlo_lines.py",

}  # fmt: skip

# Of these, those that `make test` runs as it does the rest, and `make sweep-part` as users do: they
# ask for the numbers of long programs.
_SOON = {
    "test_lift_forms.py", "test_lift_libraries.py", "test_lift_routines.py", "test_outlining.py",
    "test_simplify_control_flow.py",
}  # fmt: skip

# Where the interpreter differs from XLA, whose numbers users get: subnormal numbers, windows that
# lie in part outside of an array, the order of NaN.
_OF_XLA = {
    "test_against_jax.py", "test_edges_of_values.py", "test_indexing.py", "test_sorting.py"
}  # fmt: skip

# Numbers of long programs, which `make sweep-part` compiles as users do: the tests that it has of
# these files are few.
_AS_USERS_IN_PART = (
    "test_distribution*.py", "test_nn_*.py", "test_optim*.py", "test_scipy_*.py", "test_staples*.py"
)  # fmt: skip

# Tests of functions that are written with ops, which have tests of their own.  Of those without a
# mark `make test` has every third, `make sweep-part` one in nine, by XLA.  A file that is named has
# all of them.
_IN_THIRDS = (
    "test_distribution*.py", "test_fft.py", "test_nn_*.py", "test_numpy_linalg.py",
    "test_optim*.py", "test_scipy_*.py",
)  # fmt: skip

_EVERY_THIRD = -1  # for the `part` of a mark `sweep(keep=0)`
_ONE_IN = 50  # of the other tests without a mark, in `make sweep-part`
_COMPILES = MODE in ("part", "all")  # whether the interpreter runs nothing that is jitted


@pytest.fixture(autouse=True, scope="module")
def fast_programs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Programs of jitted functions have their numbers soon, where the file is none of the list."""
    if _runs_as_users_do(request.path) or os.environ.get("ANVL_TEST_AS_USERS"):
        yield
        return
    executable_of = compiled_fast if _COMPILES else interpreted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anvl.dispatch.executables, "compile_lowered", executable_of)
        is_of_xla = request.path.parent.name == "dialect" and request.path.name in _OF_XLA
        patch.setattr(Program, "interprets_all", not (_COMPILES or is_of_xla))
        yield
    anvl.dispatch.executables.clear_executables()


@pytest.fixture(autouse=True)
def same_draws(request: pytest.FixtureRequest) -> None:
    """A module's generators of random numbers start anew in each test, whichever ran before it."""
    for value in vars(request.module).values():
        if isinstance(value, np.random.Generator):
            seed = zlib.crc32(request.node.name.encode())
            value.bit_generator.state = np.random.default_rng(seed).bit_generator.state


@pytest.fixture
def own_ops() -> Iterator[None]:
    """The ops that a test defines are gone for the tests after it; MLIR still knows them."""
    before = dict(OPS)
    yield
    OPS.clear()
    OPS.update(before)


def _runs_as_users_do(path: Path) -> bool:
    if MODE == "part" and any(path.match(pattern) for pattern in _AS_USERS_IN_PART):
        return True
    return bool(_AS_USERS & set(path.parts)) and (_COMPILES or path.name not in _SOON)


def _is_of_part(item: pytest.Item) -> bool:
    """Whether a test without a mark is in `make sweep-part`: not if it would run as before."""
    runs_as_before = bool(_AS_USERS & set(item.path.parts)) and item.path.name not in _SOON
    return not runs_as_before and _hash(item) % _ONE_IN == 0


def _is_in_thirds(config: pytest.Config, item: pytest.Item) -> bool:
    is_of_them = any(item.path.match(pattern) for pattern in _IN_THIRDS)
    return is_of_them and not _is_named(config, item)


def _is_named(config: pytest.Config, item: pytest.Item) -> bool:
    """Whether the file of a test is named on the command line."""
    return any(argument.endswith(item.path.name) for argument in config.args)


def _hash(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.encode())


def pytest_collection_finish() -> None:
    """Leave ten thousand cases, and all that was imported for them, out of garbage collections."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose among the tests, and the cases of those marked `sweep(keep=n, part=m)`: see sweep.py.

    A test that is named, `file.py::test`, has all of its cases.
    """
    if SWEEP or any("::" in argument for argument in config.args):
        return
    cases: dict[tuple[str, int, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        name = item.nodeid.partition("[")[0]
        if marker := item.get_closest_marker("sweep"):
            keep = marker.kwargs["keep"]
            part = marker.kwargs.get("part", (keep + 1) // 2 or _EVERY_THIRD)
            cases[name, keep, part].append(item)
        elif name in LONG_TESTS and not _is_named(config, item):
            keep = LONG_TESTS[name]
            cases[name, keep, (keep + 3) // 4 or _EVERY_THIRD].append(item)
    unmarked = set(items) - {i for of in cases.values() for i in of}
    in_thirds = {item for item in unmarked if _is_in_thirds(config, item)}
    of_test = unmarked - {item for item in in_thirds if _hash(item) % 3}
    of_part = {item for item in unmarked - in_thirds if _is_of_part(item)}
    of_part |= {item for item in in_thirds if _hash(item) % 9 == 1}
    for (_, keep, part), of in cases.items():
        mixed = sorted(of, key=lambda item: zlib.crc32(item.name.encode()))
        of_test.update(mixed[:keep])
        if part == _EVERY_THIRD:
            of_part.update(item for item in of if _hash(item) % 3 == 1)
        else:
            of_part.update(mixed[keep : keep + part])
    if MODE == "newest":
        chosen = every_sixth(of_test, of_part)
    else:
        chosen = of_part if MODE == "part" else of_test
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]
