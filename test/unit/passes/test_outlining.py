"""Long expansions as functions: what may be shared, and what has to stay as often as it is."""

import re

import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import parse
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.op import AnvlOp, Operand, Result, emit
from anvl.passes.framework.pipeline import Pipeline

pytestmark = pytest.mark.usefixtures("own_ops")

X = np.array([[2.0, 1.0], [0.5, 4.0]])
B = np.array([[1.0], [2.0]])


def _op(name, lower, pure=True):
    """An op of a person's own, of one operand, whose result is like it."""

    class MineOp(AnvlOp, name=f"called.{name}", pure=pure):
        x: Operand
        y: Result

        @classmethod
        def result_type(cls, x):
            return x

    MineOp.lower = classmethod(lower)
    return getattr(prim.called, name)


def _binary(name, lower):
    """An op of two operands, whose result is like the first."""

    class MineOp(AnvlOp, name=f"called.{name}"):
        x: Operand
        z: Operand
        y: Result

        @classmethod
        def result_type(cls, x, z):
            return x

    MineOp.lower = classmethod(lower)


def _text(f, *args):
    return anvl.jit(f).lower(*args).mlir("stablehlo")


def _sines(x, count):
    for _ in range(count):
        x = emit.sin(x)
    return x


@pytest.mark.parametrize("count, functions", [(6, 0), (7, 1)])
def test_an_expansion_of_more_than_six_ops_is_called(count, functions):
    mine = _op(f"sines_{count}", lambda cls, hlo, x: _sines(x, count))
    text = _text(lambda x: mine(x) + mine(x * x), X)
    assert text.count("func.func private @called.sines") == functions
    assert text.count("call @called.sines") == 2 * functions
    assert text.count("stablehlo.sine") == count * (1 if functions else 2)


@pytest.mark.parametrize("pure, calls", [(True, 1), (False, 3)])
def test_what_has_an_effect_is_done_each_time(pure, calls):
    mine = _op(f"acts_{pure}".lower(), lambda cls, hlo, x: _sines(x, 9), pure=pure)

    def f(x):
        mine(x)
        return mine(x) + mine(x), anp.linalg.inv(x)

    assert _text(f, X).count("call @called.acts") == calls


