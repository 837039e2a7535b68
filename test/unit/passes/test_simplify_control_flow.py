"""anvl-simplify-control-flow on traced programs: same numbers, less to do, same derivatives."""

import itertools
import sys

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import parse
from anvl.dialect.core.op_registry import OPS
from anvl.passes.control_flow import ControlFlow
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.simplify_control_flow import SimplifyControlFlow

W = np.random.default_rng(0).normal(size=(3, 3))
X = np.array([0.1, -0.2, 0.3])


def simplified(f, *args, **params):
    module = anvl.jit(f).trace(*args).program.module
    Pipeline([SimplifyControlFlow(**params)]).run(module)
    return str(module)


def invariants(w, x):
    def step(c, _):
        a, b, k = c
        return (anp.tanh(a @ (w.T * 2.0)) + anp.exp(w[0]) * k, b + 1, k), b

    return anp.sum(anvl.scan(step, (x, 0, 3.0), None, length=5)[0][0])


@pytest.mark.sweep(keep=0)
def test_the_same_numbers_and_derivatives(monkeypatch):
    g = anvl.value_and_grad(invariants, wrt=("w", "x"))
    found = anvl.tree.leaves(anvl.jit(g)(W, X))
    monkeypatch.setattr(SimplifyControlFlow, "run", lambda self, module: None)
    expected = anvl.tree.leaves(anvl.jit(lambda w, x: g(w, x))(W, X))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rounding(PROGRAM))


def test_of_a_scan_is_left_what_changes():
    text = simplified(invariants, W, X)
    assert "carry = 1 : i64, length = 5 : i64" in text
    step = text.partition("@step_simpler(")[2].partition("return")[0]
    assert "anvl.tanh" in step
    assert not any(op in step for op in ("anvl.exp", "anvl.transpose", "anvl.convert"))


def test_before_derivatives_only_what_keeps_zeros_leaves_a_loop():
    step = simplified(invariants, W, X, for_derivatives=True).partition("@step_simpler(")[2]
    assert "anvl.exp" in step and "anvl.transpose" not in step


def test_what_a_mask_hides_in_a_loop_it_hides_still():
    def f(c, xs):
        def step(total, x):
            return total + anp.where(x > 0, anp.log(c), 0.0), None

        return anvl.scan(step, 0.0, xs)[0]

    assert float(anvl.jit(anvl.grad(f, wrt="c"))(np.float64(0.0), -np.ones(3))) == 0.0
    assert float(anvl.jit(anvl.grad(f, wrt="c"))(np.float64(2.0), np.ones(3))) == 1.5


@pytest.mark.parametrize(("start", "left"), [(0, "while"), (1, "body"), (2, None), (7, None)])
def test_loops_of_which_the_numbers_tell(start, left):
    def f(x):
        def more(c):
            return (c[0] < 2) & (c[0] >= 0)

        def body(c):
            return c[0] + 1, c[1] * x

        return anvl.while_loop(more, body, (start, x))[1]

    text = simplified(f, 3.0)
    assert ("stablehlo.while" in text) == (left == "while")
    assert ("anvl.mul" in text) == (left is not None)
    assert float(anvl.jit(f)(3.0)) == 3.0 ** (1 + max(0, 2 - start))
    assert float(anvl.jit(anvl.grad(f))(3.0)) == (1 + max(0, 2 - start)) * 3.0 ** max(0, 2 - start)


@pytest.mark.parametrize(
    "more",
    [
        lambda i: ~(i >= 1),
        lambda i: anp.where(i > 0, 1, 0) == 0,
        lambda i: anp.minimum(i, 5) - 1 < 0,
        lambda i: anp.maximum(-i, -7) > -1,
        lambda i: (i < 1) | (i > 5),
        lambda i: (i < 1) ^ (i < -1),
        lambda i: i * 2 < anp.astype(1, i.dtype),
    ],
)
def test_whole_numbers_are_computed_as_the_program_does(more):
    def f(x):
        return anvl.while_loop(lambda c: more(c[0]), lambda c: (c[0] + 1, c[1] * 2), (0, x))[1]

    assert "stablehlo.while" not in simplified(f, 3.0)
    assert float(anvl.jit(f)(3.0)) == 6.0


def test_numbers_wrap_around():
    start = np.int32(2**31 - 1)

    def f(x):
        more = lambda c: c[0] > 0  # noqa: E731
        return anvl.while_loop(more, lambda c: (c[0] + 1, c[1] * 2), (anp.array(start), x))[1]

    def g(x):
        more = lambda c: c[0] > 0  # noqa: E731
        return anvl.while_loop(more, lambda c: (c[0] + 1, c[1] * 2), (2**31 - 1, x))[1]

    assert float(anvl.jit(f)(3.0)) == 6.0
    assert float(anvl.jit(g)(3.0)) == 6.0


def test_a_carry_that_is_the_same_number_as_at_first_is_no_carry():
    def f(x):
        def step(c, _):
            return (c[0] * x + c[1], 0.0 * 0 + 2.0), None

        return anvl.scan(step, (x, 2.0), None, length=3)[0][0]

    assert "carry = 1 : i64" in simplified(f, 3.0)
    assert float(anvl.jit(f)(3.0)) == ((9 + 2) * 3 + 2) * 3 + 2


