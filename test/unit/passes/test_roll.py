"""Programs with repetition, rolled and not: the values are the same to the bit.

The reference interpreter of StableHLO runs both, which rounds each op by itself.
"""

import random
import sys
from collections import Counter

import numpy
import pytest
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as np
from anvl.passes.rolling import stretches
from anvl.passes.rolling.items import Block

RANDOM = numpy.random.default_rng(1)
X = RANDOM.normal(size=4).astype("f")
ROWS = RANDOM.normal(size=(26, 4)).astype("f")
W = (RANDOM.normal(size=(4, 4)) * 0.4).astype("f")

PROGRAMS = {}


def program(form):
    """Register a function of X, with the form that its first stretch takes."""
    return lambda f: PROGRAMS.setdefault(f.__name__, (f, form))[0]


@program("scan")
def two_steps_back(x):
    a, b = x, x * 2
    for _ in range(8):
        a, b = b, np.sin(a) + np.cos(b) * 0.5
    return np.sum(a + b)


@program("scan")
def three_steps_back_and_all_values_wanted(x):
    found = [x, x + 1, x * x]
    for _ in range(9):
        found.append(np.tanh(found[-1] * found[-3]) + np.exp(-(found[-2] ** 2)))
    return np.sum(np.stack(found) * np.arange(12.0)[:, None])


@program("scan")
def all_of_four_states_that_are_shifted(x):
    a, b, c, d = x, x * 2, np.sin(x), np.cos(x)
    for _ in range(9):
        a, b, c, d = b, c, d, np.sin(a) * np.exp(-d * d) + np.tanh(b - c) * 0.5
    return np.sum(a + b * 2 + c * 3 + d * 4)


@program("scan")
def what_the_last_step_computed_beside_its_state(x):
    a, b = x, x * 2
    for _ in range(9):
        t = np.sin(a) * np.exp(-b * b)
        a, b = np.cos(t) * a + b * 0.1, np.tanh(b - t) + a * 0.3
    return np.sum(a + b * 2 + t * 3)


@program("scan")
def rows_of_a_captured_table(x):
    h = x
    for i in range(9):
        h = np.tanh(h @ W + np.asarray(ROWS)[i] * x)
    return np.sum(h)


@program("scan")
def rows_and_columns_backward(x):
    table, h = np.outer(x, np.arange(4.0) + 1), x
    for i in range(3, -1, -1):
        h = np.sin(h * table[i]) + np.cos(table[:, i] * h) + np.sum(table[:, i : i + 1] - h, 1)
        h = h * np.exp(-h) + np.sin(table[i]) * np.tanh(h * 2)
    return np.sum(h)


@program("batch")
def overlapping_windows(x):
    y, total = np.concatenate([x, x * 2, np.sin(x)]), 0.0
    for i in range(9):
        total = total + np.sum(np.exp(-((y[i : i + 3] - 1) ** 2)) * np.sin(y[i : i + 3]))
    return total


@program("batch")
def two_totals_and_numbers(x):
    total, sums = 0.0, x
    for i in range(10):
        u = np.sin(x * (i + 1)) * np.exp(-x * i)
        total, sums = total + np.sum(u * u), sums + u
    return total * np.sum(sums)


@program("scan")
def two_readers_of_one_value_begin_apart(x):
    p, q = x, x * 2
    for _ in range(8):
        p = q = np.sin(p) + np.cos(q * 0.5) * np.tanh(p)
    return np.sum(p * q)


@program("scan")
def totals_of_totals(x):
    total, squares = x, 0.0
    for i in range(8):
        total = total + np.sin(x * i) * np.exp(-x)
        squares = squares + np.sum(total * total)
    return squares


@program("scan")
def a_difference_is_no_sum(x):
    total = np.sum(x)
    for i in range(10):
        total = total - np.sum(np.sin(x * i) * np.cos(x))
    return total


@program("scan")
def loops_in_loops(x):
    for _ in range(5):
        for _ in range(4):
            x = np.sin(x) + np.cos(x * 0.5)
        x = np.tanh(x) * 2 + np.exp(-x)
    return np.sum(x)


