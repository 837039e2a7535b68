"""The model of what a loop costs: its measurements, the fit of them, and what it decides."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import anvl
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.roll import Roll
from anvl.passes.rolling import costs

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def benchmarks():
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


def test_the_stored_measurements_are_of_what_the_model_reads():
    module = importlib.import_module("rolling_costs")
    measured = module.load()
    assert {one.family for one in measured} == {make.__name__ for make, *_ in module.FAMILIES}
    fitted = module.excess(measured, module.fit(measured))
    always = module.excess(measured, dict.fromkeys(module.NAMES, 0.0))
    assert 1 <= fitted < always  # the model tells which programs gain


def made_of(module, row):
    """Measurements of programs whose times are sums of constants, that of a row among them."""
    drawn, made = np.random.default_rng(0), []
    for _ in range(40):
        read = costs.Features(*map(int, drawn.integers(1, 60, 7)))
        ops = read.elementwise + 0.75 * read.kernels + 0.2 * read.cheap
        rolled = 2 * (ops + 3.0 * read.parts + row * read.rows + 45.0)
        unrolled = 2 * (read.repetitions * ops)
        made.append(module.Measured("", 0, 0, True, read, (unrolled, rolled), (1, 1)))
    return made


def test_a_fit_finds_the_constants_that_times_were_made_of():
    module = importlib.import_module("rolling_costs")
    planted = {"KERNEL": 0.75, "CHEAP": 0.2, "PART": 3.0, "ROW": 1.5, "LOOP": 45.0}
    assert module.fit(made_of(module, 1.5)) == pytest.approx(planted, abs=1e-6)


def test_no_constant_is_negative():
    module = importlib.import_module("rolling_costs")
    found = module.fit(made_of(module, -0.2))
    assert found.pop("ROW") == 0 and min(found.values()) > 0


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("terms", "batch"), ("n_body", "scan"), ("elementwise", "scan"), ("adam", "scan"),
        ("recurrent", "scan"), ("layers", ""),
    ],
)  # fmt: skip
def test_what_becomes_of_the_programs_of_benchmark_l(name, form):
    rolled, sides = map(importlib.import_module, ("rolled", "sides"))
    side = sides.Anvl()
    f, arguments = getattr(rolled, name)(side, 1)
    found = []
    module = anvl.jit(side.grad(f), roll=False).trace(*arguments).program.module
    Pipeline([Roll(on_report=found.extend)]).run(module)
    assert found[0].form == form, found[0]
