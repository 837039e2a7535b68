"""The derivatives of the functions that are made of several ops, against central differences."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

X = np.asarray([[0.3, -1.2, 0.8], [1.7, 0.4, -0.6]])
Y = np.asarray([0.9, 1.3, -0.7])

FUNCTIONS = {
    "hypot": lambda x: anp.hypot(x, Y),
    "logaddexp": lambda x: anp.logaddexp(x, Y),
    "copysign": lambda x: anp.copysign(x, Y),
    "where": lambda x: anp.where(x > 0, x * x, anp.sin(x)),
    "clip": lambda x: anp.clip(x, -1, 1),
    "remainder": lambda x: anp.remainder(x, 0.7),
    "fmod": lambda x: anp.fmod(x, 0.7),
    "divide": lambda x: Y / (x * x + 1),
    "square": anp.square,
    "abs": anp.abs,
    "exp2": anp.exp2,
    "log2": lambda x: anp.log2(anp.abs(x)),
    "log10": lambda x: anp.log10(anp.abs(x)),
    "power of an int": lambda x: x**3,
    "a negative power": lambda x: (x + 3) ** -2,
    "a power of a number": lambda x: 2.0**x,
    "a power of both": lambda x: anp.abs(x) ** Y,
    "sinc": anp.sinc,
    "fmax": lambda x: anp.fmax(x, Y),
    "deg2rad": anp.deg2rad,
    "nan_to_num": anp.nan_to_num,
    "polyval": lambda x: anp.polyval(Y, x),
    "diff": lambda x: anp.diff(x, axis=1),
    "prod": lambda x: anp.prod(x, axis=1),
    "mean": lambda x: anp.mean(x, axis=0),
    "var": lambda x: anp.var(x, axis=1, ddof=1),
    "std": lambda x: anp.std(x, axis=1),
    "average": lambda x: anp.average(x, axis=1, weights=np.abs(Y)),
    "logsumexp": lambda x: anp.logsumexp(x, axis=1),
    "softmax": lambda x: anp.softmax(x, axis=1),
    "log_softmax": anp.log_softmax,
    "max": lambda x: anp.max(x, axis=0),
    "ptp": lambda x: anp.ptp(x, axis=1),
    "nansum": anp.nansum,
    "matmul": lambda x: x @ x.T,
    "a vector times a stack": lambda x: anp.matmul(x[0], anp.stack([x.T, x.T * 2])),
    "kron": lambda x: anp.kron(x, x),
    "outer": lambda x: anp.outer(x, Y),
    "cross": lambda x: anp.cross(x, Y),
    "vdot": lambda x: anp.vdot(x, x),
    "tensordot": lambda x: anp.tensordot(x, x, ([0, 1], [0, 1])),
    "einsum": lambda x: anp.einsum("ij,kj,i->k", x, x, x[:, 0]),
    "einsum of a diagonal": lambda x: anp.einsum("ii->i", x @ x.T),
    "reshape": lambda x: anp.reshape(x, (3, 2)) @ x,
    "transpose": lambda x: x.T,
    "roll": lambda x: anp.roll(x, 1, 1),
    "pad": lambda x: anp.pad(x, ((0, 1), (2, 0))),
    "tile and repeat": lambda x: anp.tile(x, (2, 1)) * anp.repeat(x, 2, 0),
    "flip and rot90": lambda x: anp.flip(anp.rot90(x), 1),
    "concatenate": lambda x: anp.concatenate([x, x * x], 1),
    "stack": lambda x: anp.stack([x, anp.sin(x)], -1),
    "split": lambda x: anp.split(x, 3, axis=1)[1] * x[:, :1],
    "broadcast_to": lambda x: anp.broadcast_to(x, (4, 2, 3)),
    "an index": lambda x: x[::-1, 1:] * x[0, -1],
    "diagonal and trace": lambda x: anp.diagonal(x, 1) * anp.trace(x),
    "diag": lambda x: anp.diag(x[0], 1) @ anp.diag(x[1], -1),
    "triangles": lambda x: anp.tril(x) - anp.triu(x, 1),
    "astype": lambda x: x.astype("f64"),
    "linspace": lambda x: anp.linspace(x[0], x[1], 4),
}


@pytest.mark.sweep(keep=10)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradient_is_the_slope(name):
    weights = np.random.default_rng(3)
    shape = anvl.eval_shape(FUNCTIONS[name], X).shape
    w = weights.normal(size=shape)

    def f(x):
        return anp.sum(FUNCTIONS[name](x) * w)

    run, slope = anvl.jit(f), np.asarray(anvl.jit(anvl.grad(f))(X))
    step = 1e-6
    for place in np.ndindex(X.shape):
        up, down = X.copy(), X.copy()
        up[place] += step
        down[place] -= step
        difference = (run(up).item() - run(down).item()) / (2 * step)
        assert abs(slope[place] - difference) < 1e-7 * max(1, abs(difference))


@pytest.mark.parametrize(
    ("f", "at", "slope"),
    [
        (anp.abs, 0.0, 0.0),
        (anp.sqrt, 0.0, np.inf),
        (lambda x: anp.hypot(x, 0.0), 0.0, 0.0),
        (lambda x: anp.std(anp.stack([x])), 3.0, 0.0),
        (lambda x: anp.maximum(x, 0.0), 0.0, 0.5),
        (lambda x: anp.clip(x, 0.0, 1.0), 0.0, 1.0),
        (lambda x: anp.clip(x, 0.0, 1.0), 1.0, 1.0),
        (lambda x: x**2, 0.0, 0.0),
        (lambda x: x**0, 0.0, 0.0),
        (anp.sinc, 0.0, 0.0),
        (anp.floor, 1.5, 0.0),
        (anp.sign, 0.0, 0.0),
        (lambda x: x // 2, 5.0, 0.0),
        (lambda x: anp.logaddexp(x, -np.inf), 0.0, 1.0),
        (lambda x: anp.logaddexp(x, -np.inf), -np.inf, 0.5),
    ],
)
def test_derivatives_at_corners_are_as_documented(f, at, slope):
    assert anvl.grad(f)(np.float64(at)).item() == slope


def test_ties_share_the_derivative_evenly():
    x = np.asarray([1.0, 3.0, 3.0, 2.0])
    assert anvl.grad(anp.max)(x).tolist() == [0.0, 0.5, 0.5, 0.0]
