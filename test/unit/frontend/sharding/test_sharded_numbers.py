"""Values and gradients over 8 devices are those of one device: f32, to 1e-5 of the largest."""

import numpy as np
import pytest
from eight_devices import over

import anvl
import anvl.numpy as anp
from anvl import lax, random
from anvl.sharding import P

RNG = np.random.default_rng(3)
X = RNG.random((8, 16), dtype=np.float32)
W = RNG.random((16, 4), dtype=np.float32)
ROWS = np.array([3, 1, 0, 7, 7, 2, 5, 6], np.int32)
IMAGES = RNG.random((4, 8, 8, 2), dtype=np.float32)
KERNEL = RNG.random((3, 3, 2, 4), dtype=np.float32)
SPD = X @ X.T + 8 * np.eye(8, dtype=np.float32)
TOLERANCE = 1e-5  # what the proof asks for: sums over devices have another order


def conv(x, k, strides=(1, 1), padding="SAME", groups=1, dilation=None):
    return lax.conv_general_dilated(
        x, k, strides, padding, dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups, rhs_dilation=dilation,
    )  # fmt: skip


def scanned(w, x):
    def step(c, row):
        c = anp.tanh(c * 0.5 + row @ w)
        return c, c.sum()

    last, sums = anvl.scan(step, anp.zeros(4, "f4"), x)
    return last * sums.sum()


def rowwise(w, x):
    return anvl.vmap(anvl.checkpoint(lambda row: anp.tanh(row @ w)))(x)


def uneven(x):
    part = anvl.with_sharding(x[:7, :11] * 2, P("x", "y"))
    return anvl.with_sharding(anp.sin(part), P("y", "x"))


def joined(x):
    return anp.concatenate([x[1:], anp.pad(x, ((2, 1), (0, 0))), anp.roll(x, 3, 0)])


def second(w, x):
    return anvl.grad(lambda w: anp.sum(anp.tanh(x @ w) ** 3))(w)


def pushed(w, x):
    return anvl.jvp(lambda w: anp.tanh(x @ w), (w,), (w * 0.5,))[1]


