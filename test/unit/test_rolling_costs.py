"""The model of what a loop costs: its measurements, the fit of them, and what it decides."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import anvl
import anvl.numpy as xp
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.roll import Roll
from anvl.passes.rolling import costs, fitted

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def benchmarks():
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def measured():
    return importlib.import_module("rolling_costs").load()


def test_the_constants_are_those_that_fit_the_stored_measurements(measured):
    module, fit = map(importlib.import_module, ("rolling_costs", "rolling_fit"))
    assert fitted.COMPILATION == pytest.approx(module.fitted_to(measured), rel=0.05)
    assert Path(fitted.__file__).read_text() == fit.text_of(fitted.COMPILATION)


def test_the_stored_measurements_are_of_the_families(measured):
    module = importlib.import_module("rolling_costs")
    assert {one.family for one in measured} == {make.__name__ for make, *_ in module.FAMILIES}
    assert {one.way for one in measured} == set(module.WAYS)


def test_the_model_chooses_better_than_one_way_for_all(measured):
    module, fit = map(importlib.import_module, ("rolling_costs", "rolling_fit"))
    pairs = module.pairs_of(measured)
    zeros = dict.fromkeys(fitted.COMPILATION, 0.0)
    unrolled = zeros | {"numbers": 1.0, "arrays": 1.0, "batch": 1.0}
    rolled = dict.fromkeys(("elementwise", "cheap", "moves", "reductions"), 1.0)
    rolled |= dict.fromkeys(("matrices", "vectors", "others", "calls"), 1.0)
    one_way = min(fit.excess(pairs, zeros | way) for way in (unrolled, rolled))
    assert 1 <= fit.excess(pairs, fitted.COMPILATION) < one_way


def test_a_fit_finds_the_constants_that_times_were_made_of():
    fit = importlib.import_module("rolling_fit")
    planted = {"program": 20.0, "elementwise": 1.0, "moves": 12.0, "reductions": 30.0}
    planted |= {"parts": 3.0, "loop": 90.0}
    drawn, pairs = np.random.default_rng(0), []
    for _ in range(60):
        once = {
            kind: float(drawn.integers(0, 5)) for kind in ("elementwise", "moves", "reductions")
        }
        n = int(drawn.integers(4, 60))
        unrolled = {"program": 1.0} | {kind: n * count for kind, count in once.items()}
        rolled = {"program": 1.0, "parts": float(drawn.integers(0, n)), "loop": 1.0} | once
        ratio = fit.price(unrolled, planted) / fit.price(rolled, planted)
        pairs.append(((unrolled, rolled), ratio))
    assert fit.fit(pairs, "elementwise") == pytest.approx(planted, rel=0.1)
    assert fit.excess(pairs, planted) == 1


def test_what_no_program_tells_stays_one():
    fit = importlib.import_module("rolling_fit")
    ways = {"elementwise": 40.0}, {"elementwise": 1.0, "loop": 10.0, "rows": 0.0}
    found = fit.fit([(ways, 40 / 21)], "elementwise")
    assert found == pytest.approx({"elementwise": 1.0, "loop": 2.0, "rows": 1.0}, rel=0.02)


def kinds(f, *shapes):
    """The model's counts of ops of the step that a program repeats 30 times."""
    module = importlib.import_module("rolling_costs")

    def program(x, *rest):
        for _ in range(30):
            x = f(x, *rest)
        return x

    arrays = [np.ones(shape, dtype=np.float32) for shape in shapes]
    read, run = module.features_of_program(program, arrays)
    of_ops = {name: n for name, n in read._asdict().items() if type(n) is int and n}
    return of_ops | {"form": read.form}, run


