"""`custom_root` and `custom_linear_solve`, beside direct solvers."""

import numpy
import pytest
from tolerances import ITERATION, rounding

import anvl
import anvl.numpy as np
from anvl import tree
from anvl.testing import check_grads

SYMMETRIC = numpy.array([[4.0, 1.0], [1.0, 3.0]])
GENERAL = numpy.array([[4.0, 1.0], [-0.5, 3.0]])
B = numpy.array([1.0, 2.0])


def close(found, wanted):
    for a, b in zip(tree.leaves(found), tree.leaves(wanted), strict=True):
        numpy.testing.assert_allclose(a, b, rtol=1e-8, atol=rounding(ITERATION))


def richardson(matvec, b):
    """A loop of unknown length, whose own derivative would be that of its steps."""

    def far(carry):
        x, k = carry
        return (np.sum((b - matvec(x)) ** 2) > 1e-28) & (k < 500)

    return anvl.while_loop(
        far, lambda c: (c[0] + 0.2 * (b - matvec(c[0])), c[1] + 1), (np.zeros_like(b), 0)
    )[0]


def conjugate_gradients(matvec, b):
    def step(carry):
        x, r, p, rr = carry
        q = matvec(p)
        alpha = rr / np.sum(p * q)
        r = r - alpha * q
        new = np.sum(r * r)
        return x + alpha * p, r, r + new / rr * p, new

    start = np.zeros_like(b), b, b, np.sum(b * b)
    return anvl.while_loop(lambda c: c[3] > 1e-24, step, start)[0]


def symmetric_part(a):
    return (a + a.T) / 2


def by_cg(a, b):
    a = symmetric_part(a)
    return anvl.custom_linear_solve(lambda v: a @ v, b, conjugate_gradients, symmetric=True)


def by_richardson(a, b):
    return anvl.custom_linear_solve(lambda v: a @ v, b, richardson, transpose_solve=richardson)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    ("solver", "matrix", "prepare"),
    [(by_cg, SYMMETRIC, symmetric_part), (by_richardson, GENERAL, lambda a: a)],
)
def test_derivatives_of_a_linear_solve_in_both_modes_and_orders(solver, matrix, prepare):
    def all_of(solve):
        loss = lambda a, b: np.sum(np.sin(solve(a, b)))  # noqa: E731
        grads = anvl.grad(loss, wrt=(0, 1))
        return anvl.jit(
            lambda a, b: (
                solve(a, b),
                grads(a, b),
                anvl.jvp(loss, (a, b), (0.3 * a, b + 1)),
                anvl.hessian(loss)(a, b),
                anvl.vmap(grads, in_axes=(None, 0))(a, np.stack([b, b + 1])),
                anvl.grad(lambda b: np.sum(anvl.grad(loss)(a, b) ** 2))(b),
            )
        )(matrix, B)

    close(all_of(solver), all_of(lambda a, b: np.linalg.solve(prepare(a), b)))


def test_pytrees_and_aux_of_a_linear_solve():
    def solve(matvec, b):
        x = tree.map(lambda v: v / 2, b)
        return x, {"residual": matvec(x)["u"] - b["u"], "steps": 1, "name": "halving"}

    def run(a):
        b = {"u": np.ones_like(a), "v": 3 * np.ones_like(a)}
        x, aux = anvl.custom_linear_solve(
            lambda x: tree.map(lambda v: a * v, x), b, solve, symmetric=True, has_aux=True
        )
        return np.sum(x["u"] + x["v"]), aux

    a = numpy.array([2.0, 2.0])
    (value, aux), slope = anvl.value_and_grad(run, has_aux=True)(a)
    assert float(value) == 4.0
    assert aux["name"] == "halving"
    numpy.testing.assert_array_equal(aux["residual"], [0.0, 0.0])
    close(slope, -4 / a**2)  # b / a has the slope -b / a^2, and the solver that of a = 2


