"""Special functions agree with SciPy; convolutions and cumulative functions with NumPy."""

import numpy as np
import pytest
import scipy.special
from agreement import agrees, values
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.errors import MissingRule

POINTS = {  # SciPy's name: how many arguments, and between which bounds
    "erfinv": [(-0.95, 0.95)],
    "gammaln": [(0.1, 9)],
    "digamma": [(0.1, 9)],
    "i0": [(-5, 5)],
    "i0e": [(-9, 9)],
    "i1": [(-5, 5)],
    "i1e": [(-9, 9)],
    "zeta": [(1.5, 5), (0.5, 3)],
    "gammainc": [(0.5, 5), (0.1, 8)],
    "gammaincc": [(0.5, 5), (0.1, 8)],
    "betainc": [(0.5, 5), (0.5, 5), (0.05, 0.95)],
}


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("name", POINTS)
def test_special_functions_agree_with_scipy(name):
    reference = getattr(scipy.special, name)
    shapes = [(3, 4), (4,), (1, 4)]  # several operands broadcast
    xs = [values("f8", shapes[i], *bounds) for i, bounds in enumerate(POINTS[name])]
    found = getattr(anp, name)(*xs)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, reference(*xs), rtol=rounding(ITERATION))
    narrow = [x.astype("f4") for x in xs]
    found = anvl.jit(getattr(anp, name))(*narrow)
    assert found.dtype == np.float32
    wide = [x.astype("f8") for x in narrow]
    np.testing.assert_allclose(found, reference(*wide), rtol=2e-5, atol=1e-6)


def test_polygamma_agrees_with_scipy():
    x = np.concatenate([values("f8", (3, 4), 0.5, 9), [[-0.25, -9.2, -10.7, -1234.4]]])
    for n in (1, 2, 3, 6):
        np.testing.assert_allclose(
            anp.polygamma(n, x), scipy.special.polygamma(n, x), rtol=rounding(ITERATION)
        )


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("name", POINTS)
def test_the_last_argument_of_a_special_function_has_a_derivative(name):
    xs = [values("f8", (5,), *bounds) for bounds in POINTS[name]]
    *others, x = xs
    f = getattr(anp, name)
    slope = np.asarray(anvl.grad(lambda x: anp.sum(f(*others, x)))(x))
    step = 1e-5
    difference = (np.asarray(f(*others, x + step)) - np.asarray(f(*others, x - step))) / (2 * step)
    np.testing.assert_allclose(slope, difference, rtol=1e-6)


def test_a_parameter_without_a_derivative_says_so():
    with pytest.raises(MissingRule, match="not differentiable with respect to its order"):
        anvl.grad(lambda n: anp.polygamma(n, 2.0))(np.float64(1))


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", ["gammainc", "gammaincc", "betainc", "zeta"])
def test_parameters_have_derivatives(name):
    xs = [values("f8", (5,), *bounds) for bounds in POINTS[name]]
    f = getattr(anp, name)
    for i in range(len(xs) - 1 if name != "zeta" else 1):

        def along(p, i=i):
            return f(*xs[:i], p, *xs[i + 1 :])

        slope = np.asarray(anvl.grad(lambda p: anp.sum(along(p)))(xs[i]))
        step = 1e-5
        difference = (np.asarray(along(xs[i] + step)) - np.asarray(along(xs[i] - step))) / 2e-5
        np.testing.assert_allclose(slope, difference, rtol=1e-6, atol=rounding(ITERATION))


MODES = ["full", "same", "valid"]


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolutions_agree_with_numpy(name, mode):
    f, reference = getattr(anp, name), getattr(np, name)
    for n, m in [(5, 3), (5, 2), (2, 6), (3, 6), (4, 4), (1, 1), (20, 18)]:
        calls = [(values(d, (n,)), values(d, (m,))) for d in ("f8", "f4", "i4", "c16")]
        calls.append((values("f4", (n,)), values("i4", (m,))))
        agrees(lambda a, v: f(a, v, mode), lambda a, v: reference(a, v, mode), calls)
    flags = np.asarray([True, False, True]), np.asarray([True, True])
    agrees(lambda a, v: f(a, v, mode), lambda a, v: reference(a, v, mode), [flags])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_the_gradient_of_a_convolution_is_the_slope(name, mode):
    xs, ts = [[values("f8", (n,), -k, k) for n in (5, 3)] for k in (2, 1)]

    def f(a, v):
        y = getattr(anp, name)(a, v, mode)
        return anp.sum(anp.sin(y))

    step = 1e-5
    up, down = ([x + s * t for x, t in zip(xs, ts, strict=True)] for s in (step, -step))
    difference = (f(*up).item() - f(*down).item()) / (2 * step)
    slopes = anvl.grad(f, wrt=(0, 1))(*xs)
    found = sum(np.sum(np.asarray(g) * t) for g, t in zip(slopes, ts, strict=True))
    assert abs(found - difference) < 1e-8 * max(1, abs(found))