def test_an_expansion_of_ones_own_begins_with_one_of_ours():
    def lower(cls, hlo, x):
        lu, _, _ = emit.lu(x)
        return _sines(lu, 9)

    mine = _op("sines_of_lu", lower)

    def f(x, b):
        return mine(x), anp.linalg.solve(x, b), mine(x)

    text = _text(f, X, B)
    assert text.count("call @lu(") == 1
    assert text.count("lapack_dgetrf") == 1
    emitted = np.array([[2.0, 1.0], [0.25, 3.75]])
    for _ in range(9):
        emitted = np.sin(emitted)
    first, x, second = anvl.jit(f)(X, B)
    np.testing.assert_allclose(first, emitted, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(second, emitted, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(X @ np.asarray(x), B, rtol=rounding(PROGRAM))


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("form", ["NO_TRANSPOSE", "TRANSPOSE"])
def test_expansions_that_begin_with_expansions_that_begin_with_others(form):
    first = _op("solves", lambda cls, hlo, x: emit.solve(x, x, transpose_a=form))
    same = _op("same", lambda cls, hlo, x: emit.called.solves(x))
    more = _op("more", lambda cls, hlo, x: _sines(emit.add(x, emit.called.same(x)), 9))
    wanted = np.linalg.solve(X if form == "NO_TRANSPOSE" else X.T, X)
    sines = X + wanted
    for _ in range(9):
        sines = np.sin(sines)
    for f, y in ((first, wanted), (same, wanted), (more, sines)):
        np.testing.assert_allclose(
            anvl.jit(f)(X), y, rtol=rounding(PROGRAM), atol=rounding(FORMULA)
        )
        looped = anvl.jit(lambda x, f=f: anvl.fori_loop(0, 1, lambda i, z, f=f: f(z), x))
        np.testing.assert_allclose(looped(X), y, rtol=rounding(PROGRAM), atol=rounding(FORMULA))
    text = _text(lambda x: (first(x), same(x), more(x)), X)
    assert text.count("call @lu(") == text.count("call @solve") == 1


def test_an_expansion_that_ignores_an_operand():
    rq = _op("rq", lambda cls, hlo, x: _sines(emit.qr(x, full_matrices=False)[1], 9))

    _binary("second", lambda cls, hlo, x, z: emit.called.rq(z))
    _binary("sum", lambda cls, hlo, x, z: emit.add(x, emit.called.second(x, z)))
    found = anvl.jit(prim.called.sum)(X, X + 1)
    np.testing.assert_allclose(found, X + np.asarray(rq(X + 1)), rtol=rounding(PROGRAM))


def test_a_chain_of_expansions_grows_with_its_length():
    _op("chain_0", lambda cls, hlo, x: emit.solve(x, emit.lu(x)[0], transpose_a="TRANSPOSE"))
    lines = []
    for k in range(1, 13):
        last = f"chain_{k - 1}"
        f = _op(
            f"chain_{k}", lambda cls, hlo, x, last=last: emit.sin(getattr(emit.called, last)(x))
        )
        lines.append(_text(lambda x, f=f: f(x), X).count("\n"))
    steps = np.diff(lines)
    assert steps.max() < 10, lines


def test_a_cast_of_the_text_stays():
    text = """
    func.func @f(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
      %0 = builtin.unrealized_conversion_cast %x : tensor<2x2xf64> to tensor<2x2xf64>
      %1 = builtin.unrealized_conversion_cast %x : tensor<2x2xf64> to tensor<2x2xf64>
      %2 = "anvl.solve"(%0, %1) {transpose_a = #stablehlo<transpose TRANSPOSE>}
        : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
      return %2 : tensor<2x2xf64>
    }"""
    module = parse(text)
    Pipeline(["anvl-lower-to-stablehlo"]).run(module, verify_each=True)
    assert "unrealized_conversion_cast" in str(module)
    assert "call @solve(" in str(module)


def test_a_long_expansion_of_a_wrong_type_is_refused():
    mine = _op("wrong", lambda cls, hlo, x: emit.sum(_sines(x, 9), axes=(0, 1)))
    with pytest.raises(PassError, match=r"tensor<f64>, but the op's results are tensor<2x2xf64>"):
        _text(lambda x: mine(x), X)


def test_derivatives_to_the_third_order_have_one_factorisation():
    def f(x):
        return anp.sum(anp.linalg.solve(x, B)) + anp.linalg.slogdet(x)[1]

    for _ in range(3):
        g = f
        f = anvl.grad(lambda x, g=g: anp.sum(g(x) ** 2))
        assert _text(f, X).count("call @lu(") == 1


def test_text_does_not_depend_on_what_was_lowered_before():
    def f(x, b):
        return prim.lu(x @ x)[0] + b

    def g(x, b):
        wide = x[:1] * b
        return anp.linalg.solve(x, b), anp.linalg.solve(wide[:1, :1], wide[:1, :1])

    alone = _text(lambda x, b: g(x, b), X, B)
    _text(f, X, B)
    assert _text(lambda x, b: g(x, b), X, B) == alone
    assert re.findall(r"private @(\w+)", alone) == ["lu", "solve", "lu_1", "solve_1"]


def test_in_the_body_of_a_loop_there_are_no_calls():
    def f(x, b):
        return anvl.fori_loop(0, 3, lambda i, y: anp.linalg.solve(x, y), b)

    text = _text(f, X, B)
    assert "lapack_dtrsm" in text
    assert " call @" not in text
    expected = np.linalg.solve(X @ X @ X, B)
    np.testing.assert_allclose(anvl.jit(f)(X, B), expected, rtol=rounding(PROGRAM))
