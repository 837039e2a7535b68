"""`vjp` and `linearize` outside of `jit`: one run of the function, any number of directions."""

import re

import numpy as np
import pytest
from tolerances import assert_close

import anvl
import anvl.dispatch.executables
import anvl.numpy as anp
from anvl.runtime import Executable

X = np.asarray([0.2, 0.8, 1.4])
Y = np.asarray([[1.0, -2.0], [3.0, 0.5]])
WEIGHTS = np.arange(12.0).reshape(3, 4) / 7
INDEX = np.asarray([2, 0, 2])


def close(found, expected):
    assert_close(found, expected, length=30)


def all_close(found, expected):
    assert anvl.tree.structure(found) == anvl.tree.structure(expected)
    for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype
        close(a, b)


def network(params, x):
    hidden = anp.tanh(x @ params["w"] + params["b"])
    return {"out": anp.sum(hidden**2, axis=1), "norms": (anp.sqrt(anp.sum(hidden**2) + 1.0),)}


PARAMS = {"w": np.arange(6.0).reshape(3, 2) / 6, "b": np.asarray([0.1, -0.2])}
BATCH = np.linspace(-1.0, 1.0, 6).reshape(2, 3)


def inner_gradient(x):
    return anvl.grad(lambda z: anp.sum(anp.sin(z) * x))(x)


def main_fwd(x):
    return anp.exp(x)


@anvl.custom_vjp
def clipped(x):
    return anp.exp(x)


@clipped.defvjp
def clipped_vjp(primals, result, cotangent):
    return (cotangent * result * 0.5,)


@anvl.custom_jvp
def scaled(x):
    return anp.sin(x)


@scaled.defjvp
def scaled_jvp(primals, result, tangents):
    return tangents[0] * result * 3.0


def layers(x):
    return anp.tanh(anp.sin(anp.exp(x)))


#: What may stand on the border of the halves.
PROGRAMS = {
    "a network": (network, (PARAMS, BATCH)),
    "an argument and a result twice": (lambda x: (x, anp.exp(x), x, anp.exp(x)), (X,)),
    "a result that is a residual": (lambda x: (anp.exp(x), anp.sum(anp.exp(x) ** 2)), (X,)),
    "closed-over arrays": (lambda x: anp.sin(x @ WEIGHTS) * WEIGHTS[0], (X,)),
    "nothing that depends": (lambda x, y: (anp.ones(2), y), (X, X[:2])),
    "an argument that nothing uses": (lambda x, y: x * 2.0, (X, Y)),
    "linear functions": (lambda x: anp.sum(x * 3.0), (X,)),
    "numbers": (lambda x, y: (x * y, x + 1), (2.0, 3)),
    "integers beside floats": (lambda x, n: (x[n], n + 1), (X, INDEX)),
    "broadcasts": (lambda x, y: anp.sum(anp.exp(x))[None, None] * y, (X, Y)),
    "complex numbers": (lambda z: (z * z, anp.real(z * anp.conj(z))), (X + 1j * X[::-1],)),
    "derivatives inside": (inner_gradient, (X,)),
    "jit inside, by the name of a half": (lambda x: anvl.jit(main_fwd)(x) * x, (X,)),
    "a batch inside": (anvl.vmap(lambda x: anp.prod(x)), (Y,)),
    "a rule for the adjoint": (lambda x: clipped(x) * x, (X,)),
    "a rule for the tangent": (lambda x: scaled(x) * x, (X,)),
    "a function with a rule": (clipped, (X,)),
    "a checkpoint": (lambda x: anvl.checkpoint(layers)(anvl.checkpoint(layers)(x)), (X,)),
    "a budget": (anvl.checkpoint(lambda x: layers(layers(x)), budget=24), (X,)),
    "a scan": (lambda x: anvl.scan(lambda c, a: (anp.sin(c) * a, c), x[0], x), (X,)),
    "a loop": (lambda x: anvl.fori_loop(0, 3, lambda i, c: anp.sin(c) * c, x), (X,)),
    "what follows a scan": (
        lambda x: anp.sin(anvl.scan(lambda c, a: (anp.sin(c) * a, c), x[0], x)[1]) * x,
        (X,),
    ),
    "an unknown number of steps": (
        lambda x: anp.sin(anvl.while_loop(lambda c: anp.sum(c) < 9, lambda c: c * 2, x)),
        (X,),
    ),
    "a condition": (
        lambda x: anvl.cond(x[0] > 0, lambda x: anp.sin(x) * x, lambda x: x * 2, x),
        (X,),
    ),
    "sorting": (lambda x: anp.sort(x)[:2] * x[0], (X,)),
    "small floats": (lambda x: anp.tanh(x) * x, (X.astype("float16"),)),
    "linear algebra": (lambda y: anvl.numpy.linalg.solve(y, y[0]), (Y,)),
}


