"""`anvl.scipy.optimize` and `anvl.scipy.integrate`: known minima, SciPy's solutions, derivatives."""

import numpy as np
import pytest
from scipy import integrate as wanted
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.scipy import integrate, optimize


def valley(x):
    return anp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@pytest.mark.parametrize("method", ["BFGS", "l-bfgs-b", "newton-cg"])
def test_a_valley_is_followed_to_its_end(method):
    found = anvl.jit(lambda x: optimize.minimize(valley, x, method=method, tol=1e-8))(
        np.asarray([-1.2, 1.0])
    )
    np.testing.assert_allclose(found.x, 1.0, rtol=1e-7)
    assert found.success and found.status == 0 and found.nit < 80 and found.nfev < 120
    assert found.message() == "the gradient is small enough"


def test_what_ends_a_search():
    limit = optimize.minimize(valley, np.asarray([-1.2, 1.0]), options={"maxiter": 2})
    assert (int(limit.status), bool(limit.success), int(limit.nit)) == (1, False, 2)
    lost = optimize.minimize(lambda x: anp.sum(anp.log(x)), np.asarray([-1.0]))
    assert int(lost.status) == 3 and not lost.success
    there = optimize.minimize(lambda x, a: anp.sum((x - a) ** 2), np.ones(2), (1.0,))
    assert (int(there.status), int(there.nit), int(there.nfev)) == (0, 0, 1)


def test_members_of_a_batch_end_on_their_own():
    starts = np.asarray([[0.0, 0.0], [3.0, -1.0]])
    found = anvl.vmap(lambda x: optimize.minimize(lambda y: anp.sum((y - x) ** 4 + y**2), x))(
        starts
    )
    assert np.all(found.success) and found.x.shape == (2, 2)
    np.testing.assert_allclose(found.x[0], 0, atol=1e-5)


def prey(y, t, a, b):
    return anp.stack([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - y[1]])


TIMES = np.linspace(0, 10, 6)


def right(a, b):
    def f(t, y):
        return [a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - y[1]]

    return wanted.solve_ivp(
        f, (0, 10), [2.0, 1.0], t_eval=TIMES, rtol=rounding(PROGRAM), atol=rounding(PROGRAM)
    ).y.T


def test_a_solution_at_given_times_also_backwards():
    solve = anvl.jit(lambda y, t: integrate.odeint(prey, y, t, 1.1, 0.4))
    found = solve(np.asarray([2.0, 1.0]), TIMES)
    np.testing.assert_allclose(found, right(1.1, 0.4), rtol=1e-6)
    np.testing.assert_allclose(solve(found[-1], TIMES[::-1].copy())[-1], [2, 1], rtol=1e-6)


@pytest.mark.sweep(keep=0)
def test_derivatives_of_a_solution_in_both_modes():
    y0 = np.asarray([2.0, 1.0])

    def total(a):
        return anp.sum(integrate.odeint(prey, y0, TIMES, a, 0.4) ** 2)

    h = 1e-5
    slope = (np.sum(right(1.1 + h, 0.4) ** 2) - np.sum(right(1.1 - h, 0.4) ** 2)) / (2 * h)
    np.testing.assert_allclose(anvl.jit(anvl.grad(total))(np.float64(1.1)), slope, rtol=1e-5)
    tangent = anvl.jit(lambda a: anvl.jvp(total, (a,), (np.float64(1.0),))[1])(np.float64(1.1))
    np.testing.assert_allclose(tangent, slope, rtol=1e-5)


def test_trees_and_limits_of_steps():
    y0, t = {"x": np.asarray([1.0]), "v": np.asarray([0.0])}, np.asarray([0.0, np.pi])
    found = integrate.odeint(lambda y, t: {"x": y["v"], "v": -y["x"]}, y0, t)
    np.testing.assert_allclose(found["x"][:, 0], [1, -1], atol=1e-6)
    short = integrate.odeint(lambda y, t: -y, np.float64(1.0), t, mxstep=2)
    assert short[0] == 1 and np.isnan(short[1])


def test_the_trapezoidal_rule():
    y, x = np.arange(12.0).reshape(3, 4) ** 2, np.asarray([0.0, 1.0, 3.0, 4.0])
    np.testing.assert_allclose(integrate.trapezoid(y, x), wanted.trapezoid(y, x))
    np.testing.assert_allclose(
        integrate.trapezoid(y, dx=0.5, axis=0), wanted.trapezoid(y, dx=0.5, axis=0)
    )


REFUSED = {
    "method is 'Powell'": lambda: optimize.minimize(valley, np.ones(2), method="Powell"),
    "the options step are unknown": lambda: optimize.minimize(
        valley, np.ones(2), options={"step": 1}
    ),
    "x0 has shape [2, 2]; give a vector": lambda: optimize.minimize(valley, np.ones((2, 2))),
    "args is 3; give a tuple": lambda: optimize.minimize(valley, np.ones(2), 3),
    "odeint: t has shape []": lambda: integrate.odeint(lambda y, t: y, 1.0, 1.0),
    "func returns another structure than y": lambda: integrate.odeint(
        lambda y, t: (y,), 1.0, np.arange(2.0)
    ),
    "trapezoid: x has 3 samples, y has 4": lambda: integrate.trapezoid(np.ones(4), np.ones(3)),
    "trapezoid: x has shape [2, 2], y [4]": lambda: integrate.trapezoid(
        np.ones(4), np.ones((2, 2))
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_refused(words):
    with pytest.raises((TypeError, ValueError)) as error:
        REFUSED[words]()
    assert words in str(error.value)
