"""What tests of several folders share."""

import gc
import os
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from interpreted import compiled_fast, interpret_programs
from sweep import LONG_TESTS, MODE, SWEEP, chosen

import anvl.dispatch.executables
from anvl.dialect.core.context import context
from anvl.dialect.core.dialect import Anvl
from anvl.dialect.core.mlir import ir, register_view
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

_COMPILES = MODE in ("part", "all")  # whether the interpreter runs nothing that is jitted


@pytest.fixture(autouse=True, scope="module")
def fast_programs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Programs of jitted functions have their numbers soon, where the file is none of the list."""
    if _runs_as_users_do(request.path) or os.environ.get("ANVL_TEST_AS_USERS"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        if _COMPILES:
            patch.setattr(anvl.dispatch.executables, "compile_lowered", compiled_fast)
        else:
            interpret_programs(patch)
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
    """The ops that a test defines are gone for the tests after it; MLIR still knows them.

    Those of StableHLO have no rules again.
    """
    before = dict(OPS)
    yield
    for name in OPS.keys() - before.keys():
        if name.startswith("stablehlo."):
            with context():
                register_view(Anvl, type(name, (ir.OpView,), {"OPERATION_NAME": name}))
    OPS.clear()
    OPS.update(before)


def _runs_as_users_do(path: Path) -> bool:
    if MODE == "part" and any(path.match(pattern) for pattern in _AS_USERS_IN_PART):
        return True
    return bool(_AS_USERS & set(path.parts)) and (_COMPILES or path.name not in _SOON)


def _runs_as_before(item: pytest.Item) -> bool:
    """Whether XLA runs a test for users in `make test` already."""
    return bool(_AS_USERS & set(item.path.parts)) and item.path.name not in _SOON


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
    is_named = partial(_is_named, config)
    run = chosen(items, MODE, is_named, _runs_as_before, LONG_TESTS)
    config.hook.pytest_deselected(items=[item for item in items if item not in run])
    items[:] = [item for item in items if item in run]


def _is_named(config: pytest.Config, item: pytest.Item) -> bool:
    """Whether the file of a test is named on the command line."""
    return any(argument.endswith(item.path.name) for argument in config.args)