def directions(values):
    """Some direction along every float of a tree, None along the others."""

    def direction(x):
        dtype = getattr(x, "dtype", None)
        if dtype is None:
            return 0.7 if isinstance(x, float) else None
        if dtype.kind not in "fc":
            return None
        return np.cos(np.arange(x.size)).reshape(x.shape).astype(dtype)

    return anvl.tree.map(direction, values)


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_halves_give_what_one_program_gives(name):
    f, args = PROGRAMS[name]
    value, pullback = anvl.vjp(f, *args)
    expected_value = anvl.jit(lambda *a: anvl.vjp(f, *a)[0])(*args)
    all_close(value, expected_value)
    g = directions(value)
    for cotangent in (g, anvl.tree.map(lambda x: x * 2, g)):
        expected = anvl.jit(lambda *a, g=cotangent: anvl.vjp(f, *a)[1](g))(*args)
        all_close(pullback(cotangent), expected)

    value, slope = anvl.linearize(f, *args)
    all_close(value, expected_value)
    t = directions(args)
    for tangents in (t, anvl.tree.map(lambda x: x * 2, t)):
        all_close(slope(*tangents), anvl.jvp(f, args, tangents)[1])


# How often what runs


@pytest.fixture
def runs(monkeypatch):
    """The programs that run, in order."""
    found = []
    execute = Executable.execute

    def counted(self, args):
        found.append(self)
        return execute(self, args)

    monkeypatch.setattr(Executable, "execute", counted)
    return found


@pytest.fixture
def compilations(monkeypatch):
    """The programs that are compiled."""
    found = []
    compile = anvl.dispatch.executables.compile_lowered

    def counted(*args, **kwargs):
        found.append(compile(*args, **kwargs))
        return found[-1]

    monkeypatch.setattr(anvl.dispatch.executables, "compile_lowered", counted)
    return found


def costly(x):
    return anp.sum(anp.exp(anp.sin(x)) @ WEIGHTS)


def test_pullbacks_run_no_op_of_the_function(runs):
    _, pullback = anvl.vjp(costly, X)
    assert len(runs) == 1
    assert re.search(r"\bsine\(", runs[0].hlo_text())
    for k in (1.0, 2.0, 3.0):
        close(pullback(k)[0], k * np.exp(np.sin(X)) * np.cos(X) * WEIGHTS.sum(1))
    first, *others = runs
    assert len(others) == 3
    assert len({id(program) for program in others}) == 1
    assert first is not others[0]
    assert not re.search(r"\b(sine|cosine|exponential)\(", others[0].hlo_text())


def test_linear_maps_run_no_op_of_the_function(runs):
    _, slope = anvl.linearize(costly, X)
    assert len(runs) == 1
    for k in (1.0, 2.0):
        close(slope(k * X), k * np.sum((np.exp(np.sin(X)) * np.cos(X) * X) @ WEIGHTS))
    assert len(runs) == 3
    assert runs[1] is runs[2]
    assert not re.search(r"\b(sine|cosine|exponential)\(", runs[1].hlo_text())


def test_what_is_computed_again_is_so_in_the_pullback(runs):
    layer = anvl.checkpoint(layers)
    _, pullback = anvl.vjp(lambda x: layer(layer(x)), X)
    pullback(X)
    assert [len(program.out_types) for program in runs] == [2, 1]  # one value between the two
    assert re.search(r"\bexponential\(", runs[1].hlo_text())


@pytest.mark.parametrize("transform", [anvl.vjp, anvl.linearize])
def test_the_same_again_compiles_nothing(transform, compilations):
    def f(x):
        return anp.cos(x) * 17.25 + x

    for x in (X, X + 1, X * 3):
        _, then = transform(f, x)
        then(X)
    assert len(compilations) == 2
    _, then = transform(f, X[:2])
    then(X[:2])
    assert len(compilations) == 4


def test_arguments_and_results_are_not_copied_as_residuals(runs):
    _, pullback = anvl.vjp(lambda x, y: x * y, X, X)
    pullback(X)
    assert [len(program.out_types) for program in runs] == [1, 2]
    assert len(runs[1].arg_types) == 3
    runs.clear()
    _, pullback = anvl.vjp(anp.exp, X)
    pullback(X)
    assert len(runs[0].out_types) == 1


