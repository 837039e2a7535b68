"""`anvl.lax` and `anvl.scipy.linalg`: JAX's argument order and meaning, against NumPy and loops."""

import re

import numpy
import pytest
from tolerances import assert_close

import anvl
import anvl.numpy as np
from anvl import lax
from anvl.scipy import linalg

X = numpy.arange(12, dtype="f4").reshape(3, 4)
V = numpy.arange(6)
CASES = {
    "div": (lambda: lax.div(numpy.array([-7, 7]), numpy.array([2, -2])), [-3, -3]),
    "div of floats": (lambda: lax.div(X, numpy.float32(2)), X / 2),
    "rem": (lambda: lax.rem(numpy.array([-7, 7]), 3), [-1, 1]),
    "clamp": (lambda: lax.clamp(2.0, X, 5.0), numpy.clip(X, 2, 5)),
    "rsqrt": (lambda: lax.rsqrt(numpy.array([4.0, 16.0])), [0.5, 0.25]),
    "shift": (lambda: lax.shift_right_logical(numpy.int32(-1), numpy.int32(28)), 15),
    "erf_inv": (lambda: lax.erf(lax.erf_inv(numpy.array([-0.5, 0.25]))), [-0.5, 0.25]),
    "log2": (lambda: lax.log2(numpy.array([8.0, 0.5])), [3.0, -1.0]),
    "one_minus_square": (lambda: lax.one_minus_square(numpy.array([1 - 2.0**-40])), [2.0**-39]),
    "its slope": (lambda: anvl.grad(lax.one_minus_square)(0.25), -0.5),
    "polynomial": (
        lambda: lax.polynomial(numpy.array([0.0, 3.0]), [numpy.array([1.0, 2.0]), 5, 2]),
        [1.0, 35.0],
    ),
    "concatenate": (lambda: lax.concatenate([X, X], 1), numpy.concatenate([X, X], 1)),
    "expand_dims": (lambda: lax.expand_dims(X, (0, 3)), X[None, ..., None]),
    "squeeze": (lambda: lax.squeeze(X[None], (0,)), X),
    "reshape": (lambda: lax.reshape(X, (4, 3)), X.reshape(4, 3)),
    "transpose": (lambda: lax.transpose(X[None], (2, 0, 1)), X[None].transpose(2, 0, 1)),
    "rev": (lambda: lax.rev(X, (1,)), X[:, ::-1]),
    "broadcast": (lambda: lax.broadcast(X, (2,)), numpy.stack([X, X])),
    "broadcast_in_dim": (
        lambda: lax.broadcast_in_dim(X[0], (4, 2), (0,)),
        numpy.stack([X[0], X[0]], 1),
    ),
    "iota": (lambda: lax.broadcasted_iota("i32", (2, 3), 0), [[0, 0, 0], [1, 1, 1]]),
    "convert": (lambda: lax.convert_element_type(X, "i32"), X.astype("i4")),
    "select": (lambda: lax.select(X > 5, X, -X), numpy.where(X > 5, X, -X)),
    "pad": (lambda: lax.pad(V, 9, [(1, -2, 1)]), [9, 0, 9, 1, 9, 2, 9, 3, 9, 4]),
    "slice": (lambda: lax.slice(X, (0, 1), (3, 4), (2, 1)), X[0:3:2, 1:4]),
    "slice_in_dim": (lambda: lax.slice_in_dim(X, 1, 4, 2, axis=1), X[:, 1:4:2]),
    "slice_in_dim to None": (lambda: lax.slice_in_dim(X, None, -1), X[:-1]),
    "index_in_dim": (lambda: lax.index_in_dim(X, -1, axis=1), X[:, -1:]),
    "dynamic_slice": (lambda: lax.dynamic_slice(X, (2, -3), (2, 2)), X[1:3, 1:3]),
    "dynamic_slice_in_dim": (lambda: lax.dynamic_slice_in_dim(X, 3, 2, axis=1), X[:, 2:4]),
    "dynamic_index_in_dim": (lambda: lax.dynamic_index_in_dim(X, 1, keepdims=False), X[1]),
    "dynamic_update_slice": (
        lambda: lax.dynamic_update_slice(V, numpy.array([7, 8]), (5,)),
        [0, 1, 2, 3, 7, 8],
    ),
    "dynamic_update_index_in_dim": (
        lambda: lax.dynamic_update_index_in_dim(X, X[:, 0], 3, 1),
        numpy.concatenate([X[:, :3], X[:, :1]], 1),
    ),
    "split": (lambda: lax.split(X, (1, 3), axis=1)[1], X[:, 1:]),
    "cumsum": (lambda: lax.cumsum(X, axis=1, reverse=True), X[:, ::-1].cumsum(1)[:, ::-1]),
    "cummax": (lambda: lax.cummax(-X), numpy.maximum.accumulate(-X)),
    "sort": (lambda: lax.sort(-X, 0), numpy.sort(-X, 0)),
    "argmax": (lambda: lax.argmax(X, 1, "i32"), [3, 3, 3]),
    "argmin": (lambda: lax.argmin(X, 1, "i32"), [0, 0, 0]),
    "reduce": (lambda: lax.reduce(X, numpy.float32(0), lax.add, (1,)), X.sum(1)),
    "top_k": (lambda: lax.top_k(X, 2)[1], [[3, 2]] * 3),
    "dot_general": (
        lambda: lax.dot_general(X, X, (((1,), (1,)), ((0,), (0,)))),
        (X * X).sum(1),
    ),
    "dot": (lambda: lax.dot(X, X.T), X @ X.T),
    "batch_matmul": (lambda: lax.batch_matmul(X[None], X.T[None]), (X @ X.T)[None]),
    "reduce_window": (
        lambda: lax.reduce_window(X, -np.inf, lax.max, (2, 2), (1, 2), "VALID"),
        [[5, 7], [9, 11]],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_function_means_what_it_means_in_jax(case):
    f, wanted = CASES[case]
    found = f()
    assert found.shape == numpy.shape(wanted)
    assert_close(found, numpy.asarray(wanted, dtype=found.dtype), 16)


def test_integers_stay_integers():
    assert lax.div(numpy.int32(7), numpy.int32(2)).dtype == numpy.int32
    assert lax.argmax(X, 0, "i64").dtype == numpy.int64


def slow_convolution(x, kernel, strides):
    """By definition, without padding: x is NCHW, the kernel OIHW."""
    (h, w), (sh, sw) = kernel.shape[2:], strides
    rows, columns = (x.shape[2] - h) // sh + 1, (x.shape[3] - w) // sw + 1
    patches = [
        [x[:, :, i * sh : i * sh + h, j * sw : j * sw + w] for j in range(columns)]
        for i in range(rows)
    ]
    return numpy.einsum("abnchw,ochw->noab", numpy.array(patches), kernel)


def test_a_convolution_in_each_layout():
    rng = numpy.random.default_rng(0)
    x, kernel = rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(4, 3, 3, 2))
    wanted = slow_convolution(x, kernel, (2, 1))
    assert_close(lax.conv(x, kernel, (2, 1), "VALID"), wanted, 64)
    nhwc, hwio = x.transpose(0, 2, 3, 1), kernel.transpose(2, 3, 1, 0)
    dims = ("NHWC", "HWIO", "NCHW")
    found = lax.conv_general_dilated(nhwc, hwio, (2, 1), "VALID", dimension_numbers=dims)
    assert_close(found, wanted, 64)
    # Strides and padding are in the order of the kernel's spatial axes, also where x has another.
    dims = lax.conv_dimension_numbers(x.shape, kernel.shape, ("NWHC", "HWIO", "NCHW"))
    found = lax.conv_general_dilated(
        x.transpose(0, 3, 2, 1), hwio, (2, 1), [(0, 0), (0, 0)], dimension_numbers=dims
    )
    assert_close(found, wanted, 64)
    padded = numpy.pad(x, ((0, 0), (0, 0), (1, 0), (0, 2)))
    found = lax.conv_with_general_padding(x, kernel, (2, 1), [(1, 0), (0, 2)], None, None)
    assert_close(found, slow_convolution(padded, kernel, (2, 1)), 64)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lax.cumsum(X, 2), "cumsum: axis 2 is outside of the 2 axes"),
        (lambda: lax.split(X, (1, 1)), "split: the sizes (1, 1) add up to 2, not to the 3"),
        (lambda: lax.pad(X, 0.0, [(0, 0, 0)]), "pad: padding_config"),
        (lambda: lax.dynamic_slice(X, (0,), (1, 1)), "dynamic_slice: takes one start"),
        (lambda: lax.conv_general_dilated(X, X, (1,), "SAME"), "conv"),
        (lambda: lax.conv_dimension_numbers((1,) * 4, (1,) * 3, None), "not one number of axes"),
        (
            lambda: lax.conv_dimension_numbers((1,) * 4, (1,) * 4, ("NHWC", "HWIQ", "NHWC")),
            "does not name the 4 axes",
        ),
        (lambda: linalg.solve_triangular(X, X), "solve_triangular: takes square matrices"),
        (lambda: linalg.solve_triangular(X[:, :3], V), "which does not fit a"),
        (lambda: linalg.solve_triangular(X[:, :3], X, trans=3), "trans is 3"),
        (lambda: anvl.config.update("jax_enable_x64", "yes"), "give True or False"),
        (lambda: anvl.config.update("jax_enable", True), "no setting 'jax_enable'"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises((TypeError, ValueError, AttributeError), match=re.escape(message)):
        call()


def test_triangular_and_cholesky_solves():
    rng = numpy.random.default_rng(1)
    a, b = rng.normal(size=(2, 3, 3)) + 4 * numpy.eye(3), rng.normal(size=(3, 2))
    for trans, of in ((0, lambda t: t), ("T", lambda t: t.swapaxes(-1, -2))):
        for lower, part in ((True, numpy.tril), (False, numpy.triu)):
            found = linalg.solve_triangular(a, b, trans=trans, lower=lower)
            assert_close(of(part(a)) @ numpy.asarray(found), numpy.stack([b, b]), 256)
    ones = numpy.tril(a[0], -1) + numpy.eye(3)
    found = linalg.solve_triangular(a[0], b[:, 0], lower=True, unit_diagonal=True)
    assert_close(ones @ numpy.asarray(found), b[:, 0], 256)
    spd = a[0] @ a[0].T
    for lower in (True, False):
        found = linalg.cho_solve(linalg.cho_factor(spd, lower=lower), b[:, 0])
        assert_close(spd @ numpy.asarray(found), b[:, 0], 2048)
    assert_close(linalg.cholesky(spd), numpy.linalg.cholesky(spd).T, 256)


def test_a_complex_factor_solves():
    a = numpy.array([[3.0, 1j], [-1j, 2.0]])
    for lower in (True, False):
        found = linalg.cho_solve(linalg.cho_factor(a, lower=lower), numpy.array([1.0, 1j]))
        assert_close(a @ numpy.asarray(found), numpy.array([1.0, 1j]), 64)


def test_slices_and_solves_have_derivatives():
    slope = anvl.grad(lambda x: lax.dynamic_slice_in_dim(x, 1, 2)[0] * 3)(np.ones(4))
    assert slope.tolist() == [0, 3, 0, 0]
    a = numpy.array([[2.0, 0.0], [1.0, 4.0]])
    slope = anvl.grad(lambda b: linalg.solve_triangular(a, b, lower=True)[1])(numpy.ones(2))
    assert_close(slope, numpy.array([-0.125, 0.25]), 16)


def test_static_arguments_of_checkpoint():
    def block(x, kind, n=1):
        return x * n if kind == "scaled" and n > 1 else x

    for f in (
        anvl.checkpoint(block, static_argnums=(1, 2)),
        anvl.checkpoint(static_argnums=(1, -1))(block),
    ):
        assert anvl.grad(lambda x, f=f: f(x, "scaled", 3))(1.0) == 3
        assert anvl.grad(lambda x, f=f: f(x, kind="scaled", n=2))(1.0) == 2


def test_update_sets_the_dtypes_of_numbers():
    try:
        anvl.config.update("jax_enable_x64", True)
        assert np.zeros(1).dtype == numpy.float64
        assert np.arange(3).dtype == numpy.int64
        anvl.config.update("jax_enable_x64", False)
        assert np.zeros(1).dtype == numpy.float32
    finally:
        for name in ("default_float", "default_int", "default_complex"):
            delattr(anvl.config, name)
