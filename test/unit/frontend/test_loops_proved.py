"""Gradients of loops that people write, against Python's own loops and what is known of them.

Each program is written once, for our control flow and for Python's: `OURS` and `PYTHON` say what
its loops are.  Python's is differentiated by a complex step, by central differences, or unrolled.
"""

import cmath
import functools
from types import SimpleNamespace

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp


def _while(goes_on, body, carry, **_):
    while goes_on(carry):
        carry = body(carry)
    return carry


def _scan(step, carry, xs):
    rows = []
    for i in range(len(anvl.tree.leaves(xs)[0])):
        carry, y = step(carry, anvl.tree.map(lambda x, i=i: x[i], xs))
        rows.append(y)
    return carry, rows


OURS = SimpleNamespace(
    np=anp, cond=anvl.cond, while_loop=anvl.while_loop, scan=anvl.scan, real=lambda x: x
)
PYTHON = SimpleNamespace(
    np=np,
    cond=lambda pred, f, g, *xs: f(*xs) if pred else g(*xs),
    while_loop=_while,
    scan=_scan,
    real=np.real,
)
# Python's loops of tracers, which are gone when they are traced.
UNROLLED = SimpleNamespace(**{**vars(PYTHON), "np": anp})


def close(found, expected, rtol=rounding(ITERATION), atol=rounding(PROGRAM)):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rtol, atol=atol)


def complex_step(f, x):
    """The gradient of a scalar function of a vector of NumPy's, to all digits."""
    step = 1e-100
    return np.asarray([f(x + 1j * step * row).imag / step for row in np.eye(x.size)])


def central(f, x, eps=1e-6):
    """The same by differences."""
    rows = np.eye(x.size) * eps
    return np.asarray([(f(x + row) - f(x - row)) / (2 * eps) for row in rows])


# -- Newton's iteration ----------------------------------------------------------------------------


def newton(flow, a):
    """x and y with x^2 + a0 y^2 = 2 and x y^3 = a1, whose equations are solved together."""
    lib = flow.np

    def equations(v):
        x, y = v
        return x * x + a[0] * y * y - 2.0, x * y * y * y - a[1]

    def step(v):
        x, y = v
        f, g = equations(v)
        fx, fy, gx, gy = 2 * x, 2 * a[0] * y, y * y * y, 3 * x * y * y
        det = fx * gy - fy * gx
        return x - (f * gy - g * fy) / det, y - (g * fx - f * gx) / det

    def is_far(v):
        f, g = equations(v)
        return flow.real(f * f + g * g) > 1e-20

    x, y = flow.while_loop(is_far, step, (a[0] * 0 + 1.0, a[1] * 0 + 1.0))
    return x + lib.sin(y)


def implicit(a):
    """Its gradient, of the equations at their root alone."""
    v = np.ones(2)
    for _ in range(50):
        jacobian = [[2 * v[0], 2 * a[0] * v[1]], [v[1] ** 3, 3 * v[0] * v[1] ** 2]]
        rest = [v[0] ** 2 + a[0] * v[1] ** 2 - 2, v[0] * v[1] ** 3 - a[1]]
        v = v - np.linalg.solve(jacobian, rest)
    along = np.asarray([[v[1] ** 2, 0], [0, -1]])
    return np.asarray([1, np.cos(v[1])]) @ -np.linalg.solve(jacobian, along)


@pytest.mark.sweep(keep=0, part=0)
def test_newtons_iteration_on_two_equations():
    a = np.asarray([0.8, 1.3])
    f = functools.partial(newton, OURS)
    found = anvl.grad(f)(a)
    close(found, complex_step(functools.partial(newton, PYTHON), a))
    close(found, implicit(a), rtol=1e-7)
    close(found, central(lambda a: newton(PYTHON, a), a), rtol=1e-6)
    close(anvl.jacfwd(f)(a), found)
    # Of the root itself, whatever the way to it: the differences of what is implicit.
    curvature = np.stack([central(lambda a, i=i: implicit(a)[i], a) for i in range(2)])
    for hessian in (anvl.hessian(f), anvl.jacrev(anvl.grad(f))):
        close(hessian(a), curvature, rtol=1e-5)


# -- a bouncing ball -------------------------------------------------------------------------------


