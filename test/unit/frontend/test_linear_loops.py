"""Control flow backwards: rules in one mode that loop give the other one, and linear transposes.

Each program is linear in t and not in x.  Its matrix, of the images of unit vectors, is what all of
its transposes must be.
"""

import re

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp

N = 3
X = np.array([0.4, 1.1, -0.3])


def _step(t, s):
    return t * anp.sin(s) + 0.5 * t[::-1]


def _while(goes_on, body, x, t):
    return anvl.while_loop(goes_on, body, (0, x, t))[2]


def _until(x, t):
    """As many steps as x says, which moves on with them."""
    return _while(
        lambda c: anp.sum(c[1] ** 2) < 40 + 0 * c[0],
        lambda c: (c[0] + 1, 1.5 * c[1] + 0.1, _step(c[2], c[1])),
        x,
        t,
    )


PROGRAMS = {
    "cond": lambda x, t: anvl.cond(x[0] > 0, lambda t: anp.cos(x) * t, lambda t: 2 * t, t),
    "cond, not taken": lambda x, t: anvl.cond(
        x[0] < 0, lambda t: anp.cos(x) * t, lambda t: 2 * t, t
    ),
    "cond of one side": lambda x, t: anvl.cond(x[0] > 0, lambda t: t * x[1], anp.zeros_like, t),
    "cond that keeps": lambda x, t: anvl.cond(
        x[0] > 0, lambda x, t: (anp.exp(x), t * anp.exp(x)), lambda x, t: (x, t), x, t
    )[1],
    "switch": lambda x, t: anvl.switch(
        anp.sum(x > 0), [lambda t: t, lambda t: 3 * t, lambda t: x * t[::-1]], t
    ),
    "scan of a carry": lambda x, t: anvl.scan(lambda c, s: (_step(c, s), None), t, x)[0],
    "scan of both": lambda x, t: anvl.scan(
        lambda c, s: ((c[0] * s + 0.1, c[1] * anp.tanh(c[0]) + c[1][::-1]), None), (x[0], t), x
    )[0][1],
    "scan over xs": lambda x, t: anvl.scan(lambda c, s: (c * s[0] + s[1], c), 0.0, (x, t))[1],
    "scan of constants": lambda x, t: anvl.scan(
        lambda c, s: (c + s * t, anp.sum(t) * s), anp.zeros(N, "f64"), anp.sin(x)
    ),
    "scan backwards": lambda x, t: anvl.scan(
        lambda c, s: (_step(c, s), c[0] * s), t, x, reverse=True
    ),
    "scan of checkpoints": lambda x, t: anvl.scan(
        lambda c, s: ((c[0] + s, _step(c[1], c[0])), None), (x[0], t), x, checkpoint=2
    )[0][1],
    "scan that keeps of the carry": lambda x, t: anvl.scan(
        lambda c, _: ((anp.sin(c[0]), c[1] * anp.cos(c[0])), c[1][0]), (x, t), length=4
    )[1],
    "fori_loop": lambda x, t: anvl.fori_loop(0, 3, lambda i, t: _step(t, x) * (i + 1.0), t),
    "fori_loop of both": lambda x, t: anvl.fori_loop(
        0, 4, lambda i, c: (anp.sin(c[0]) + i, _step(c[1], c[0])), (x, t)
    )[1],
    "fori_loop, traced": lambda x, t: anvl.fori_loop(
        0, anp.sum(x > 0) + 1, lambda i, t: _step(t, x + i), t
    ),
    "while_loop": _until,
    "while_loop, bounded": lambda x, t: anvl.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, _step(c[1], x * c[0])), (0, t), max_iterations=5
    )[1],
    "while_loop with few slots": lambda x, t: anvl.while_loop(
        lambda c: c[0] < 11,
        lambda c: (c[0] + 1, anp.sin(c[1]), _step(c[2], c[1])),
        (0, x, t),
        slots=2,
    )[2],
    "map": lambda x, t: anvl.map(lambda s: s[0] * anp.sin(s[1]), (t, x)),
    "map in parts": lambda x, t: anvl.map(lambda s: s[0] * anp.sin(s[1]), (t, x), batch_size=2),
    "checkpoint": lambda x, t: anvl.checkpoint(lambda x, t: anp.sin(anp.exp(x)) * t)(x, t),
    "jit": lambda x, t: anvl.jit(lambda x, t: anvl.scan(lambda c, s: (_step(c, s), None), t, x)[0])(
        x, t
    ),
    "associative_scan": lambda x, t: anvl.associative_scan(
        lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, t)
    )[1],
    "scan in scan": lambda x, t: anvl.scan(
        lambda c, s: (
            anvl.scan(lambda d, r: ((d[0] + r, _step(d[1], d[0] * s)), None), (s, c), x)[0][1],
            None,
        ),
        t,
        x,
    )[0],
    "cond in scan": lambda x, t: anvl.scan(
        lambda c, s: (anvl.cond(s > 0, lambda c: anp.exp(s) * c, lambda c: c[::-1], c), None), t, x
    )[0],
    "while in scan": lambda x, t: anvl.scan(lambda c, s: (_until(x + s, c), None), t, x)[0],
    "scan in while": lambda x, t: anvl.while_loop(
        lambda c: c[0] < 2,
        lambda c: (c[0] + 1, anvl.scan(lambda d, s: (_step(d, s), None), c[1], x + c[0])[0]),
        (0, t),
    )[1],
    "scan in cond": lambda x, t: anvl.cond(
        x[0] > 0, lambda t: anvl.scan(lambda c, s: (_step(c, s), None), t, x)[0], lambda t: t, t
    ),
    "checkpoint in fori_loop": lambda x, t: anvl.fori_loop(
        0, 3, lambda i, c: anvl.checkpoint(lambda x, c: anp.sin(x) * c)(x + i, c), t
    ),
}