def test_without_a_transposed_solver_there_is_forward_mode_alone():
    def loss(a):
        return np.sum(anvl.custom_linear_solve(lambda v: a @ v, B, richardson))

    plain = lambda a: np.sum(np.linalg.solve(a, B))  # noqa: E731
    close(anvl.jvp(loss, (GENERAL,), (SYMMETRIC,)), anvl.jvp(plain, (GENERAL,), (SYMMETRIC,)))
    with pytest.raises(anvl.MissingRule, match="richardson_without_transpose_solve"):
        anvl.grad(loss)(GENERAL)


def newton(f, x):
    return anvl.fori_loop(0, 8, lambda _, x: x - np.linalg.solve(anvl.jacfwd(f)(x), f(x)), x)


@pytest.mark.sweep(keep=0)
def test_derivatives_of_a_root_in_both_modes_and_orders():
    guess = numpy.ones(2)

    def equation(a):
        return lambda x: x**3 + a @ x - B

    def root(a):
        tangent_solve = lambda g, y: np.linalg.solve(anvl.jacfwd(g)(y), y)  # noqa: E731
        return anvl.custom_root(equation(a), guess, newton, tangent_solve)

    def all_of(root):
        return anvl.jit(
            lambda a: (
                root(a),
                anvl.jacrev(root)(a),
                anvl.jacfwd(root)(a),
                anvl.jacfwd(anvl.jacrev(root))(a),
            )
        )(SYMMETRIC)

    found = all_of(root)
    plain = lambda a: newton(equation(a), guess)  # noqa: E731
    wanted = anvl.jit(
        lambda a: (plain(a), anvl.jacfwd(plain)(a), anvl.jacfwd(anvl.jacfwd(plain))(a))
    )(SYMMETRIC)
    close(found, (wanted[0], wanted[1], wanted[1], wanted[2]))


def test_aux_of_a_root_and_a_guess_without_a_derivative():
    def run(a, guess):
        steps = lambda f, x: anvl.fori_loop(0, 6, lambda _, x: x - f(x) / (2 * x), x)  # noqa: E731
        solve = lambda f, x: (steps(f, x), {"steps": 6, "method": "newton"})  # noqa: E731
        tangent_solve = lambda g, y: y / g(1.0)  # noqa: E731
        return anvl.custom_root(lambda x: x * x - a, guess, solve, tangent_solve, has_aux=True)

    (x, aux), slopes = anvl.value_and_grad(run, wrt=(0, 1), has_aux=True)(4.0, 1.5)
    assert aux == {"steps": 6, "method": "newton"} or int(aux["steps"]) == 6
    close((x, *slopes), (2.0, 0.25, 0.0))


def test_solvers_may_close_over_traced_values_themselves():
    """The rule of a solver calls the other one, of which the body does not read all arguments."""

    def f(x):
        def solve(_, b):
            return b / (2 * x)

        return anvl.custom_linear_solve(lambda y: 2 * x * y, x * x * x, solve, solve)

    check_grads(f, (1.5,), order=2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: anvl.custom_root(1, 1.0, newton, newton), TypeError, "custom_root: takes a func"),
        (
            lambda: anvl.custom_root(lambda x: (x, x), B, newton, newton),
            ValueError,
            r"custom_root: <lambda> returns another structure .*a leaf against tuple of 2",
        ),
        (
            lambda: anvl.custom_root(lambda x: x[:1], B, newton, newton),
            TypeError,
            r"custom_root: <lambda> returns f64\[1\] where x is f64\[2\]; it must keep dtypes",
        ),
        (
            lambda: anvl.custom_linear_solve(lambda x: x, B, None),
            TypeError,
            "custom_linear_solve: takes a function",
        ),
        (
            lambda: anvl.custom_linear_solve(lambda x: {"x": x}, B, richardson),
            ValueError,
            "custom_linear_solve: <lambda> returns another structure",
        ),
        (
            lambda: anvl.custom_linear_solve(lambda x: x, B, richardson, has_aux=True),
            TypeError,
            r"custom_linear_solve: richardson returns f64\[2\], .*it must return a pair",
        ),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
