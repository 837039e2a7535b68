"""`custom_vjp` and `custom_jvp`: one rule in every mode, and what authors get wrong."""

import functools

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp

V = np.asarray([0.3, -0.7, 1.1])


def plain(x, y):
    return anp.sin(x) * y


@anvl.custom_vjp
def by_vjp(x, y):
    return anp.sin(x) * y


@by_vjp.defvjp
def _(primals, result, cotangent):
    x, y = primals
    return cotangent * anp.cos(x) * y, cotangent * anp.sin(x)


@anvl.custom_vjp
def by_two(x, y):
    return anp.sin(x) * y


by_two.defvjp(
    lambda x, y: (anp.sin(x) * y, (anp.cos(x), anp.sin(x), y)),
    lambda residuals, g: (g * residuals[0] * residuals[2], g * residuals[1]),
)


@anvl.custom_jvp
def by_jvp(x, y):
    return anp.sin(x) * y


@by_jvp.defjvp
def _(primals, result, tangents):
    (x, y), (tx, ty) = primals, tangents
    return tx * anp.cos(x) * y + ty * anp.sin(x)


@anvl.custom_jvp
def by_pair(x, y):
    return anp.sin(x) * y


@by_pair.defjvp
def _(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return anp.sin(x) * y, tx * anp.cos(x) * y + ty * anp.sin(x)


ASKED = {
    "grad": lambda f: anvl.grad(f)(0.3, 0.7),
    "grad of both": lambda f: anvl.grad(f, wrt=(0, 1))(np.float64(0.3), np.float64(0.7)),
    "jvp": lambda f: anvl.jvp(f, (0.3, 0.7), (1.0, 2.0)),
    "jvp of one": lambda f: anvl.jvp(f, (0.3, 0.7), (None, 2.0)),
    "vjp": lambda f: anvl.vjp(f, V, V[::-1].copy())[1](np.cos(V)),
    "grad of grad": lambda f: anvl.grad(anvl.grad(f))(np.float64(0.3), np.float64(0.7)),
    "hessian": lambda f: anvl.hessian(f, wrt=(0, 1))(np.float64(0.3), np.float64(0.7)),
    "jvp of grad": lambda f: anvl.jvp(anvl.grad(f), (0.3, 0.7), (1.0, 2.0)),
    "grad of jvp": lambda f: anvl.grad(lambda x: anvl.jvp(f, (x, 0.7), (1.0, 2.0))[1])(0.3),
    "vmap": lambda f: anvl.vmap(f)(V, V),
    "vmap of one": lambda f: anvl.vmap(f, in_axes=(0, None))(V, 0.5),
    "vmap of vmap": lambda f: anvl.vmap(anvl.vmap(f, (None, 0)), (0, None))(V, V),
    "grad of vmap": lambda f: anvl.grad(
        lambda x, y: anp.sum(anvl.vmap(f, in_axes=(0, None))(x, y)), wrt=(0, 1)
    )(V, np.float64(0.5)),
    "vmap of grad": lambda f: anvl.vmap(anvl.grad(f, wrt=(0, 1)), (None, 0))(0.3, V),
    "jvp of vmap": lambda f: anvl.jvp(anvl.vmap(f, (0, None)), (V, 0.5), (V, 1.0)),
    "vmap of jvp": lambda f: anvl.vmap(lambda x, t: anvl.jvp(f, (x, 0.5), (t, 1.0)))(V, V),
    "jit of grad": lambda f: anvl.jit(anvl.grad(f))(0.3, 0.7),
    "grad of jit": lambda f: anvl.grad(anvl.jit(f))(0.3, 0.7),
    "called": lambda f: f(0.3, y=0.7),
    "inside": lambda f: anvl.grad(lambda x: anp.exp(f(x * x, f(x, 0.5))) * x)(np.float64(0.3)),
}


@pytest.mark.sweep(keep=12)
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("f", [by_vjp, by_two, by_jvp, by_pair], ids=str)
def test_a_rule_that_is_right_changes_nothing(f, name):
    found, expected = ASKED[name](f), ASKED[name](plain)
    assert anvl.tree.structure(found) == anvl.tree.structure(expected)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rounding(100, a))


def test_the_rule_is_what_is_used():
    @anvl.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda primals, result, g: (100 * g,))
    assert float(anvl.grad(f)(3.0)) == 100
    assert float(anvl.jvp(f, (3.0,), (2.0,))[1]) == 200
    np.testing.assert_array_equal(anvl.vmap(anvl.grad(f))(V), np.full(3, 100.0))

    @anvl.custom_jvp
    def g(x):
        return x * x

    g.defjvp(lambda primals, result, tangents: 100 * tangents[0])
    assert float(anvl.grad(g)(3.0)) == 100
    assert float(anvl.jvp(g, (3.0,), (2.0,))[1]) == 200