# By name: the function, its arguments, their specs; it is differentiated by the first.
PROGRAMS = {
    "data parallel": (lambda w, x: anp.tanh(x @ w), (W, X), ((), ("x",))),
    "data parallel over all": (lambda w, x: anp.tanh(x @ w), (W, X), ((), (("x", "y"),))),
    "tensor parallel": (lambda w, x: anp.tanh(x @ w), (W, X), ((None, "y"), ())),
    "both": (lambda w, x: anp.tanh(x @ w), (W, X), ((None, "y"), ("x",))),
    "contracted": (lambda w, x: anp.tanh(x @ w), (W, X), (("y",), ("x", "y"))),
    "scan": (scanned, (W, X), ((None, "y"), ("x",))),
    "scan of columns": (scanned, (W, X), (("y",), (None, "y"))),
    "fori": (lambda x: anvl.fori_loop(0, 3, lambda i, s: anp.sin(s) + s, x), (X,), (("x", "y"),)),
    "vmap of checkpoint": (rowwise, (W, X), ((None, "y"), ("x",))),
    "convolution of batches": (lambda k, x: conv(x, k), (KERNEL, IMAGES), ((), ("x",))),
    "convolution, channels": (
        lambda k, x: conv(x, k), (KERNEL, IMAGES), ((None, None, None, "y"), ("x",))
    ),
    "convolution in space": (lambda k, x: conv(x, k), (KERNEL, IMAGES), ((), (None, "x"))),
    "convolution in space, columns": (
        lambda k, x: conv(x, k, (2, 2)), (KERNEL, IMAGES), ((), (None, None, "y"))
    ),
    "convolution in space, both": (
        lambda k, x: conv(x, k, dilation=(2, 2)), (KERNEL, IMAGES), ((), ("x", "y"))
    ),
    "convolution in space, by images": (
        lambda x, k: conv(x, k, padding="VALID"), (IMAGES, KERNEL), ((None, "x"), ())
    ),
    "grouped convolution": (
        lambda k, x: conv(x, k[:, :, :1], groups=2), (KERNEL, IMAGES), ((), (None, "x", "y"))
    ),
    "gather": (lambda t, i: t[i] ** 2, (X, ROWS), (("x",), ("x",))),
    "gather of columns": (lambda t, i: t[i] ** 2, (X, ROWS), ((None, "y"), ("x",))),
    "scatter": (
        lambda t, i: anp.zeros((8, 16), "f4").at[i].add(t) ** 2, (X, ROWS), (("x",), ())
    ),
    "scatter of columns": (
        lambda t, i: anp.zeros((8, 16), "f4").at[i].set(t), (X, ROWS), ((None, "y"), ("x",))
    ),
    "sort along": (lambda x: anp.sort(x, axis=0) * X, (X,), (("x", "y"),)),
    "sort across": (lambda x: anp.sort(x, axis=1) * X, (X,), (("x",),)),
    "cumsum": (lambda x: anp.cumsum(x, 0), (X,), (("x", "y"),)),
    "softmax": (lambda x: anvl.nn.softmax(x, axis=1), (X,), (("x", "y"),)),
    "pool": (
        lambda x: anvl.windows.max_pool(x, (2, 2)), (IMAGES,), ((None, "x", "y"),)
    ),
    "pool, with copies": (
        lambda x: anvl.windows.mean_pool(x, (2, 2)), (IMAGES,), ((None, "x"),)
    ),
    "pool in overlap, with copies": (
        lambda x: anvl.windows.max_pool(x, (3, 3), strides=(1, 1)), (IMAGES,), ((None, None, "y"),)
    ),
    "transposed convolution": (
        lambda k, x: lax.conv_general_dilated(
            x, k, (1, 1), "SAME", lhs_dilation=(2, 2), dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        (KERNEL, IMAGES), ((), (None, "x")),
    ),
    "convolution of depth": (
        lambda k, x: conv(x, anp.reshape(k, (3, 3, 1, 8)), groups=2), (KERNEL, IMAGES),
        ((), (None, "x")),
    ),
    "pads that remove": (  # Note [Pads that remove elements]
        lambda x, y: x[:, :15] * lax.pad(y, 0.0, [(0, 0, 0), (-1, 0, 0)]), (X, 2 * X),
        (("x", "y"), ()),
    ),
    "random numbers": (lambda x: x + random.normal(random.key(0), x.shape), (X,), (("x", "y"),)),
    "transform": (lambda x: anp.abs(anp.fft.fft(x)), (X,), (("x", "y"),)),
    "cholesky": (anp.linalg.cholesky, (SPD,), (("x", "y"),)),
    "solve": (lambda a: anp.linalg.solve(a, a[0] * a[1]), (SPD,), (("x", "y"),)),
    "eigenvalues": (anp.linalg.eigvalsh, (SPD,), (("x",),)),
    "singular values": (lambda a: anp.linalg.svd(a)[1], (SPD,), ((None, "y"),)),
    "a stack of matrices": (anp.linalg.cholesky, (np.stack([SPD] * 8),), (("x",),)),
    "uneven": (uneven, (X,), (("x", "y"),)),
    "joined": (joined, (X,), (("x", "y"),)),
    "reshape": (lambda x: anp.reshape(x, (4, 32)) * anp.reshape(x.T, (4, 32)), (X,), (("x", "y"),)),
    "second derivative": (second, (W, X), ((None, "y"), ("x",))),
    "forward mode": (pushed, (W, X), ((None, "y"), ("x",))),
}  # fmt: skip


def with_gradient(f):
    def both(*args):
        loss = lambda first, *rest: anp.sum(f(first, *rest) ** 2)  # noqa: E731
        return f(*args), anvl.grad(loss)(*args)

    return both


@pytest.mark.sweep(keep=6, part=6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients_are_those_of_one_device(name):
    f, args, specs = PROGRAMS[name]
    there = [anvl.device_put(x, over(*spec)) for x, spec in zip(args, specs, strict=True)]
    if name == "uneven":  # on one device there is no mesh that its specs are over
        f_of_one = lambda x: anp.sin(x[:7, :11] * 2)  # noqa: E731
    else:
        f_of_one = f
    wanted = anvl.jit(with_gradient(f_of_one))(*args)
    for y, of_one in zip(anvl.jit(with_gradient(f))(*there), wanted, strict=True):
        assert y.sharding.mesh == over().mesh
        error = np.abs(y.numpy() - of_one.numpy()).max() / np.abs(of_one.numpy()).max()
        assert error <= TOLERANCE, (y.sharding, error)


def test_a_while_loop_over_devices():
    def f(x):
        return anvl.while_loop(lambda s: s[0].sum() < 500, lambda s: (s[0] * 1.5, s[1] + 1), (x, 0))

    of_one, (y, n) = anvl.jit(f)(X), anvl.jit(f)(anvl.device_put(X, over("x", "y")))
    assert int(n) == int(of_one[1])
    np.testing.assert_allclose(y.numpy(), of_one[0].numpy(), rtol=TOLERANCE)


@pytest.mark.parametrize("spec", [("x",), (None, "x")])
def test_elements_between_those_of_a_whole_array(spec):  # Note [Pads that remove elements]
    def f(x, y):
        return anp.sum(anvl.with_sharding(x, over(*spec))[::2, ::2] * y)

    wanted = np.zeros_like(X)
    wanted[::2, ::2] = W[:4].T[:4, :1] * np.ones(8, "f4")
    found = anvl.jit(anvl.grad(f))(X, anvl.device_put(wanted[::2, ::2], over()))
    np.testing.assert_array_equal(found, wanted)