@pytest.mark.parametrize(
    ("f", "shapes", "wanted"),
    [
        (lambda x: xp.sin(x), [3], {"elementwise": 1}),
        (lambda x: xp.sin(x), [()], {"elementwise": 1, "form": "numbers"}),
        (lambda x: x[::-1], [3], {"moves": 1}),
        (lambda x: xp.concatenate([x[1:], x[:1]]), [3], {"moves": 3}),
        (lambda x, w: w @ x, [3, (3, 3)], {"vectors": 1}),
        (lambda x, w: x @ w, [(2, 3), (3, 3)], {"matrices": 1}),
        (lambda x: xp.sort(x), [3], {"others": 1, "form": "library"}),
        (lambda x, w: x @ w, [(8, 8), (8, 8)], {"matrices": 1, "form": "library"}),
        (lambda x, w: x @ w, [(8, 7), (7, 7)], {"matrices": 1}),
        (lambda x: x - xp.sum(x), [4095], {"elementwise": 1, "reductions": 1, "cheap": 1}),
        (
            lambda x: x - xp.sum(x),
            [4096],
            {"elementwise": 1, "reductions": 1, "cheap": 1, "form": "library"},
        ),
        (lambda x: x * xp.max(x), [3], {"elementwise": 1, "reductions": 1, "cheap": 1}),
    ],
)
def test_the_kind_of_an_op_follows_from_its_properties(f, shapes, wanted):
    assert kinds(f, *shapes)[0] == {"repetitions": 30, "form": "arrays"} | wanted


def test_arrays_of_each_step_are_copied_and_slices_of_one_are_not():
    module = importlib.import_module("rolling_costs")

    def of_arrays(x, *weights):
        for w in weights:
            x = xp.tanh(w @ x)
        return x

    def of_slices(x, weights):
        for i in range(8):
            x = xp.tanh(weights[i] @ x)
        return x

    x, w = np.ones(64, dtype=np.float32), np.ones((64, 64), dtype=np.float32)
    read, run = module.features_of_program(of_arrays, [x, *[w] * 8])
    assert (read.parts, run.copied) == (8, 64 * 64)
    assert "longer to put together than to use" in costs.why_slower(read, run)
    read, run = module.features_of_program(of_slices, [x, np.stack([w] * 8)])
    assert (read.parts, run.copied) == (0, 0)
    assert not costs.why_slower(read, run)


def test_steps_that_are_differentiated_twice_are_sooner_worth_a_loop():
    def f(x):
        for _ in range(5):
            x = x + 0.05 * (xp.sin(x) * xp.exp(-x * x))
        return xp.sum(x)

    def report(g):
        return anvl.jit(g).lower(anvl.aval("f32", (32,))).report()

    assert report(anvl.grad(f)).endswith("it would not be compiled faster")
    assert report(anvl.hessian(f)).endswith("became a scan")
    # Of a function that calls it, as well.
    assert report(lambda x: anvl.hessian(lambda x: 2 * anvl.remat(f)(x))(x)).endswith("a scan")


@pytest.mark.parametrize(
    ("count", "step", "why"),
    [
        (20, xp.sin, "compute less than a loop costs"),
        (40, lambda x: xp.sin(x) * xp.cos(x), "became a scan"),  # 1,680 additions in all
        (100, lambda x: x * 1.01 + 0.1, "compute less than a loop costs"),
        (200, lambda x: x * 1.01 + 0.1, "became a scan"),  # which would take long to compile
    ],
)
def test_steps_on_a_number_stay_if_few_compute_little(count, step, why):
    def f(x):
        for _ in range(count):
            x = step(x)
        return x

    assert why in str(anvl.jit(f).lower(1.0).report())


def terms_of(count):
    def f(x):
        return xp.sum(sum(xp.sin(x * float(i)) * xp.exp(-x * x * float(i)) for i in range(count)))

    return f


def also_the_value(f):
    return lambda x: f(x) * anvl.grad(f)(x)


@pytest.mark.parametrize(
    ("way", "count", "shape", "is_rolled"),
    [
        (anvl.grad, 20, (1_000,), False),
        (lambda f: anvl.vmap(anvl.grad(f)), 20, (2, 1_000), False),
        (anvl.grad, 20, (10,), True),  # too few elements for two cores
        (anvl.grad, 200, (100,), True),  # too long to compile
        (lambda f: f, 20, (1_000,), True),
        (anvl.value_and_grad, 20, (1_000,), True),
        (also_the_value, 20, (1_000,), True),
        (anvl.jacfwd, 20, (1_000,), True),
    ],
)
def test_terms_stay_one_kernel_where_their_gradient_alone_is_read(way, count, shape, is_rolled):
    report = anvl.jit(way(terms_of(count))).lower(anvl.aval("f32", shape)).report()
    assert report.endswith("became a batch") == is_rolled, report


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