def ball(flow, params):
    """How high a ball is at t = 2, which loses speed in the air and on the ground.

    Heun's method with a step that grows and shrinks with the error of Euler's; a step that would go
    below the ground is cut to end there, and the ball turns.
    """
    drag, bounce = params[0], params[1]
    end, tolerance = 2.0, 1e-4

    def slopes(v):
        return v, -9.81 - drag * v * flow.np.sqrt(v * v + 1e-3)

    def advanced(h, v, dt):
        dh, dv = slopes(v)
        dh2, dv2 = slopes(v + dt * dv)
        return h + dt * (dh + dh2) / 2, v + dt * (dv + dv2) / 2, dt * (dv2 - dv) / 2

    def landed(h, v, dt):  # the part of the step that ends at the ground, where it is almost linear
        below, _, _ = advanced(h, v, dt)
        part = dt * h / (h - below)
        _, speed, _ = advanced(h, v, part)
        return 0.0 * h, -bounce * speed, part, dt

    def flown(h, v, dt):
        h, v, error = advanced(h, v, dt)
        is_good = (flow.real(error * error) < tolerance) & (flow.real(dt) < 0.04)
        grown = flow.cond(is_good, lambda dt: dt * 1.2, lambda dt: dt * 0.7, dt)
        return h, v, dt, grown

    def step(state):
        t, h, v, dt, n, k = state
        rest = end - t
        dt = flow.cond(flow.real(rest) < flow.real(dt), lambda: rest, lambda: dt)
        below, _, _ = advanced(h, v, dt)
        lands = flow.real(below) < 0
        h, v, part, dt = flow.cond(lands, landed, flown, h, v, dt)
        return t + part, h, v, dt, flow.cond(lands, lambda n: n + 1, lambda n: n, n), k + 1

    zero = params[0] * 0
    state = (zero, params[2] + zero, zero, zero + 0.01, np.int32(0), np.int32(0))
    goes_on = lambda s: (flow.real(s[0]) < end - 1e-9) & (s[5] < 999)  # noqa: E731
    _, h, v, _, n, _ = flow.while_loop(goes_on, step, state)
    return h + 0.1 * v, n


@pytest.mark.sweep(keep=0, part=0)
def test_a_bouncing_ball_with_steps_that_adapt():
    params = np.asarray([0.05, 0.8, 1.5])
    f = functools.partial(ball, OURS)
    (height, bounces), gradient = anvl.jit(anvl.value_and_grad(f, has_aux=True))(params)
    by_hand, n = ball(PYTHON, params)
    assert int(bounces) == n == 2
    close(height, by_hand)
    exact = complex_step(lambda p: ball(PYTHON, p)[0], params)
    close(gradient, exact, rtol=1e-8)
    close(gradient, central(lambda p: ball(PYTHON, p)[0], params), rtol=1e-5)
    high = np.stack([params, params * [1, 1, 4], params * [1, 1, 0.3]])
    many = anvl.jit(anvl.vmap(lambda p: (anvl.grad(lambda p: f(p)[0])(p), f(p)[1])))(high)
    close(many[0], [complex_step(lambda p: ball(PYTHON, p)[0], p) for p in high], rtol=1e-8)
    assert list(np.asarray(many[1])) == [ball(PYTHON, p)[1] for p in high]
    assert len(set(np.asarray(many[1]).tolist())) == 3  # each has its own number of steps


# -- power iteration -------------------------------------------------------------------------------


def dominant(a):
    """The largest eigenvalue of a symmetric matrix, by its powers."""
    unit = lambda v: v / anp.sqrt(v @ v)  # noqa: E731

    def step(c):
        _, v = c
        return v, unit(a @ v)

    def moves(c):
        return anp.sum((c[0] - c[1]) ** 2) > 1e-24

    first = unit(anp.asarray(np.ones(3)) + 0 * a[0])
    _, v = anvl.while_loop(moves, step, (0 * first, first))
    return v @ a @ v


@pytest.mark.sweep(keep=0, part=0)
def test_power_iteration_until_it_stands_still():
    q, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    a = (q * [3.0, 1.4, 0.5]) @ q.T
    value, gradient = anvl.value_and_grad(dominant)(a)
    close(value, 3)
    close(gradient, np.outer(q[:, 0], q[:, 0]), rtol=1e-8, atol=rounding(ITERATION))
    # Second: of l v v^T, by perturbation theory.
    t = np.diag([1.0, 2.0, 3.0])
    curved = anvl.grad(lambda a: anp.sum(anvl.grad(dominant)(a) * t))(a)
    expected = anvl.jvp(anvl.grad(dominant), (a,), (t,))[1]
    moved = sum(
        (q[:, k] @ t @ q[:, 0]) / (3.0 - size) * q[:, k]
        for k, size in ((1, 1.4), (2, 0.5))
    )  # fmt: skip
    along = np.outer(moved, q[:, 0]) + np.outer(q[:, 0], moved)
    for found in (curved, expected):
        close(found + found.T, 2 * along, rtol=1e-6, atol=1e-7)


