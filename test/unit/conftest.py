"""What tests of several folders share."""

import os
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sweep import MODE, SWEEP

import anvl.dispatch.executables
import anvl.runtime as rt
from anvl.dialect.core.op_registry import OPS
from anvl.testing.program import OLD_EMITTERS, compile_fast

# Compiling takes most of the time of tests, and most tests ask for numbers, not for speed: programs
# are compiled as fast as they can be, in a third of the time, but in those folders and files where
# what XLA makes of a program is what is tested.  ANVL_TEST_AS_USERS=1 compiles all of them as users
# do; `make test-processors` sets it.
_AS_USERS = {
    "passes", "runtime", "tools", "test_readme.py", "test_executables.py",
    "test_regressions.py", "test_stages.py", "test_jit.py", "test_linalg.py",
    "test_distributions.py",
}  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def fast_compilation(request: pytest.FixtureRequest) -> Iterator[None]:
    """Programs of jitted functions are compiled fast, where the file is none of the list above."""
    if _AS_USERS & set(Path(request.path).parts) or os.environ.get("ANVL_TEST_AS_USERS"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anvl.dispatch.executables, "compile_lowered", _compiled_fast)
        yield
    anvl.dispatch.executables.clear_executables()


def _compiled_fast(program: bytes | str, *args: Any, options: Any = None, **rest: Any) -> Any:
    given = options or {}
    try:
        return compile_fast(program, *args, options=OLD_EMITTERS | given, **rest)
    except rt.RuntimeFailure:  # old emitters lack some ops
        return compile_fast(program, *args, options=given, **rest)


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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose among the cases of tests marked `sweep(keep=n, part=m)`: see sweep.py.

    A test that is named, `file.py::test`, has all of its cases.
    """
    if SWEEP or any("::" in argument for argument in config.args):
        return
    cases: dict[tuple[str, int, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if marker := item.get_closest_marker("sweep"):
            keep = marker.kwargs["keep"]
            part = marker.kwargs.get("part", keep or len(items))
            cases[item.nodeid.partition("[")[0], keep, part].append(item)
    chosen = set() if MODE == "part" else set(items) - {i for of in cases.values() for i in of}
    for (_, keep, part), of_test in cases.items():
        mixed = sorted(of_test, key=lambda item: zlib.crc32(item.name.encode()))
        chosen.update(mixed[keep : keep + part] if MODE == "part" else mixed[:keep])
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]