@program("scan")
def choices_in_a_loop(x):
    def step(v):
        return anvl.cond(np.sum(v) > 0, lambda v: np.sin(v) + x, lambda v: np.cos(v) - x, v)

    for _ in range(8):
        x = 0.5 * np.tanh(step(x)) + 0.4 * x
    return np.sum(x)


@program("scan")
def a_repetition_in_the_body_of_a_loop(x):
    def body(_, v):
        for i in range(6):
            v = np.sin(v) * np.cos(v + i) + np.tanh(x * v)
        return v

    return np.sum(anvl.fori_loop(0, 3, body, x))


@program("scan")
def one_repetition_differs(x):
    y = x
    for i in range(12):
        y = np.sin(y) + 0.1 if i != 5 else np.cos(y) * y
        y = y * np.exp(-y * y) + np.tanh(y)
    return np.sum(y)


@program("scan")
def gradients_in_a_loop(x):
    def loss(p):
        return np.sum(np.sin(p * x) ** 2)

    p = x
    for i in range(7):
        p = p - 0.1 * anvl.grad(loss)(p) / (1 + i) + np.sin(p) * 0.1
    return np.sum(p)


@program("scan")
def integers(x):
    k = np.arange(4)
    for i in range(8):
        k = (k * 3 + i) % 7
        x = x + np.sin(k * x)
    return np.sum(x)


def random_keys(x):
    key = anvl.random.key(0)
    for _ in range(5):
        key, one = anvl.random.split(key)
        x = x + anvl.random.normal(one, (4,)) * 0.1
    return np.sum(x * x)


@program("scan")
def ties(x):
    m = x
    for i in range(8):
        m = np.minimum(np.maximum(m, np.sin(x * i)), x * 3) + np.where(x > i * 0.1, m, -m)
    return np.sum(m)


@program("batch")
def what_the_first_repetition_computed_for_all(x):
    total = 0.0
    for i in range(8):
        total = total + np.sum(np.sin(x) * np.exp(-x * i) * np.cos(x * i))
    return total


@program("scan")
def complex_numbers(x):
    z = x + 1j * x
    for i in range(8):
        z = np.exp(z * (0.1 + 0.01j * i)) * np.sin(z) * 0.1
    return np.sum(np.real(z) + np.imag(z) * 2)


@program("scan")
def three_weights_in_turn(x):
    weights = [np.asarray(W), np.outer(x, x) * 0.3, np.asarray(W).T - 0.2]
    for i in range(17):  # two layers are left
        x = x + 0.3 * np.tanh(weights[i % 3] @ x)
    return np.sum(x * x)


@program("scan")
def all_values_of_weights_in_turn(x):
    weights, kept = [np.asarray(W), np.outer(x, x) * 0.3], [x]
    for i in range(9):
        kept.append(np.tanh(weights[i % 2] @ kept[-1]) + kept[-1] * 0.5)
    return np.sum(np.stack(kept) * np.arange(10.0)[:, None])


@program("scan")
def two_weights_and_three_numbers_in_turn(x):
    weights = [np.asarray(W), np.outer(x, x) * 0.3]
    for i in range(26):
        x = (0.1, 0.4, 0.3)[i % 3] * x + np.tanh(weights[i % 2] @ x)
    return np.sum(x * x)


def forms_in(f, *args):
    """The report, and the forms of the stretches that were rolled."""
    report = anvl.jit(f, roll=True).lower(*args).report()
    return report, [line.rpartition(" ")[2] for line in report.splitlines() if "became" in line]


def run(f, *args, roll):
    return numpy.asarray(anvl.jit(f, roll=roll, backend="interpreter")(*args))


