"""Every public function beside NumPy's or SciPy's, on calls that hypothesis draws.

A function is a line of a table `lines_*.py`.  `make differential EXAMPLES=30 LINES=quantile` runs
some lines with many calls.
"""

import importlib
import inspect
import os
from collections.abc import Callable
from typing import Any

import pytest
from comparing import Line, agree
from drawing import Draw
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lines_arrays import ARRAYS
from lines_elementwise import ELEMENTWISE
from lines_linear import LINEAR
from lines_reductions import REDUCTIONS
from lines_signals import SIGNALS
from lines_special import SPECIAL
from sweep import SWEEP
from taylor import differentiate
from without import WITHOUT

import anvl.numpy

LINES = [*ELEMENTWISE, *REDUCTIONS, *ARRAYS, *LINEAR, *SPECIAL, *SIGNALS]
MODULES = {
    "numpy": "anvl.numpy", "linalg": "anvl.numpy.linalg", "fft": "anvl.numpy.fft", "nn": "anvl.nn",
    "special": "anvl.scipy.special", "scipy.linalg": "anvl.scipy.linalg",
    "stats": "anvl.scipy.stats", "signal": "anvl.scipy.signal", "scipy.fft": "anvl.scipy.fft",
    "ndimage": "anvl.scipy.ndimage", "interpolate": "anvl.scipy.interpolate",
}  # fmt: skip
EXAMPLES = int(os.environ.get("ANVL_EXAMPLES", "30" if SWEEP else "1"))

drawn = settings(
    max_examples=EXAMPLES, derandomize=EXAMPLES == 1, deadline=None, database=None,
    suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
    report_multiple_bugs=False,
)  # fmt: skip


#: Programs of these take seconds to compile.
LONG = {id(line) for line in [*LINEAR, *SPECIAL]}


def cases(lines: list[Line], **kept: int) -> Any:
    """A test for each line, numbered where a function has several; `kept` is for `sweep`."""
    seen: dict[str, int] = {}
    made = []
    for line in lines:
        seen[line.name] = count = seen.get(line.name, 0) + 1
        name = line.name if count == 1 else f"{line.name}-{count}"
        mark = pytest.mark.sweep(**({"keep": 0, "part": 0} if id(line) in LONG else kept))
        made.append(pytest.param(line, id=name, marks=mark))
    return pytest.mark.parametrize("line", made)


@cases(LINES, keep=40, part=30)
def test_values(line: Line) -> None:
    @drawn
    @given(st.data())
    def every(data: Any) -> None:
        call = line.draw(Draw(data))
        agree(line, call, [data.draw(st.booleans()) for _ in range(3)])

    every()


@cases([line for line in LINES if line.smooth and line.traced], keep=10, part=10)
def test_derivatives(line: Line) -> None:
    @drawn
    @given(st.data())
    def every(data: Any) -> None:
        call = line.draw(Draw(data, "float64"))
        differentiate(line, call, data.draw(st.sampled_from(sorted({*line.flavours} & {*"ptz"}))))

    every()


def public(module: str) -> dict[str, Callable[..., Any]]:
    found = importlib.import_module(module)
    named = {name: getattr(found, name) for name in getattr(found, "__all__", dir(found))}
    return {
        name: f
        for name, f in named.items()
        if callable(f) and not name.startswith("_") and not inspect.ismodule(f)
        if not (module == "anvl.numpy" and isinstance(f, type))  # dtypes
    }


def test_every_function_has_a_line_or_a_reason() -> None:
    listed = {name for names in WITHOUT.values() for name in names.split()}
    known = {line.name for line in LINES} | {f"numpy.{n}" for n in listed if "." not in n} | listed
    have = {id(inspect.unwrap(line.f)) for line in LINES}
    missing = [
        f"{short}.{name}"
        for short, module in MODULES.items()
        for name, f in public(module).items()
        # One that has the name of a family, such as a distribution, has lines for its functions.
        if not any(k == f"{short}.{name}" or k.startswith(f"{short}.{name}.") for k in known)
        # Those of SciPy take lists, by a function around them.
        if id(inspect.unwrap(f)) not in have
        and inspect.unwrap(f) is not inspect.unwrap(getattr(anvl.numpy, name, None))
    ]
    assert missing == []


def test_no_reason_is_for_a_function_with_a_line() -> None:
    lines = {line.name for line in LINES}
    listed = [name for names in WITHOUT.values() for name in names.split()]
    assert len(listed) == len(set(listed))
    named = [name if "." in name else f"numpy.{name}" for name in listed]
    assert sorted(lines.intersection(named)) == []
    everything = {f"{short}.{name}" for short, module in MODULES.items() for name in public(module)}
    everything |= {f"numpy.{name}" for name in ("finfo", "iinfo", "vectorize", "printoptions")}
    assert sorted(set(named) - everything) == []