def test_minus_zero_is_another_number():
    def f(x):
        return anvl.scan(lambda c, _: ((c[0] + 1 / c[1], -0.0), None), (x, 0.0), None, length=2)[0]

    assert np.isnan(float(anvl.jit(f)(3.0)[0]))  # inf - inf


def test_a_body_of_a_branch_is_simplified_too():
    def f(p, x):
        inner = lambda x: anvl.scan(lambda c, _: (c * x, None), x, None, length=1)[0]  # noqa: E731
        return anvl.cond(p, inner, lambda x: x, x)

    traced = anvl.jit(f).trace(anvl.aval("bool", ()), 3.0)
    assert "anvl.scan" in str(traced.program.module)
    assert "anvl.scan" not in simplified(f, anvl.aval("bool", ()), 3.0)


def test_an_inner_loop_that_is_the_same_each_time_is_done_once():
    def f(x):
        def step(c, _):
            inner = anvl.scan(lambda a, _: (anp.sin(a) * x, None), x, None, length=7)[0]
            return c + inner, None

        return anvl.scan(step, 0.0, None, length=5)[0]

    module = anvl.jit(f).trace(2.0).program.module
    Pipeline([SimplifyControlFlow(), ControlFlow()]).run(module)
    text = str(module)
    main = text.partition("@main")[2].partition("return")[0]
    assert main.count("call @scan") == 2
    x = 2.0
    for _ in range(7):
        x = np.sin(x) * 2.0
    np.testing.assert_allclose(float(anvl.jit(f)(np.float64(2.0))), 5 * x, rtol=rounding(PROGRAM))


def test_a_loop_does_not_leave_a_while_that_may_not_start():
    """XLA's own passes do take it out: this one does not end for n = 0."""

    def f(n, x):
        def body(c):
            inner = anvl.while_loop(lambda y: y > 0, lambda y: y + 1.0, x)
            return c[0] + 1, c[1] + inner

        return anvl.while_loop(lambda c: c[0] < n, body, (0, x))[1]

    text = simplified(f, np.int32(0), 1.0)
    outer, _, inner = text.partition("do {")
    assert outer.count("stablehlo.while") == inner.count("stablehlo.while") == 1


FOLDING = [op for name, op in OPS.items() if name.startswith("anvl.") and op.has_rule("fold")]
PARAMETERS = {
    "compare": [{"comparison_direction": d} for d in ("EQ", "NE", "LT", "LE", "GT", "GE")],
    "convert": [{"dtype": d} for d in ("i8", "ui8", "i32", "bool")],
}


@pytest.mark.sweep(keep=4)
@pytest.mark.filterwarnings("ignore::anvl.RecompilationWarning")  # of compare: for each direction
@pytest.mark.parametrize("op", FOLDING, ids=lambda op: op.short_name)
def test_what_is_folded_is_what_the_program_gives(op):
    of_dtype = {
        "int8": [-128, -1, 0, 1, 127],
        "uint8": [0, 1, 255],
        "bool": [False, True],
    }
    tried = 0
    for dtype in of_dtype:
        dtypes = [dtype] * op.n_operands
        if op.short_name == "select":
            dtypes[0] = "bool"
        sets = [of_dtype[d] for d in dtypes]
        for params in PARAMETERS.get(op.short_name, [{}]):
            for values in itertools.product(*sets):
                xs = [np.array(x, d) for x, d in zip(values, dtypes, strict=True)]
                try:
                    expected = np.asarray(getattr(prim, op.short_name)(*xs, **params))
                except TypeError:  # not of bools, or of unsigned integers
                    continue
                with np.errstate(all="ignore"):
                    found = np.asarray(op.fold(*xs, **params)).astype(expected.dtype)
                assert found == expected, (xs, params)
                tried += 1
    assert tried >= 4 and len(FOLDING) == 20


def test_a_derivative_of_a_loop_takes_few_calls_of_python():
    # 36,500 before loops were read once a question and dead functions left out; 12,500 since.
    assert (
        _python_calls(anvl.jit(anvl.vmap(anvl.grad(_ten_sines))), np.ones(4, np.float32)) < 16_000
    )


def _ten_sines(x):
    step = lambda c: (anp.sin(c[0]), c[1] + 1.0)  # noqa: E731
    return anvl.while_loop(lambda c: c[1] < 10.0, step, (x, 0.0))[0]


def _python_calls(f, *arguments):
    """Calls of Python functions from a program to its StableHLO: the same on a busy machine."""
    other = anvl.jit(anvl.vmap(anvl.grad(lambda x: _ten_sines(x) * 1.0)))
    other.lower(*arguments)  # imports, tables
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        f.lower(*arguments)
    finally:
        sys.setprofile(before)
    return count


def test_functions_that_nothing_calls_are_not_simplified():
    text = """
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %c = "anvl.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
      %y = "stablehlo.if"(%c) ({
        stablehlo.return %x : tensor<f32>
      }, {
        %z = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      return %y : tensor<f32>
    }
    func.func private @left(%x: tensor<f32>) -> tensor<f32> {
      return %x : tensor<f32>
    }
    """
    module = parse(text)
    Pipeline(["anvl-simplify-control-flow"]).run(module)
    assert "@left" not in str(module) and "stablehlo.if" not in str(module)