def test_the_function_is_what_is_computed():
    @anvl.custom_vjp
    def f(x):
        return x + 1

    f.defvjp(lambda x: (x + 100, x), lambda x, g: (g * x,))
    value, slope = anvl.value_and_grad(f)(3.0)
    assert (float(value), float(slope)) == (4, 3)


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (
            lambda x: x[:1],
            TypeError,
            r"result of <lambda> is f64\[1\], but that of the function is f64",
        ),
        (
            lambda x: {"a": x},
            ValueError,
            "another structure than that of the function: at the root",
        ),
        (lambda x: 1.0, TypeError, r"result of <lambda> is f32\?\[\], but that of the function"),
    ],
)
def test_a_rule_that_computes_another_result_is_refused(returned, error, message):
    f, g = anvl.custom_vjp(anp.sin), anvl.custom_jvp(anp.sin)
    f.defvjp(lambda x: (returned(x), x), lambda x, cotangent: (cotangent,))
    g.defjvp(lambda primals, tangents: (returned(*primals), tangents[0]))
    for h in (f, g):
        with pytest.raises(error, match=message):
            anvl.grad(lambda x, h=h: anp.sum(h(x)))(np.ones(3))


def test_trees_integers_and_plain_values_reach_the_rule():
    seen = []

    @anvl.custom_vjp
    def f(params, n, mode):
        return {"y": params["w"] * n if mode == "times" else params["w"], "n": n}

    @f.defvjp
    def _(primals, result, cotangent):
        _, n, mode = primals
        seen.append((mode, sorted(result), cotangent["n"]))
        return {"w": cotangent["y"] * n, "b": None}, None, None

    params = {"w": np.asarray(2.0), "b": np.asarray(1.0)}
    gradient = anvl.grad(lambda p: f(p, np.int32(3), "times")["y"])(params)
    assert float(gradient["w"]) == 3
    assert float(gradient["b"]) == 0
    assert seen == [("times", ["n", "y"], None)]


def test_several_results_with_one_cotangent():
    @anvl.custom_vjp
    def f(x):
        return anp.sin(x), anp.cos(x)

    @f.defvjp
    def _(primals, result, cotangent):
        s, c = result
        return (cotangent[0] * c - cotangent[1] * s,)

    found = anvl.grad(lambda x: f(x)[1])(np.float64(0.3))
    np.testing.assert_allclose(float(found), -np.sin(0.3), rtol=rounding(PROGRAM))


def test_a_rule_that_clips_has_no_forward_mode_and_says_so():
    @anvl.custom_vjp
    def clipped(x):
        return x * 1.0

    clipped.defvjp(lambda primals, result, g: (anp.clip(g, -1, 1),))
    assert float(anvl.grad(lambda x: 10 * clipped(x))(2.0)) == 1
    with pytest.raises(
        anvl.MissingRule, match=r"not linear in the cotangent.*cannot be transposed"
    ):
        anvl.jvp(clipped, (2.0,), (1.0,))


def test_a_jvp_that_is_not_linear_has_no_reverse_mode_and_says_so():
    @anvl.custom_jvp
    def f(x):
        return x * 1.0

    f.defjvp(lambda primals, result, tangents: tangents[0] * tangents[0])
    assert float(anvl.jvp(f, (2.0,), (3.0,))[1]) == 9
    with pytest.raises(anvl.MissingRule, match=r"custom_jvp: .* is not linear in the tangent"):
        anvl.grad(f)(2.0)


def test_closed_over_arrays_are_constants():
    w = np.asarray([1.0, 2.0, 3.0])

    @anvl.custom_vjp
    def f(x):
        return anp.sum(x * w)

    f.defvjp(lambda primals, result, g: (g * w,))
    np.testing.assert_array_equal(anvl.jit(anvl.grad(f))(V), w)


def test_methods_and_partials():
    class Model:
        scale = 3.0

        @anvl.custom_vjp
        def f(self, x):
            return x * self.scale

    Model.f.defvjp(lambda primals, result, g: (None, g * 7))
    assert float(anvl.grad(Model().f)(1.0)) == 7
    assert float(anvl.grad(functools.partial(by_vjp, y=2.0))(0.0)) == 2


def vjp_with(rule):
    @anvl.custom_vjp
    def f(x, y):
        return anp.sum(x) * y

    f.defvjp(rule)
    return f


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        (lambda p, r, g: g, TypeError, "the rule of f returned a Tracer; return a tuple with 2"),
        (lambda p, r, g: (g,), TypeError, "a tuple of 1 entries; return a tuple with 2 cotangents"),
        (lambda p, r, g: (g, g), TypeError, r"cotangent of x of f is f64\[\], but x is f64\[3\]"),
        (
            lambda p, r, g: (anp.zeros(3, dtype="f32"), g),
            TypeError,
            r"cotangent of x of f is f32\[3\], but x is f64\[3\]",
        ),
        (lambda p, r, g: ({"a": g}, g), ValueError, "the cotangents of f differ in structure"),
        (lambda p, r, g: (g * p[0], None, None), TypeError, "a tuple of 3 entries"),
    ],
)
def test_wrong_rules_are_refused(rule, error, message):
    with pytest.raises(error, match=message):
        anvl.grad(vjp_with(rule), wrt=(0, 1))(V, np.float64(2))