# -- an LSTM ---------------------------------------------------------------------------------------


def lstm(flow, size, params, xs):
    lib = flow.np
    sigmoid = lambda v: 1 / (1 + lib.exp(-v))  # noqa: E731

    def step(state, x):
        h, c = state
        z = x @ params["w"] + h @ params["u"] + params["b"]
        i, f, o, g = (z[k * size : (k + 1) * size] for k in range(4))
        c = sigmoid(f) * c + sigmoid(i) * lib.tanh(g)
        h = sigmoid(o) * lib.tanh(c)
        return (h, c), lib.sum(h**2)

    zeros = lib.zeros(size, dtype="float64")
    _, losses = flow.scan(step, (zeros, zeros), xs)
    return sum(losses) if isinstance(losses, list) else lib.sum(losses)


@pytest.mark.sweep(keep=0, part=0)
def test_an_lstm_over_a_hundred_steps_is_what_it_is_unrolled():
    rng = np.random.default_rng(0)
    size = 2
    params = {
        "w": rng.normal(size=(size, 4 * size)),
        "u": rng.normal(size=(size, 4 * size)),
        "b": rng.normal(size=4 * size) / 9,
    }
    xs = rng.normal(size=(100, size))
    f = functools.partial(lstm, OURS, size)
    gradient = anvl.jit(anvl.grad(f, wrt=(0, 1)))(params, xs)
    found = np.concatenate([np.ravel(g) for g in anvl.tree.leaves(gradient)])
    leaves, structure = anvl.tree.flatten((params, xs))
    ends = np.cumsum([x.size for x in leaves])

    def flat(values):
        parts = np.split(values, ends[:-1])
        shaped = [part.reshape(x.shape) for part, x in zip(parts, leaves, strict=True)]
        return lstm(PYTHON, size, *anvl.tree.unflatten(structure, shaped))

    values = np.concatenate([np.ravel(x) for x in leaves])
    exact = complex_step(flat, values)
    close(found, exact)
    along = rng.normal(size=values.size)
    moved = (flat(values + 1e-6 * along) - flat(values - 1e-6 * along)) / 2e-6
    close(found @ along, moved, rtol=1e-6)
    few = xs[:7]
    unrolled = functools.partial(lstm, UNROLLED, size)
    pairs = [anvl.tree.leaves(anvl.jit(anvl.grad(g))(params, few)) for g in (f, unrolled)]
    for a, b in zip(*pairs, strict=True):
        close(a, b)


# -- numbers of steps ------------------------------------------------------------------------------


def powers(x, k, n, **options):
    step = lambda c: (c[0] + 1, anp.sin(c[1]) * k + 0.1)  # noqa: E731
    return anvl.while_loop(lambda c: c[0] < n, step, (np.int32(0), x), **options)[1]


def powers_by_hand(x, k, n):
    """The value, its slope along x, and the slopes of that along x and along k."""
    dx, dk, dxx, dxk = 1.0, 0.0, 0.0, 0.0
    for _ in range(n):
        sin, cos = np.sin(x), np.cos(x)
        dxx, dxk = k * (cos * dxx - sin * dx * dx), cos * dx + k * (cos * dxk - sin * dx * dk)
        dx, dk = k * cos * dx, sin + k * cos * dk
        x = k * sin + 0.1
    return x, dx, dxx, dxk


X, K = np.float64(0.3), np.float64(1.01)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("options", [{}, {"slots": 2}, {"max_iterations": 40}], ids=str)
def test_second_derivatives_through_any_number_of_steps(options):
    f = functools.partial(powers, **options)
    slope = anvl.value_and_grad(f)
    backward = anvl.grad(anvl.grad(f), wrt=(0, 1))
    forward = lambda x, k, n: anvl.jvp(lambda x: anvl.grad(f)(x, k, n), (x,), (1.0,))[1]  # noqa: E731
    g = anvl.jit(lambda *xs: (*slope(*xs), *backward(*xs), forward(*xs)))
    most = options.get("max_iterations", 1000)
    for n in (0, 1, 2, 3, 4, 5, 8, 9, 17, 31, 32, 33, 1000):
        y, dx, dxx, dxk = powers_by_hand(0.3, 1.01, min(n, most))
        if n < 1000 or not options:
            close(g(X, K, np.int32(n)), (y, dx, dxx, dxk, dxx), rtol=1e-8, atol=1e-200)