def flat(tree):
    return anp.concatenate([y.reshape(-1) for y in anvl.tree.leaves(tree)])


def jvp_by_rule(f, count):
    """A function whose rule for forward mode is f(x, t)."""

    @anvl.custom_jvp
    def g(x):
        return anp.zeros(count, x.dtype) + x[0]

    g.defjvp(lambda primals, _, tangents: flat(f(primals[0], tangents[0])))
    return g


def vjp_by_rule(f):
    """A function of as many results as f has, whose rule for reverse mode is f(x, cotangent)."""

    @anvl.custom_vjp
    def g(x):
        return anp.sin(x)

    g.defvjp(lambda primals, _, t: (flat(f(primals[0], t))[:N],))
    return g


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_have_transposes(name):
    f = PROGRAMS[name]

    @anvl.jit
    def all_of(x, basis):
        def image(t):
            return flat(f(x, t))

        matrix = anvl.vmap(image)(basis).T
        rows = anp.cos(anp.arange(matrix.shape[0]).astype("f64"))
        (transposed,) = anvl.linear_transpose(image, x)(rows)
        pulled = anvl.grad(lambda x: rows @ jvp_by_rule(f, len(rows))(x))(x)
        return matrix, transposed, pulled, anvl.jvp(vjp_by_rule(f), (x,), (x,))[1]

    matrix, transposed, pulled, pushed = (np.asarray(y) for y in all_of(X, np.eye(N)))
    np.testing.assert_allclose(
        matrix, np.stack([flat(f(X, e)) for e in np.eye(N)]).T, rtol=rounding(PROGRAM)
    )
    expected = np.cos(np.arange(matrix.shape[0])) @ matrix
    np.testing.assert_allclose(transposed, expected, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(pulled, expected, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(pushed, X @ matrix[:N], rtol=rounding(PROGRAM))


#: Programs that are not linear in t, and the op that is not.
NOT_LINEAR = [
    ("anvl.sin", lambda t: anvl.scan(lambda c, _: (anp.sin(c), None), t, length=2)[0]),
    ("anvl.mul", lambda t: anvl.scan(lambda c, s: (c * s, None), t[0], t)[0]),
    ("anvl.exp", lambda t: anvl.cond(X[0] > 0, lambda t: t + anp.exp(t), lambda t: t, t)),
    ("anvl.compare", lambda t: anvl.while_loop(lambda t: t[0] < 10, lambda t: 2 * t, t)),
    ("anvl.floor", lambda t: anvl.fori_loop(0, 3, lambda i, t: t + anp.floor(t), t)),
    ("anvl.cos", lambda t: anvl.fori_loop(0, anp.sum(X > 0), lambda i, t: anp.cos(t), t)),
    ("anvl.div", lambda t: anvl.checkpoint(lambda t: t / t[0])(t)),
    ("anvl.tanh", lambda t: anvl.map(lambda s: anvl.jit(anp.tanh)(s), t)),
    ("anvl.compare", lambda t: anvl.cond(t[0] > 0, lambda t: t, lambda t: 2 * t, t)),
]


@pytest.mark.parametrize(("name", "f"), NOT_LINEAR)
def test_what_is_not_linear_in_a_loop_is_named(name, f):
    found = rf"{re.escape(name)} at .*test_linear_loops.py.?:\d+:\d+"
    with pytest.raises(anvl.PassError, match=rf"is not linear in t: .*{found}"):
        anvl.linear_transpose(f, X)(f(X))
    g = jvp_by_rule(lambda x, t: f(t), np.size(f(X)))
    with pytest.raises(anvl.MissingRule, match=rf"is not linear in the tangent: .*{found}"):
        anvl.grad(lambda x: anp.sum(g(x)))(X)


def test_what_a_loop_is_linear_in_is_not_kept():
    def moved(x, t):
        return anvl.while_loop(
            lambda c: c[0] < 1e3, lambda c: (1.5 * c[0] + 1, c[1] * anp.sin(c[0])), (x, t)
        )[1]

    many = anvl.aval("f64", (1000,))
    for f in (
        lambda x, t: anvl.linear_transpose(lambda t: moved(x, t), many)(t),
        lambda x, t: anvl.vjp(lambda t: moved(x, t), t)[1](t),
    ):
        text = anvl.jit(f).lower(anvl.aval("f64"), many).mlir()
        assert "tensor<32xf64>" in text
        assert "x1000xf64>" not in text