def test_a_tangent_of_another_shape_is_refused():
    @anvl.custom_jvp
    def f(x):
        return anp.sum(x)

    f.defjvp(lambda primals, result, tangents: tangents[0])
    with pytest.raises(TypeError, match=r"tangent of result of f is f64\[3\], but result is f64"):
        anvl.grad(f)(V)


def test_without_a_rule_it_cannot_be_called():
    @anvl.custom_vjp
    def f(x):
        return x

    with pytest.raises(TypeError, match=r"custom_vjp: f has no rule; give it one with f\.defvjp"):
        f(1.0)
    with pytest.raises(TypeError, match="custom_vjp: takes a function, got 3"):
        anvl.custom_vjp(3)


def test_closing_over_a_traced_value_is_refused():
    def outer(x):
        @anvl.custom_vjp
        def f(y):
            return x * y

        f.defvjp(lambda primals, result, g: (g,))
        return f(2.0)

    with pytest.raises(
        anvl.TraceError, match=r"custom_vjp: f closes over a traced value.*argument"
    ):
        anvl.grad(outer)(1.0)


def test_keyword_only_arguments_are_refused():
    @anvl.custom_vjp
    def f(x, *, y):
        return x * y

    f.defvjp(lambda primals, result, g: (g,))
    with pytest.raises(TypeError, match="f takes y by keyword only"):
        f(1.0, y=2.0)
        anvl.grad(lambda x: f(x, y=2.0))(1.0)


def test_a_pair_that_is_none_is_refused():
    @anvl.custom_vjp
    def f(x):
        return x

    f.defvjp(lambda x: x, lambda residuals, g: (g,))
    with pytest.raises(TypeError, match="returned a Tracer; return the result and the residuals"):
        anvl.grad(f)(1.0)


# -- rules that call their own function, as JAX's documentation has them ---------------------------


@anvl.custom_jvp
def by_own_jvp(x, y):
    return anp.exp(x) * y


@by_own_jvp.defjvp
def _(primals, tangents):
    result = by_own_jvp(*primals)
    return result, result * tangents[0] + by_own_jvp(primals[0], tangents[1])


@anvl.custom_vjp
def by_own_vjp(x, y):
    return anp.exp(x) * y


by_own_vjp.defvjp(
    lambda x, y: (by_own_vjp(x, y), (x, y)),
    lambda xs, g: (g * by_own_vjp(*xs), by_own_vjp(xs[0], g)),
)

CALLING_THEMSELVES = {
    "orders": lambda f: [orders(lambda x: f(x, 0.75), n)(np.float64(0.3)) for n in range(1, 5)],
    "vmap": lambda f: anvl.vmap(anvl.grad(anvl.grad(f)), in_axes=(0, None))(V, 0.75),
    "vmap of vmap": lambda f: anvl.vmap(anvl.vmap(anvl.grad(f), (None, 0)), (0, None))(V, V),
    "jvp of vmap of grad": lambda f: anvl.jvp(anvl.vmap(anvl.grad(f)), (V, V), (V, V)),
    "hessian": lambda f: anvl.hessian(f, wrt=(0, 1))(np.float64(0.3), np.float64(0.75)),
    "scan": lambda f: anvl.jit(anvl.grad(
        lambda x: anvl.scan(lambda c, y: (f(c, y), c), x, V)[0]))(np.float64(0.3)),
    "loop": lambda f: anvl.jvp(
        lambda x: anvl.while_loop(lambda c: c < 9, lambda c: f(c, 2.0), x), (0.3,), (1.0,)),
    "cond": lambda f: anvl.grad(
        anvl.grad(lambda x: anvl.cond(x > 0, f, lambda x, y: x, x, 0.75)))(np.float64(0.3)),
    "checkpoint": lambda f: anvl.grad(anvl.grad(anvl.checkpoint(f)))(0.3, 0.75),
}  # fmt: skip


def orders(f, n):
    return f if n == 0 else anvl.grad(orders(f, n - 1))


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("name", CALLING_THEMSELVES)
@pytest.mark.parametrize("f", [by_own_jvp, by_own_vjp], ids=["jvp", "vjp"])
def test_a_rule_may_call_its_own_function(f, name):
    found = CALLING_THEMSELVES[name](f)
    expected = CALLING_THEMSELVES[name](lambda x, y: anp.exp(x) * y)
    assert anvl.tree.structure(found) == anvl.tree.structure(expected)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rounding(100, a))


