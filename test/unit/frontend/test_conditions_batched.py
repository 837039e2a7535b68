"""`cond` and `switch` where members of a batch differ in the branch: `batch=` and its default."""

import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, rounding

import anvl
import anvl.numpy as anp

X = np.asarray([1.5, -2.0, 3.0, -0.25, 0.5, -1.0])
STRATEGIES = (None, "select", "loop")


def chosen(x, y, **how):
    s = anp.sin(y)
    return anvl.cond(x > y, lambda: s * x, lambda: (x + 1) * y * y, **how)


def one_of_three(i, x, **how):
    branches = [anp.sin, lambda x: {"a": x * x}["a"], lambda x: anp.exp(x) * x]
    return anvl.switch(i, branches, x, **how)


def with_loop(x, **how):
    """Its loop does not end for an x that is not above 0."""
    doubled = lambda: anvl.while_loop(lambda c: c < 10, lambda c: c * 2, x)  # noqa: E731
    return anvl.cond(x > 0, doubled, lambda: x * x, **how)


def by_hand(x):
    c = x
    while 0 < c < 10:
        c *= 2
    return c if x > 0 else x * x


def text_of(f, *args):
    return anvl.jit(f).lower(*args).mlir()


MODES = {
    "value": lambda f: anvl.vmap(f, (0, None)),
    "grad": lambda f: anvl.vmap(anvl.grad(f, wrt=(0, 1)), (0, None)),
    "grad of batch": lambda f: anvl.grad(
        lambda x, y: anp.sum(anvl.vmap(f, (0, None))(x, y) ** 2), wrt=(0, 1)
    ),
    "jvp": lambda f: lambda x, y: anvl.jvp(anvl.vmap(f, (0, None)), (x, y), (x, np.float64(2))),
    "hessian": lambda f: anvl.vmap(anvl.hessian(f), (0, None)),
    "jit": lambda f: anvl.jit(anvl.vmap(f, (0, None))),
    "nested": lambda f: (
        lambda x, y: anvl.vmap(anvl.vmap(f, (0, None)), (None, 0))(x, anp.stack([y, y + 1, -y]))
    ),
    "nested, both": lambda f: (
        lambda x, y: anvl.vmap(anvl.vmap(f))(x.reshape(2, 3), x[::-1].reshape(2, 3) * y)
    ),
    "nested grad": lambda f: (
        lambda x, y: anvl.vmap(anvl.vmap(anvl.grad(f), (0, None)), (0, None))(x.reshape(2, 3), y)
    ),
    "within a scan": lambda f: (
        lambda x, y: anvl.scan(
            lambda c, y: (anvl.vmap(f, (0, None))(c, y), anp.sum(c)), x, anp.stack([y, -y])
        )
    ),
}


@pytest.mark.sweep(keep=12)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_all_ways_are_the_members_one_by_one(mode, strategy):
    y = np.float64(0.3)
    found = MODES[mode](lambda x, y: chosen(x, y, batch=strategy))(X, y)
    by_where = lambda x, y: anp.where(x > y, anp.sin(y) * x, (x + 1) * y * y)  # noqa: E731
    expected = MODES[mode](by_where)(X, y)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(
            np.asarray(a), np.asarray(b), rtol=rounding(PROGRAM), atol=rounding(FORMULA)
        )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_switch_of_a_batch(strategy):
    i = np.asarray([-3, 0, 1, 2, 7, 1], np.int32)
    f = lambda i, x: one_of_three(i, x, batch=strategy)  # noqa: E731
    expected = np.choose(np.clip(i, 0, 2), [np.sin(X), X * X, np.exp(X) * X])
    np.testing.assert_allclose(anvl.vmap(f)(i, X), expected, rtol=rounding(PROGRAM))
    slopes = np.choose(np.clip(i, 0, 2), [np.cos(X), 2 * X, np.exp(X) * (X + 1)])
    np.testing.assert_allclose(anvl.vmap(anvl.grad(f, wrt=1))(i, X), slopes, rtol=rounding(PROGRAM))


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_batches_of_none_and_of_one(size, strategy):
    found = anvl.vmap(lambda x: chosen(x, 0.3, batch=strategy))(X[:size])
    np.testing.assert_allclose(found, np.sin(0.3) * X[:size])


def test_members_that_agree_call_one_branch():
    for strategy in STRATEGIES:
        f = lambda p, x, strategy=strategy: anvl.cond(p, anp.sin, anp.cos, x, batch=strategy)  # noqa: E731
        text = text_of(anvl.vmap(f, (None, 0)), np.bool_(True), X)
        assert "stablehlo.if" in text and "select" not in text and "while" not in text