@pytest.mark.sweep(keep=0, part=0)
def test_each_member_has_its_own_number_of_steps():
    steps = np.asarray([0, 1, 31, 32, 33, 1000], "i4")
    batch = functools.partial(anvl.vmap, in_axes=(None, None, 0))
    expected = [powers_by_hand(0.3, 1.01, n) for n in steps]
    value, slope = anvl.jit(batch(anvl.value_and_grad(powers)))(X, K, steps)
    close(value, [row[0] for row in expected])
    close(slope, [row[1] for row in expected], atol=1e-200)
    along = anvl.jit(batch(lambda x, k, n: anvl.jvp(lambda x: powers(x, k, n), (x,), (1.0,))))
    close(along(X, K, steps), (value, slope), atol=1e-200)
    few = steps[:-1]
    twice = anvl.jit(batch(anvl.grad(anvl.grad(powers))))
    close(twice(X, K, few), [row[2] for row in expected[:-1]])


def pendulum(x, k, n, **options):
    """A step of symplectic Euler after the other: what the first steps do is never forgotten."""

    def step(c):
        i, x, v = c
        v = v - 1e-3 * k * anp.sin(x)
        return i + 1, x + 1e-3 * v, v

    return anvl.while_loop(lambda c: c[0] < n, step, (np.int32(0), x, 0 * x), **options)[1]


def pendulum_by_hand(x, k, n):
    v = 0.0
    for _ in range(n):
        v = v - 1e-3 * k * cmath.sin(x)
        x = x + 1e-3 * v
    return x


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    ("options", "counts"),
    [({}, (31, 32, 33, 1025, 33_000, 100_000)), ({"slots": 4}, (5000,)), ({"slots": 2}, (1500,))],
    ids=str,
)
def test_states_of_all_levels_are_what_they_were(options, counts):
    f = functools.partial(pendulum, **options)
    asked = anvl.jit(anvl.value_and_grad(f, wrt=(0, 1)))
    along = anvl.jit(lambda x, k, n: anvl.jvp(lambda x, k: f(x, k, n), (x, k), (1.0, 2.0))[1])
    at = np.float64(0.4), np.float64(1.2)
    for n in counts:
        value, slopes = asked(*at, np.int32(n))
        steps = [pendulum_by_hand(0.4 + 1e-100j, 1.2, n), pendulum_by_hand(0.4, 1.2 + 1e-100j, n)]
        close(value, steps[0].real, rtol=1e-8)
        expected = [y.imag / 1e-100 for y in steps]
        close(slopes, expected, rtol=1e-7)
        close(along(*at, np.int32(n)), expected[0] + 2 * expected[1], rtol=1e-7)


# -- integers and bools ----------------------------------------------------------------------------


def collatz(flow, a):
    """A float that goes the way of an integer, with a bool of two steps ago."""

    def step(c):
        n, was_odd, i, x = c
        is_odd = n % 2 == 1
        x = flow.cond(is_odd, lambda: x * a[0] + 0.5, lambda: flow.np.sin(x) + a[1])
        x = flow.cond(was_odd, lambda: x * a[1], lambda: x)
        n = flow.cond(is_odd, lambda: 3 * n + 1, lambda: n // 2)
        return n, is_odd, i + np.uint8(1), x

    init = (np.int64(7), np.bool(False), np.uint8(0), a[0] * 0 + 1.0)
    n, was_odd, i, x = flow.while_loop(lambda c: c[0] > 1, step, init)
    return x, (n, was_odd, i)


@pytest.mark.sweep(keep=0)
def test_integers_and_bools_are_carried_along():
    a = np.asarray([0.7, -0.4])
    f = functools.partial(collatz, OURS)
    gradient, (n, was_odd, i) = anvl.grad(f, has_aux=True)(a)
    assert (int(n), bool(was_odd), int(i)) == (1, False, 16)
    assert (n.dtype, was_odd.dtype, i.dtype) == (np.int64, bool, np.uint8)
    exact = functools.partial(complex_step, lambda a: collatz(PYTHON, a)[0])
    close(gradient, exact(a))
    curvature = np.stack([central(lambda a, i=i: exact(a)[i], a) for i in range(2)])
    close(anvl.hessian(lambda a: f(a)[0])(a), curvature, rtol=1e-7)