def test_rules_may_call_each_other():
    sin, cos = anvl.custom_jvp(anp.sin), anvl.custom_jvp(anp.cos)
    sin.defjvp(lambda primals, tangents: (sin(*primals), cos(*primals) * tangents[0]))
    cos.defjvp(lambda primals, tangents: (cos(*primals), -sin(*primals) * tangents[0]))
    found = [orders(sin, n)(np.float64(0.3)) for n in range(6)]
    expected = [np.sin(0.3), np.cos(0.3), -np.sin(0.3), -np.cos(0.3), np.sin(0.3), np.cos(0.3)]
    np.testing.assert_allclose([float(y) for y in found], expected, rtol=rounding(PROGRAM))


def test_rules_in_the_form_of_jax_are_given_what_has_no_derivative_first():
    @functools.partial(anvl.custom_jvp, nondiff_argnums=(0, 2))
    def applied(f, x, n):
        return f(x) * n

    @applied.defjvp
    def applied_jvp(f, n, primals, tangents):
        (x,), (t,) = primals, tangents
        return applied(f, x, n), 100.0 * n * t

    assert float(anvl.grad(lambda x: applied(anp.sin, x, 2))(1.0)) == 200.0

    @functools.partial(anvl.custom_vjp, nondiff_argnums=1)
    def clipped(x, bound, y):
        return x * y

    clipped.defvjp(lambda x, bound, y: (x * y, y), lambda bound, y, g: (bound * y * g, 3.0 * g))
    slopes = anvl.grad(lambda x, y: clipped(x, 5.0, y), wrt=(0, 1))(2.0, 4.0)
    assert [float(g) for g in slopes] == [20.0, 3.0]
    with pytest.raises(TypeError, match="custom_vjp: argument 1 of clipped is traced, f32"):
        anvl.grad(lambda b: clipped(1.0, b, 1.0))(2.0)
    with pytest.raises(ValueError, match="custom_vjp: nondiff_argnums is -1; give positions"):
        anvl.custom_vjp(anp.sin, nondiff_argnums=-1)
    with pytest.raises(ValueError, match="custom_jvp: nondiff_argnums has 2, but sin is given 1"):
        f = anvl.custom_jvp(anp.sin, nondiff_argnums=2)
        f.defjvp(lambda n, primals, tangents: (primals, tangents))
        anvl.jit(f)(1.0)


def test_a_rule_reads_arguments_that_its_function_does_not():
    @anvl.custom_vjp
    def outer(b, x, y):
        return b / x

    @anvl.custom_vjp
    def inner(b, x, y):
        return b / y

    outer.defvjp(lambda primals, _, g: (inner(g, *primals[1:]), None, None))
    inner.defvjp(lambda primals, _, g: (g / primals[1], None, None))
    assert float(anvl.jvp(lambda b: outer(b, 2.0, 4.0), (1.0,), (1.0,))[1]) == 0.5


def test_a_derivative_that_needs_itself_is_refused():
    f = anvl.custom_jvp(anp.exp)
    f.defjvp(lambda primals, result, tangents: tangents[0] * anvl.grad(f)(primals[0]))
    with pytest.raises(anvl.PassError, match=r"recursion: .*functions must not form a cycle"):
        anvl.grad(f)(1.0)


@anvl.custom_vjp
def fixed_point(f, a, start):
    """Where x = f(a, x)."""
    far = lambda carry: anp.abs(carry[0] - carry[1]) > 1e-6  # noqa: E731
    return anvl.while_loop(far, lambda carry: (carry[1], f(a, carry[1])), (start, f(a, start)))[1]


@fixed_point.defvjp
def _(primals, x, cotangent):
    f, a, start = primals

    def linearised(given, u):
        a, x, g = given
        return g + anvl.vjp(lambda x: f(a, x), x)[1](u)[0]

    g = fixed_point(linearised, (a, x, cotangent), cotangent)
    return None, *anvl.vjp(lambda a: f(a, x), a)[1](g), anp.zeros_like(start)


def root(a):
    return fixed_point(lambda a, x: 0.5 * (x + a / x), a, a)


def test_a_rule_may_call_its_own_function_with_another_function_each_time():
    found = [float(orders(root, n)(np.float64(2))) for n in (0, 1, 2, 4)]
    expected = [2**0.5, 0.5**1.5, -(0.5**3.5), -15 * 0.5**7.5]
    np.testing.assert_allclose(found, expected, rtol=rounding(PROGRAM))
    for f in (anvl.grad(lambda x: anp.sum(anvl.vmap(root)(x))), anvl.vmap(anvl.grad(root))):
        np.testing.assert_allclose(f(np.ones(2)), [0.5, 0.5], rtol=rounding(PROGRAM))