def pairs_of(reference, n, m, mode):
    """[k, i, j]: whether the product of elements i and j is in the result k."""
    columns = [[reference(a, v, mode) for v in np.eye(m)] for a in np.eye(n)]
    return np.moveaxis(np.array(columns), -1, 0) != 0


def summed(pairs, *factors):
    """The sums along the last two axes of the products in the pairs, and of no others."""
    with np.errstate(invalid="ignore"):
        return np.where(pairs, factors[0] * factors[1], 0).sum((-2, -1))


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_what_is_infinite_in_a_convolution_counts_where_it_takes_part(name):
    """Each value and slope against the products in it: those with the padding are none."""
    # In f32: there XLA multiplies with the padding, and in f64 it does not (CPU, jaxlib 0.10).
    vs = np.array([[np.inf, 1, 2], [1, np.nan, 2], [0.5, -1, -np.inf]], np.float32)
    a, ta, tv = values("f4", (5,), -2, 2), values("f4", (5,), -1, 1), values("f4", (3,), -1, 1)

    def everything(a, v, mode, swapped):
        def f(a, v):
            return getattr(anp, name)(*((v, a) if swapped else (a, v)), mode)

        y = f(a, v)
        weights = anp.arange(y.size, dtype=y.dtype) - 1
        slopes = anvl.grad(lambda a, v: anp.sum(f(a, v) * weights), wrt=(0, 1))(a, v)
        return y, *slopes, anvl.jvp(f, (a, v), (ta, tv))[1]

    cases = [(mode, swapped) for mode in MODES for swapped in (False, True)]
    limit = rounding(PROGRAM, vs)
    of_each = lambda v: [everything(a, v, *case) for case in cases]  # noqa: E731
    plain, batched = anvl.jit(lambda vs: ([of_each(v) for v in vs], anvl.vmap(of_each)(vs)))(vs)
    for k, (mode, swapped) in enumerate(cases):
        reference = getattr(np, name)
        if swapped:
            pairs = np.swapaxes(pairs_of(reference, 3, 5, mode), 1, 2)
        else:
            pairs = pairs_of(reference, 5, 3, mode)
        w = np.arange(len(pairs), dtype=np.float32)[:, None] - 1
        for i, v in enumerate(vs):
            of_a, of_v = a[:, None], v[None]
            wanted = [
                summed(pairs, of_a, of_v),
                summed(np.moveaxis(pairs, 1, 0), w, of_v),
                summed(np.moveaxis(pairs, 2, 0), w, of_a.T),
                summed(pairs, ta[:, None], of_v) + summed(pairs, of_a, tv[None]),
            ]
            for one, other, right in zip(plain[i][k], batched[k], wanted, strict=True):
                for y in (one, other[i]):
                    np.testing.assert_allclose(y, right, limit, limit)


BACKWARDS = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
    "cumlogsumexp": np.logaddexp.accumulate,
}


@pytest.mark.parametrize("name", BACKWARDS)
def test_cumulative_functions_run_backwards(name):
    f, reference = getattr(anp, name), BACKWARDS[name]
    x = values("f8", (3, 4))
    agrees(
        lambda x: f(x, 1, reverse=True), lambda x: reference(x[:, ::-1], axis=1)[:, ::-1], [(x,)]
    )
    found = f(x, reverse=True)
    np.testing.assert_allclose(
        found, reference(x.ravel()[::-1], axis=0)[::-1], rtol=rounding(PROGRAM)
    )
    slope = np.asarray(anvl.grad(lambda x: anp.sum(f(x, 1, reverse=True) * x))(x))
    forward = anvl.grad(lambda x: anp.sum(f(x, 1) * x))(np.ascontiguousarray(x[:, ::-1]))
    np.testing.assert_allclose(slope, np.asarray(forward)[:, ::-1], rtol=rounding(PROGRAM))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: anp.convolve(x, x, "no"), ValueError, "convolve: mode 'no' is not one of full"),
        (lambda x: anp.convolve(x[None], x), TypeError, r"convolve: takes vectors, got f64\[1,3\]"),
        (lambda x: anp.correlate(x, x[:0]), ValueError, r"correlate: f64\[0\] is empty"),
        (lambda x: anp.cumsum(x, 0, reverse=1), TypeError, "cumsum: reverse is 1; it must be True"),
        (
            lambda x: anp.gammaln(x * 1j),
            TypeError,
            r"gammaln: lgamma: operand is c128\[3\]; .*; take the real",
        ),
    ],
)
def test_bad_arguments_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(anp.asarray(np.ones(3)))
