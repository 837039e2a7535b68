"""The side of a choice that is not taken leaves no NaN in a derivative, whatever it does there."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as np
from anvl.dialect.core.params.base import DotDims

INF, NAN = numpy.inf, numpy.nan

# Functions whose value or slope is infinite or NaN at a point.
BREAKING: dict[str, tuple[Callable[[Any], Any], float]] = {
    "sqrt": (np.sqrt, 0.0),
    "sqrt of less": (np.sqrt, -1.0),
    "log": (np.log, 0.0),
    "log of abs": (lambda x: np.log(np.abs(x)), 0.0),
    "div": (lambda x: 1 / x, 0.0),
    "0/0": (lambda x: x / x, 0.0),
    "sin(x)/x": (lambda x: np.sin(x) / x, 0.0),
    "pow": (lambda x: x**-1.5, 0.0),
    "pow of itself": (lambda x: x**x, -0.5),
    "arccos outside": (np.arccos, 2.0),
    "arcsin at its end": (np.arcsin, 1.0),
    "log1p": (np.log1p, -1.0),
    "overflow": (lambda x: x * np.exp(x), 1e4),
    "inf/inf": (lambda x: np.exp(x) / np.exp(x), 1e4),
    "atan2": (lambda x: np.arctan2(x, x), 0.0),
    "nested": (lambda x: np.sqrt(np.sqrt(x) * x), 0.0),
}
WEIGHT = numpy.array([[1.0, 2.0], [3.0, 4.0]])


# How the untaken side is chosen away: of the function b, at x, whose elements all are `at`.
def plain(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, b(x))


def nested(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, np.where(x > 1e9, 3 * x, b(x)))


def of_a_choice(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, np.sin(b(np.where(x == at, at, x))))


def inside_a_choice(b: Any, x: Any, at: float) -> Any:
    """Both sides are of where; the outer one's untaken is the inner one's taken."""
    inner = np.where(x == at, b(x), x)
    return np.where(x == at, 2 * x, inner * inner)


def used_twice(b: Any, x: Any, at: float) -> Any:
    u = b(x)
    return np.where(x == at, 2 * x, u) + np.where(x > 1e9, u, np.where(x == at, x, 3 * u))


def before_a_sum(b: Any, x: Any, at: float) -> Any:
    return np.where(x[0] == at, np.sum(2 * x), np.sum(b(x)))


def before_a_sum_of_rows(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, np.sum(b(np.stack([x, x])), axis=0))


def before_a_broadcast(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, np.sum(np.broadcast_to(b(x)[:, None], (2, 3)), axis=1))


def before_a_mean(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, b(x) - np.mean(b(x)))


def before_a_product(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, WEIGHT @ b(x))


def before_a_product_under_one_flag(b: Any, x: Any, at: float) -> Any:
    """All of it is masked at once, also what a product multiplies by infinity inside."""
    y = b(x)
    return np.where(x[0] == at, np.sum(2 * x), np.prod(y) + y @ (WEIGHT @ y))


def after_a_product(b: Any, x: Any, at: float) -> Any:
    return WEIGHT @ np.where(x == at, 2 * x, b(x))


def before_a_cumsum(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, np.cumsum(b(x)))


def before_a_concatenation(b: Any, x: Any, at: float) -> Any:
    both = np.concatenate([x, x])
    return np.where(both == at, 2 * both, np.concatenate([b(x), b(x)[::-1]]))


def before_a_maximum(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, np.max(b(x)) + np.maximum(b(x), b(2 * x)))


def before_a_softmax(b: Any, x: Any, at: float) -> Any:
    return np.where(x == at, 2 * x, np.exp(b(x)) / np.sum(np.exp(b(x))))


def masked_after(b: Any, x: Any, at: float) -> Any:
    """The choice comes first: what moves has a zero tangent where it is not taken."""
    return np.where(x == at, 2 * x, 0) + np.where(np.where(x == at, 1, x) == 1, 0, b(x))


FORMS = (
    plain, nested, of_a_choice, inside_a_choice, used_twice, before_a_sum, before_a_sum_of_rows,
    before_a_broadcast, before_a_mean, before_a_product, before_a_product_under_one_flag,
    after_a_product, before_a_cumsum, before_a_concatenation, before_a_maximum, before_a_softmax,
    masked_after,
)  # fmt: skip


def _jvp(f: Any, x: Any) -> Any:
    return anvl.jvp(f, (x,), (np.ones_like(x),))[1]


MODES: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, x: anvl.grad(f)(x),
    "jvp": _jvp,
    "vmap of grad": lambda f, x: anvl.vmap(anvl.grad(f))(np.stack([x, x])),
    "grad of vmap": lambda f, x: anvl.grad(lambda z: np.sum(anvl.vmap(f)(z)))(np.stack([x, x])),
    "grad of grad": lambda f, x: anvl.grad(lambda z: np.sum(anvl.grad(f)(z)))(x),
    "jvp of grad": lambda f, x: _jvp(anvl.grad(f), x),
    "grad of jvp": lambda f, x: anvl.grad(lambda z: _jvp(f, z))(x),
}


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_the_untaken_side_has_no_say(form: Any, mode: str) -> None:
    """The derivative is that with a harmless function on the untaken side, to the bit."""
    if form is before_a_product_under_one_flag and mode == "grad of vmap":
        pytest.skip("a flag for each member of the batch is not one flag: the limit, tested below")

    def derivative(b: Any, at: float) -> Any:
        return MODES[mode](lambda x: np.sum(form(b, x, at)), numpy.full(2, at))

    def all_of_them() -> Any:
        return {
            name: (derivative(b, at), derivative(lambda x: x, at))
            for name, (b, at) in BREAKING.items()
        }

    found = anvl.jit(all_of_them)()
    wrong = {name: y for name, (y, wanted) in found.items() if not numpy.array_equal(y, wanted)}
    assert not wrong


CHOICES: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    # name: the function, where, and its derivative there
    "maximum, the other loses": (lambda x: np.maximum(1 + x, np.sqrt(x)), 0.0, 1.0),
    "maximum of x and its sqrt": (lambda x: np.maximum(x, np.sqrt(x)), 4.0, 1.0),
    "minimum, the other loses": (lambda x: np.minimum(x - 1, np.sqrt(x)), 0.0, 1.0),
    "clip, the bounds": (lambda x: np.clip(2 * x, np.sqrt(x) - 1, 5 + np.sqrt(x)), 0.0, 2.0),
    "sqrt of a maximum": (lambda x: np.sqrt(np.maximum(x, 0.0)), -1.0, 0.0),
    "log of a clip": (lambda x: np.log(np.clip(x, 0.0, 1.0) * x), 2.0, 0.5),
    "sqrt of a clip": (lambda x: np.sqrt(np.clip(x, 0.0, 1.0)), -1.0, 0.0),
    "sqrt of where": (lambda x: np.sqrt(np.where(x > 0, x, 0.0)), -1.0, 0.0),
    "sqrt of where times x": (lambda x: x + x * np.sqrt(np.where(x > 0, x, 0.0)), -1.0, 1.0),
    "sqrt of a sum of where": (
        lambda x: x + np.sqrt(np.sum(np.where(x > 0, np.stack([x, 2 * x]), 0.0))), -1.0, 1.0,
    ),
    "sqrt of a product of where": (
        lambda x: x + np.sqrt(WEIGHT[0] @ np.where(x > 0, np.stack([x, 2 * x]), 0.0)), -1.0, 1.0,
    ),
    "sqrt of a maximum of sums": (
        lambda x: x + np.sqrt(np.maximum(np.stack([x, x - 1]) @ WEIGHT, 0.0)[1]), -1.0, 1.0,
    ),
    "max of several": (lambda x: np.max(np.stack([np.sqrt(x), x + 1])), 0.0, 1.0),
    "norm": (
        lambda x: np.where(x == 0, 3 * x, np.linalg.norm(np.stack([x, x]))), 0.0, 3.0,
    ),
    "softplus": (lambda x: np.where(x > 50, x, np.log1p(np.exp(x))), 1e4, 1.0),
    "xlogx": (lambda x: np.where(x > 0, x * np.log(x), 0.0), 0.0, 0.0),
    "select_n": (lambda x: anvl.prim.select(x > 0, np.log(x), x), -0.0, 1.0),
}  # fmt: skip


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("name", CHOICES)
def test_choices_without_a_where(name: str) -> None:
    f, x, slope = CHOICES[name]
    assert anvl.grad(f)(x) == slope
    assert anvl.jvp(f, (x,), (1.0,))[1] == slope
    assert numpy.isfinite(anvl.grad(anvl.grad(f))(x))
    assert numpy.isfinite(anvl.jvp(anvl.grad(f), (x,), (1.0,))[1])


def test_the_taken_side_is_as_it_is() -> None:
    """An infinite slope that is taken stays infinite, and a NaN a NaN."""
    assert anvl.grad(lambda x: np.where(x >= 0, np.sqrt(x), x))(0.0) == INF
    assert anvl.grad(lambda x: np.sum(np.where(x >= 0, np.sum(np.log(x)), 0)))(0.0) == INF
    assert numpy.isnan(anvl.grad(lambda x: np.where(x >= 0, np.sin(np.exp(x)), x))(1e4))
    assert anvl.jvp(lambda x: np.where(x >= 0, np.sqrt(x), x), (0.0,), (1.0,))[1] == INF


def test_without_a_choice_nothing_is_added() -> None:
    """A cotangent of zero still meets an infinite slope: only choices are masked."""
    assert numpy.isnan(anvl.grad(lambda x: 0.0 * np.sqrt(x))(0.0))
    text = anvl.jit(anvl.grad(lambda x: np.sqrt(np.sum(np.sin(x))))).lower(anvl.aval("f32")).mlir()
    assert "select" not in text and "compare" not in text


def test_what_keeps_zeros_needs_no_mask() -> None:
    """Layers of sums, products of matrices and rectifiers: one mask each, of the rectifier."""

    def network(x: Any) -> Any:
        for _ in range(3):
            x = np.maximum(WEIGHT @ x + 1, 0)
        return np.sum(x)

    text = anvl.jit(anvl.grad(network)).lower(anvl.aval("f64", (2,))).mlir("gradient")
    assert text.count("anvl.select") == 3 * 2  # who wins, and whether there is a tie


def test_to_know_what_is_live_takes_no_product_of_matrices() -> None:
    def network(x: Any, choose: Any) -> Any:
        for _ in range(4):
            x = choose(np.exp(x @ WEIGHT))
        return np.sum(x)

    def products(choose: Any, transform: Any) -> int:
        f = lambda x: transform(lambda z: network(z, choose), x)  # noqa: E731
        g = anvl.jit(f, roll=False)
        return g.lower(anvl.aval("f64", (3, 2))).mlir().count("stablehlo.dot_general")

    for transform in (lambda f, x: anvl.grad(f)(x), _jvp):
        masked = products(lambda y: np.where(y > 0, y, 0.0), transform)
        assert masked == products(lambda y: y, transform) == 8


def dot(x: Any, y: Any, batch: Any, contract: Any) -> Any:
    dims = DotDims(batch[0], batch[1], contract[0], contract[1])
    return anvl.prim.dot_general(x, y, dot_dimension_numbers=dims, precision_config="DEFAULT")


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize(
    ("shapes", "batch", "contract"),
    [
        (((2, 3), (3, 4)), ((), ()), ((1,), (0,))),
        (((3, 2), (4, 3)), ((), ()), ((0,), (1,))),
        (((3,), (3,)), ((), ()), ((0,), (0,))),
        (((), (2,)), ((), ()), ((), ())),
        (((2, 3, 4), (4, 3, 5, 2)), ((0,), (3,)), ((2, 1), (0, 1))),
        (((3, 2, 4, 2), (2, 3, 2)), ((3, 0), (0, 1)), ((1,), (2,))),
    ],
)
def test_masks_go_through_products_as_their_zeros_do(
    shapes: Any, batch: Any, contract: Any
) -> None:
    """Where all that an element of an operand meets is masked, its infinite slope is; else not."""
    rng = numpy.random.default_rng(0)
    x, y = (rng.uniform(1, 2, shape) for shape in shapes)
    out = numpy.asarray(dot(x, y, batch, contract))
    for trial in range(4):
        flags = rng.random(out.shape) < (0.0, 0.3, 0.6, 1.0)[trial]

        # What reaches an element: the adjoint of the flags, with all else one.
        def masked(a: Any, b: Any, flags: Any = flags) -> Any:
            return np.sum(np.where(flags, dot(a, b, batch, contract), 0.0))

        reached = anvl.grad(masked, wrt=(0, 1))(numpy.ones_like(x), numpy.ones_like(y))

        def steep(a: Any, b: Any, flags: Any = flags) -> Any:
            product = dot(np.sqrt(a), np.sqrt(b), batch, contract)
            return np.sum(np.where(flags, product, 0.0))

        zeros = numpy.zeros_like(x), numpy.ones_like(y)
        found = numpy.asarray(anvl.grad(steep)(*zeros))
        assert numpy.array_equal(found, numpy.where(numpy.asarray(reached[0]) > 0, INF, 0.0))
        zeros = numpy.ones_like(x), numpy.zeros_like(y)
        found = numpy.asarray(anvl.grad(steep, wrt=1)(*zeros))
        assert numpy.array_equal(found, numpy.where(numpy.asarray(reached[1]) > 0, INF, 0.0))


def test_a_zero_that_is_no_mask_has_a_derivative() -> None:
    """Where a fit is perfect all cotangents are zero, but the curvature is there.

    Masks are told from choices and shapes: told from zeros, they would hide it.
    """
    A = numpy.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    w = numpy.array([0.3, -0.2])
    target = numpy.tanh(A @ numpy.sin(w))

    def loss(w: Any, choose: Any) -> Any:
        rows = np.stack([np.tanh(A @ np.sin(w)) - target, w[0] - np.full(3, 0.3)])
        return np.sum(choose(np.sum(rows * rows, axis=1)))

    def chosen(w: Any) -> Any:
        return loss(w, lambda y: np.where(np.isfinite(y), y, 0.0))

    wanted = anvl.hessian(lambda w: loss(w, lambda y: y))(w)
    assert numpy.linalg.norm(wanted) > 1
    assert numpy.allclose(anvl.hessian(chosen)(w), wanted, rtol=rounding(PROGRAM))
    for outer in (anvl.jacfwd, anvl.jacrev):
        for inner in (anvl.jacfwd, anvl.jacrev):
            assert numpy.allclose(outer(inner(chosen))(w), wanted, rtol=rounding(PROGRAM))


def test_a_pullback_of_zero_has_a_slope() -> None:
    """The pullback is linear in the cotangent, also at zero, and through masks."""
    x = numpy.array([0.5, 0.7])

    def f(x: Any) -> Any:
        return np.where(x > 0, np.sum(np.maximum(np.sin(x), x * x)), 0.0) * np.exp(x)

    def pulled(g: Any) -> Any:
        return anvl.vjp(f, x)[1](g)[0]

    def pushed(t: Any) -> Any:
        return anvl.jvp(f, (x,), (t,))[1]

    jacobian = anvl.jacrev(f)(x)
    assert numpy.allclose(anvl.jacfwd(f)(x), jacobian)
    for jac in (anvl.jacfwd, anvl.jacrev):
        assert numpy.allclose(jac(pulled)(numpy.zeros(2)), jacobian.T)
        assert numpy.allclose(jac(pushed)(numpy.zeros(2)), jacobian)


def test_a_product_of_the_untaken_side_is_the_limit() -> None:
    """What docs/debugging.md says cannot be: zero times infinity inside one op."""
    f = lambda x: np.sum(np.where(x == 0, x, np.prod(1 / x)))  # noqa: E731
    assert not numpy.isfinite(anvl.grad(f)(numpy.zeros(2))).all()


def test_a_choice_between_sides_that_both_are_chosen_away_in_part() -> None:
    """In forward mode: where the side that is taken does not move, the root's slope is not met."""
    x = numpy.array([0.0, 4.0, 0.0, 9.0])
    first = numpy.array([True, True, False, False])

    def root(u: Any) -> Any:
        one, other = np.where(first, 0.0, u), np.where(first, u, u)
        return np.sqrt(np.where(numpy.array([True, False, True, False]), one, other))

    _, slope = anvl.jvp(root, (x + 1e-300 * (x == 0) * ~first,), (numpy.ones(4),))
    assert slope[0] == 0
    numpy.testing.assert_allclose(numpy.asarray(slope)[[1, 3]], [1 / 4, 1 / 6])