def test_the_default_selects_unless_a_branch_may_not_end():
    def form(f):
        text = text_of(f, X)
        return "stablehlo.if" in text, "stablehlo.select" in text

    assert form(anvl.vmap(lambda x: chosen(x, 0.3))) == (False, True)
    assert form(anvl.vmap(lambda x: chosen(x, 0.3, batch="select"))) == (False, True)
    assert form(anvl.vmap(lambda x: chosen(x, 0.3, batch="loop"))) == (True, False)
    assert form(anvl.vmap(with_loop)) == (True, False)
    # A loop of known length, or with a bound, ends for whoever computes it.
    counted = lambda x: anvl.fori_loop(0, 3, lambda i, c: c * x, x)  # noqa: E731
    bounded = lambda x: anvl.while_loop(lambda c: c < 9, lambda c: c * 2, x, max_iterations=4)  # noqa: E731
    again = anvl.grad(
        anvl.checkpoint(lambda x: anp.sin(x) * x)
    )  # with a barrier, which does nothing
    for safe in (counted, bounded, again):
        case, _ = form(anvl.vmap(lambda x, f=safe: anvl.cond(x > 0, f, anp.sin, x)))
        assert not case


def hidden(kind, never):
    """A function that calls one, in some strategy that is not seen at once."""
    return {
        "jit": lambda: anvl.jit(never)(),
        "checkpoint": lambda: anvl.checkpoint(never)(),
        "scan": lambda: anvl.scan(lambda c, _: (c + never(), None), 0.0, None, 2)[0] / 2,
        "cond": lambda: anvl.cond(never() > 0, never, lambda: never() * 1),
        "map": lambda: anvl.map(lambda x: x * never(), np.ones(2))[0],
    }[kind]


@pytest.mark.parametrize("kind", ["jit", "checkpoint", "scan", "cond", "map"])
def test_what_may_not_end_is_found_in_what_a_branch_calls(kind):
    def f(x):
        never = lambda: anvl.while_loop(lambda c: c < 10, lambda c: c * 2, x)  # noqa: E731
        return anvl.cond(x > 0, hidden(kind, never), lambda: x * x)

    np.testing.assert_allclose(anvl.vmap(f)(X), [by_hand(x) for x in X], rtol=rounding(PROGRAM))


def test_a_loop_that_does_not_end_for_others_ends_in_every_mode():
    expected = [by_hand(x) for x in X]
    slopes = [by_hand(x) / x if x > 0 else 2 * x for x in X]
    np.testing.assert_allclose(anvl.vmap(with_loop)(X), expected, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(anvl.vmap(anvl.grad(with_loop))(X), slopes, rtol=rounding(PROGRAM))
    total = lambda x: anp.sum(anvl.vmap(with_loop)(x))  # noqa: E731
    np.testing.assert_allclose(anvl.jit(anvl.grad(total))(X), slopes, rtol=rounding(PROGRAM))
    _, found = anvl.jvp(anvl.vmap(with_loop), (X,), (np.ones(6),))
    np.testing.assert_allclose(found, slopes, rtol=rounding(PROGRAM))
    found = anvl.vmap(anvl.vmap(anvl.grad(with_loop)))(X.reshape(2, 3))
    np.testing.assert_allclose(found, np.reshape(slopes, (2, 3)), rtol=rounding(PROGRAM))
    second = anvl.vmap(anvl.grad(anvl.grad(with_loop)))(X)
    np.testing.assert_allclose(second, [0.0 if x > 0 else 2.0 for x in X], atol=rounding(PROGRAM))


def test_what_is_asked_for_stays_through_transformations():
    def texts(strategy):
        f = lambda x, y: chosen(x, y, batch=strategy)  # noqa: E731
        for mode in ("grad", "grad of batch", "jvp", "nested", "nested grad"):
            yield text_of(MODES[mode](f), X, np.float64(0.3))

    for text in texts("select"):
        assert "stablehlo.if" not in text
    for text in texts("loop"):
        assert "stablehlo.if" in text


@pytest.mark.parametrize("batch", ["all", "Select", 1, True, ()])
@pytest.mark.parametrize("call", range(3))
def test_another_way_is_refused(batch, call):
    f = (
        lambda: anvl.cond(True, anp.sin, anp.cos, 1.0, batch=batch),
        lambda: anvl.jit(lambda x: anvl.cond(x > 0, anp.sin, anp.cos, x, batch=batch))(1.0),
        lambda: anvl.switch(0, [anp.sin], 1.0, batch=batch),
    )[call]
    name = "switch" if call == 2 else "cond"
    with pytest.raises(ValueError, match=f"^{name}: batch is .*; it must be one of 'select', 'loo"):
        f()
