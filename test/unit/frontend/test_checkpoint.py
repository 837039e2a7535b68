"""`checkpoint`: the same gradients, computed with less memory."""

import re

import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, rounding

import anvl
import anvl.numpy as anp

V = np.asarray([0.3, -0.7, 1.1])
W = np.arange(9.0).reshape(3, 3) / 9


def block(w, x):
    hidden = anp.tanh(x @ w)
    return x + anp.sin(hidden * anp.exp(-hidden))


FORMS = {
    "nothing": {},
    "dots": {"policy": "dots"},
    "ops": {"policy": ("tanh", "sin")},
    "small budget": {"budget": 30},
    "large budget": {"budget": "1MiB"},
}
ASKED = {
    "grad": lambda f: anvl.grad(lambda w, x: anp.sum(f(w, x)), wrt=(0, 1))(W, V),
    "jvp": lambda f: anvl.jvp(f, (W, V), (W, V)),
    "hessian": lambda f: anvl.hessian(lambda x: anp.sum(f(W, x)))(V),
    "vmap": lambda f: anvl.vmap(f, in_axes=(None, 0))(W, np.stack([V, V * 2])),
    "grad of vmap": lambda f: anvl.grad(
        lambda w: anp.sum(anvl.vmap(f, in_axes=(None, 0))(w, np.stack([V, V * 2])))
    )(W),
    "vmap of grad": lambda f: anvl.vmap(
        anvl.grad(lambda x: anp.sum(f(W, x)) ** 2), in_axes=0
    )(np.stack([V, V * 2])),
    "twice": lambda f: anvl.grad(lambda w: anp.sum(f(w, f(w, V))))(W),
    "grad of jvp": lambda f: anvl.grad(
        lambda x: anp.sum(anvl.jvp(lambda x: f(W, x), (x,), (V,))[1])
    )(V),
    "jit": lambda f: anvl.jit(anvl.grad(lambda w: anp.sum(f(w, V))))(W),
    "called": lambda f: f(W, V),
}  # fmt: skip


@pytest.mark.sweep(keep=10)
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("form", FORMS)
def test_it_changes_no_number(form, name):
    found = ASKED[name](anvl.checkpoint(block, **FORMS[form]))
    expected = ASKED[name](block)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(
            np.asarray(a), np.asarray(b), rtol=rounding(PROGRAM), atol=rounding(FORMULA)
        )


def test_nested_and_with_values_of_outside():
    @anvl.checkpoint
    def inner(x):
        return anp.sin(x) * x

    def outer(x, y):
        f = anvl.checkpoint(lambda z: inner(anp.cos(z) * y) + x)
        return f(x * 2) * y

    def expected(x, y):
        z = anp.cos(x * 2) * y
        return (anp.sin(z) * z + x) * y

    at = np.float64(0.3), np.float64(0.7)
    for a, b in zip(
        anvl.grad(outer, wrt=(0, 1))(*at), anvl.grad(expected, wrt=(0, 1))(*at), strict=True
    ):
        np.testing.assert_allclose(float(a), float(b), rtol=rounding(PROGRAM))


def count(text, op):
    return len(re.findall(rf"stablehlo\.{op}\b", text))


def gradient_text(f):
    return anvl.jit(anvl.grad(lambda w: anp.sum(f(w, V)))).lower(W).mlir()


def test_what_is_not_kept_is_computed_again():
    assert count(gradient_text(block), "tanh") == 1
    text = gradient_text(anvl.checkpoint(block))
    assert count(text, "tanh") == 1  # the sum needs no value, so only the second time is left
    value = anvl.jit(anvl.value_and_grad(lambda w: anp.sum(anvl.checkpoint(block)(w, V))))
    assert count(value.lower(W).mlir(), "tanh") == 2
    # One more has the flags of copies: Note [One name for a buffer].
    assert count(value.lower(W).mlir(), "optimization_barrier") == 2