def test_arrays_of_numpy_may_be_written_to_before_the_pullback():
    x = X.copy()
    _, pullback = anvl.vjp(lambda x: x**2, x)
    _, slope = anvl.linearize(lambda x: x**2, x)
    x[:] = 0
    close(pullback(np.ones(3))[0], 2 * X)
    close(slope(np.ones(3)), 2 * X)
    close(anvl.jit(pullback)(np.ones(3))[0], 2 * X)


def test_what_is_closed_over_is_read_each_time():
    scale = [2.0]
    f = lambda x: x * scale[0]  # noqa: E731
    assert anvl.vjp(f, 3.0)[1](1.0)[0].item() == 2.0
    scale[0] = 5.0
    assert anvl.vjp(f, 3.0)[1](1.0)[0].item() == 5.0


# What cannot be halved


def test_a_result_without_a_rule_may_go_without_a_cotangent():
    def f(x):
        return anp.sum(x * x), anvl.prim.polygamma(x, x)

    value, pullback = anvl.vjp(f, X)
    close(value[0], np.sum(X * X))
    close(pullback((1.0, None))[0], 2 * X)
    with pytest.raises(anvl.MissingRule, match=r"anvl-gradient: @f: 1 of the ops"):
        pullback((1.0, X))


def test_an_argument_without_a_rule_may_stay():
    def f(x, order):
        return anvl.prim.polygamma(order, x)

    order = np.ones(3)
    _, slope = anvl.linearize(f, X, order)
    close(slope(X, None), anvl.jvp(f, (X, order), (X, None))[1])
    with pytest.raises(anvl.MissingRule, match=r"anvl-forward: @f: 1 of the ops"):
        slope(X, order)


def test_functions_of_integers_and_of_nothing():
    assert anvl.vjp(lambda n: n * 2, 3)[1](None) == (None,)
    assert anvl.linearize(lambda n: n * 2, 3)[1](None) is None
    close(anvl.linearize(lambda n: n * 2.0, 3)[1](None), 0.0)
    assert anvl.linearize(lambda: 2.0)[1]().item() == 0.0
    assert anvl.vjp(lambda: 2.0)[1](1.0) == ()


# linearize


def test_linearize_in_a_trace_is_jvp():
    def f(x, t):
        value, slope = anvl.linearize(network, PARAMS, x)
        return value, slope({"w": None, "b": None}, t), slope({"w": None, "b": None}, x)

    found = anvl.jit(f)(BATCH, BATCH[::-1])
    still = {"w": None, "b": None}
    all_close(found[1], anvl.jvp(network, (PARAMS, BATCH), (still, BATCH[::-1]))[1])
    all_close(found[2], anvl.jvp(network, (PARAMS, BATCH), (still, BATCH))[1])


def test_a_linear_map_may_be_transformed():
    _, slope = anvl.linearize(lambda x: x**3, X)
    close(anvl.vmap(slope)(np.eye(3)), np.diag(3 * X**2))
    close(anvl.jit(slope)(X), 3 * X**3)
    close(anvl.grad(lambda t: anp.sum(slope(t)))(X), 3 * X**2)
    _, inner = anvl.vjp(lambda x: anvl.linearize(lambda z: z**3, x)[1](X), X)
    close(inner(np.ones(3))[0], 6 * X * X)


@pytest.mark.parametrize(
    ("tangents", "kind", "message"),
    [
        ((X,), ValueError, "linearize: the tangents of product differ in structure"),
        ((X, X), TypeError, "the tangent of y of product is f64[3], but y is f64[2,2]"),
        ((X.astype("f4"), None), TypeError, "the tangent of x of product is f32[3], but"),
        (({"a": X}, None), ValueError, "at tangents[0]: dict with keys ['a'] for a leaf"),
        ((X, "up"), TypeError, "the tangent of y: takes arrays and numbers, got 'up'"),
    ],
)
def test_wrong_tangents_are_refused(tangents, kind, message):
    def product(x, y):
        return anp.sum(x) * y

    for wrap in (lambda f: f, anvl.jit):
        with pytest.raises(kind, match=re.escape(message)):
            wrap(lambda x: anvl.linearize(product, x, Y)[1](*tangents))(X)


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="linearize: takes a function, got 3 of type int"):
        anvl.linearize(3, X)
    with pytest.raises(TypeError, match="only floats have a derivative: give None for its tangent"):
        anvl.linearize(lambda n: n, 3)[1](1)