@pytest.mark.sweep(keep=10, part=5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_rolled_program_has_the_same_values_to_the_bit(name):
    f, form = PROGRAMS[name]
    report, forms = forms_in(f, X)
    assert forms and forms[0] == form, report
    numpy.testing.assert_array_equal(run(f, X, roll=True), run(f, X, roll=False))


@pytest.mark.sweep(keep=9, part=5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_of_a_rolled_program_are_the_same(name):
    f, _ = PROGRAMS[name]
    gradient = anvl.grad(f)
    found, wanted = run(gradient, X, roll=True), run(gradient, X, roll=False)
    scale = numpy.abs(wanted).max()
    assert_close(found / scale, wanted / scale, PROGRAM)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("name", PROGRAMS)
def test_batches_and_second_derivatives_of_a_rolled_program_are_the_same(name):
    f, _ = PROGRAMS[name]
    xs = numpy.stack([X, X[::-1] * 2])
    for g, args in ((anvl.hessian(f), (X,)), (anvl.vmap(anvl.grad(f)), (xs,))):
        found = numpy.asarray(anvl.jit(g, roll=True)(*args))
        wanted = numpy.asarray(anvl.jit(g, roll=False)(*args))
        scale = numpy.abs(wanted).max()
        assert_close(found / scale, wanted / scale, PROGRAM * 4)


def test_values_that_begin_apart_are_not_searched_for_in_ever_shorter_stretches(monkeypatch):
    tries = []
    link_all = stretches._link_all
    monkeypatch.setattr(stretches, "_link_all", lambda *args: tries.append(0) or link_all(*args))
    report, forms = forms_in(two_readers_of_one_value_begin_apart, X)
    assert forms == ["scan"] and len(tries) < 20, (len(tries), report)


def test_a_stretch_that_stays_is_told_once():
    def f(x):
        h = x
        for i in range(9):
            h = np.tanh(h @ W + i)
        for w in np.asarray(ROWS):
            x = np.cos(x * h) + w
        return np.sum(x)

    lines = anvl.jit(f).lower(X).report().splitlines()
    assert len(lines) == len(set(lines)), lines


@pytest.mark.parametrize(
    ("size", "why"),
    [
        (1, "became a batch"),
        (100_000, "stay, its arrays are so large that XLA's fusions save more time in a run"),
    ],
)
def test_terms_of_large_arrays_are_not_all_there_at_once(size, why):
    def f(x):
        total = np.zeros_like(x)
        for i in range(60):
            total = total + np.sin(x * i) * np.cos(x)
        return total

    assert anvl.jit(f).lower(anvl.aval("f32", (size,))).report().endswith(why)


def test_steps_on_large_arrays_stay_unless_a_contraction_is_among_them():
    def steps(x, w):
        for _ in range(100):
            x = np.tanh(x @ w) if w is not None else np.sin(x) * np.cos(x)
        return x

    large = anvl.aval("f32", (100, 100))
    kept = anvl.jit(lambda x: steps(x, None)).lower(large).report()
    assert kept.endswith("save more time in a run"), kept
    assert anvl.jit(steps).lower(large, large).report().endswith("became a scan")


def test_a_function_in_a_batch_is_weighed_as_what_the_batch_computes():
    def layers(x, w, count=20):
        for _ in range(count):
            x = x + 0.1 * np.tanh(w @ x)
        return np.sum(x**2)

    def steps(x):
        for _ in range(100):
            x = np.sin(x) * np.cos(x)
        return np.sum(x)

    def told(f, *args):
        return anvl.jit(f).lower(*args).report()

    x, w, xs = (anvl.aval("f32", shape) for shape in ((32,), (32, 32), (500, 32)))
    assert told(anvl.grad(layers), x, w).endswith("became a scan")
    # A library computes products of matrices, and XLA those with a vector, in the kernel of a loop.
    batched = told(anvl.vmap(anvl.grad(layers), in_axes=(0, None)), xs, w)
    assert batched.endswith("a loop saves little of the time to compile"), batched
    batched = told(anvl.vmap(anvl.grad(lambda x, w: layers(x, w, 80)), in_axes=(0, None)), xs, w)
    assert batched.endswith("became a scan"), batched
    # The directions of a Hessian are no members: what the function computes stays as it is.
    assert told(anvl.hessian(layers), x, w).endswith("became a scan")
    assert told(steps, x).endswith("became a scan")
    assert told(anvl.vmap(steps), xs).endswith("save more time in a run")


def test_narrow_numbers_are_not_summed_in_another_order():
    def f(x):
        x, total = np.astype(x, "bf16"), np.zeros((), "bf16")
        for i in range(8):
            total = total + np.sum(np.sin(x * i) * np.cos(x) * np.exp(-x))
        return np.astype(total, "f32")

    report, forms = forms_in(f, X)
    assert forms == ["scan"], report
    numpy.testing.assert_array_equal(run(f, X, roll=True), run(f, X, roll=False))


@pytest.mark.sweep(keep=0)
def test_random_keys_are_carried():
    # The interpreter has no generator of random bits.
    report, forms = forms_in(random_keys, X)
    assert forms == ["scan"], report
    found, wanted = (anvl.jit(random_keys, roll=roll)(X) for roll in (True, False))
    assert_close(found, wanted, PROGRAM)


# -- planted repetition ----------------------------------------------------------------------------

UNARY = ["np.sin({})", "np.tanh({})", "np.exp(-{0} * {0})", "np.cos({}) * 0.7", "abs({})"]
BINARY = ["{} + {}", "{} - {}", "{} * {} * 0.3", "np.maximum({}, {})", "np.where({} > {}, a, b)"]


def planted(seed, *, keeps_all=False):
    """Source of a function of a vector, with a loop of Python's in it."""
    draw = random.Random(seed)
    lines, made = _definitions(draw)
    for state in draw.sample(["a", "b", "c"], draw.randint(0, 3)):
        right = draw.choice(made)
        lines.append(
            f"{state} = {state} + {right}" if draw.random() < 0.4 else f"{state} = {right}"
        )
    if draw.random() < 0.4:
        lines.append("kept.append(" + draw.choice(made) + ")")
    if keeps_all:
        lines.append("kept.append(" + " + ".join(made) + ")")
    if draw.random() < 0.3:
        lines.append(f"if i == {draw.randint(0, 11)}: a = a * 2 + c")
    if draw.random() < 0.3:
        lines = ["for j in range(3):", *("    " + line for line in lines)]
    body = "\n".join(f"        {line}" for line in lines)
    count = draw.randint(24, 26) if "%" in body else draw.randint(8, 12)  # four turns of six
    return (
        "def f(v):\n    a, b, c, kept, w = v, v * 2, np.sin(v), [v], [v, X, np.cos(v)]\n"
        f"    for i in range({count}):\n{body}\n"
        "    total = np.sum(a * 2 + b) + np.sum(c * a)\n"
        "    return total + sum(np.sum(k * n) for n, k in enumerate(kept))\n"
    )


def _definitions(draw):
    """Lines that compute values of one step, and the names of these."""
    lines, made = [], []

    def value():
        turns = ["w[i % 2]", "w[i % 3]", "0.1 * (i % 2)"]
        return draw.choice(["a", "b", "c", "i * 0.1", "X", "ROWS[i]", "v", *turns, *made, *made])

    for k in range(draw.randint(4, 7)):
        if draw.random() < 0.5:
            right = draw.choice(UNARY).format(f"({value()})")
        else:
            right = draw.choice(BINARY).format(f"({value()})", f"({value()})")
        lines.append(f"t{k} = {right}")
        made.append(f"t{k}")
    return lines, made


@pytest.mark.sweep(keep=12, part=12)
@pytest.mark.parametrize("seed", range(300))
def test_a_planted_repetition_changes_no_bit(seed):
    try:
        _compare_planted(planted(seed))
    except anvl.PassError:  # nothing reads what the steps compute, but for the last
        _compare_planted(planted(seed, keeps_all=True))


def _compare_planted(source):
    scope = {"np": np, "X": X, "ROWS": np.asarray(ROWS)}
    exec(source, scope)
    f = scope["f"]
    rolled = run(f, X, roll=True)  # an error, were nothing rolled
    numpy.testing.assert_array_equal(rolled, run(f, X, roll=False), err_msg=source)


def test_complex_constants_are_compared_without_verifying_the_function():
    """Text of an op was that of a verified function: `logm` took 3.7 s to lower, 0.4 now."""
    factors = [complex(i % 3, i) for i in range(30)]

    def f(z):
        return sum(np.sin(z * c) for c in factors)

    module = anvl.jit(f).trace(anvl.aval("c64", (2,))).program.module
    ops = next(iter(module.body.operations)).regions[0].blocks[0].operations
    calls = Counter()
    sys.setprofile(lambda frame, event, _: calls.update([frame.f_code.co_name]))
    try:
        block = Block([*ops], lambda op: False)
    finally:
        sys.setprofile(None)
    assert len({x for x in block._leaf_keys if x[0] == "anvl.constant"}) == 30
    assert calls["verify_invariants"] == 0