@pytest.mark.parametrize(
    ("form", "counts"),
    [
        ({}, {"dot_general": 2, "tanh": 2, "exponential": 2}),
        ({"policy": "dots"}, {"dot_general": 1, "tanh": 2, "exponential": 2}),
        # The slope of tanh is one of its operand.
        ({"policy": ("tanh", "dot_general")}, {"dot_general": 1, "tanh": 1, "exponential": 2}),
        ({"budget": "1MiB"}, {"dot_general": 1, "tanh": 1, "exponential": 1}),
    ],
)
def test_policies_and_budgets_decide_what_is_kept(form, counts):
    checkpointed = anvl.checkpoint(block, **form)
    f = anvl.jit(anvl.value_and_grad(lambda x: anp.sum(checkpointed(W, x))))
    text = f.lower(V).mlir()
    # One more product in the adjoint, and one exponential in the slope of tanh.
    counts = {**counts, **{op: counts[op] + 1 for op in ("dot_general", "exponential")}}
    assert {op: count(text, op) for op in counts} == counts


def network(wrap, layers):
    def f(ws, x):
        for w in ws:
            x = wrap(block)(w, x)
        return anp.mean(x * x)

    rng = np.random.default_rng(0)
    ws = [rng.normal(size=(64, 64)).astype("f4") / 8 for _ in range(layers)]
    x = rng.normal(size=(4096, 64)).astype("f4")
    return anvl.jit(anvl.value_and_grad(f)).lower(ws, x).compile(), (ws, x)


def temporaries(compiled):
    return compiled.memory_stats()["temp_size_in_bytes"]


@pytest.mark.sweep(keep=0)
def test_it_takes_less_memory():
    plain, arguments = network(lambda f: f, 8)
    checkpointed, _ = network(anvl.checkpoint, 8)
    assert temporaries(checkpointed) * 2 < temporaries(plain)
    found, expected = checkpointed(*arguments), plain(*arguments)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-3, atol=1e-5)


@pytest.mark.sweep(keep=0)
def test_a_budget_bounds_what_is_there_at_once():
    def whole(budget):
        def f(ws, x):
            for w in ws:
                x = block(w, x)
            return anp.mean(x * x)

        rng = np.random.default_rng(0)
        ws = [rng.normal(size=(64, 64)).astype("f4") / 8 for _ in range(8)]
        x = rng.normal(size=(4096, 64)).astype("f4")
        g = anvl.value_and_grad(anvl.checkpoint(f, budget=budget))
        return temporaries(anvl.jit(g).lower(ws, x).compile())

    assert whole("12MiB") * 2 < whole("1GiB")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"policy": "dot"}, "unknown policy 'dot'; use 'nothing', 'dots'"),
        ({"policy": ("nope",)}, "checkpoint: policy 'nope' is not the name of an op"),
        ({"budget": "64 apples"}, "budget '64 apples' is not a number of bytes; write 1000, 64MiB"),
        ({"budget": -1}, "budget -1 is not a number of bytes"),
        ({"budget": 10, "policy": "dots"}, "give a policy or a budget, not both"),
    ],
)
def test_what_is_none_is_refused(form, message):
    with pytest.raises(ValueError, match=message):
        anvl.checkpoint(block, **form)


def test_it_takes_a_function():
    with pytest.raises(TypeError, match="checkpoint: takes a function, got 3"):
        anvl.checkpoint(3)
    decorated = anvl.checkpoint(budget="1KiB")(block)
    np.testing.assert_allclose(decorated(W, V), np.asarray(block(W, V)))


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("outer", [{"budget": 0}, {"budget": "1KiB"}, {"policy": ("sin",)}, {}])
@pytest.mark.parametrize("inner", [{"budget": "8B"}, {"policy": ("exp",)}, {}])
def test_checkpoints_that_choose_nest(outer, inner):
    def f(x):
        within = anvl.checkpoint(lambda x: anp.exp(x) * x, **inner)
        return anvl.checkpoint(lambda x: anp.sin(within(x)) * within(x * 0.5), **outer)(x)

    plain = lambda x: anp.sin(anp.exp(x) * x) * (anp.exp(x * 0.5) * (x * 0.5))  # noqa: E731
    x = np.float64(0.5)
    for transform in (anvl.grad, lambda f: anvl.grad(anvl.grad(f)), lambda f: anvl.jacfwd(f)):
        expected = float(transform(plain)(x))
        np.testing.assert_allclose(
            float(anvl.jit(transform(f))(x)), expected, rtol=rounding(PROGRAM)
        )
