"""`anvl.nn`: normalizations, convolutions, pooling, dropout, attention, initializers."""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import nn, random
from anvl.testing import check_grads

RNG = np.random.default_rng(5)
KEY = random.key(3)
IMAGES = RNG.normal(size=(2, 3, 4, 6))
SCALE, BIAS = RNG.normal(size=6), RNG.normal(size=6)


def normalized(x, axes, epsilon=1e-5):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon)


# -- normalizations --------------------------------------------------------------------------------


def test_normalizations():
    last = normalized(IMAGES, (3,))
    np.testing.assert_allclose(nn.layer_norm(IMAGES, SCALE, BIAS), last * SCALE + BIAS)
    inner = RNG.normal(size=(3, 4))
    np.testing.assert_allclose(
        nn.layer_norm(IMAGES, inner, axis=(1, 2)),
        normalized(IMAGES, (1, 2)) * inner[..., None],
    )
    size = np.sqrt((IMAGES**2).mean(-1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(nn.rms_norm(IMAGES, SCALE), IMAGES / size * SCALE)
    groups = normalized(IMAGES.reshape(2, 3, 4, 2, 3), (1, 2, 4)).reshape(IMAGES.shape)
    np.testing.assert_allclose(nn.group_norm(IMAGES, 2, SCALE, BIAS), groups * SCALE + BIAS)
    first = nn.group_norm(np.moveaxis(IMAGES, -1, 1), 2, SCALE, axis=1)
    np.testing.assert_allclose(np.moveaxis(np.asarray(first), 1, -1), groups * SCALE)
    np.testing.assert_allclose(nn.instance_norm(IMAGES, SCALE), normalized(IMAGES, (1, 2)) * SCALE)


def test_batch_statistics_are_returned_and_taken():
    y, mean, variance = nn.batch_norm(IMAGES, SCALE, BIAS)
    np.testing.assert_allclose(y, normalized(IMAGES, (0, 1, 2)) * SCALE + BIAS)
    np.testing.assert_allclose(mean, IMAGES.mean((0, 1, 2)))
    np.testing.assert_allclose(variance, IMAGES.var((0, 1, 2)))
    again = nn.batch_norm(IMAGES, SCALE, BIAS, mean=mean, variance=variance)
    np.testing.assert_allclose(again.y, y)
    jitted = anvl.jit(lambda x: nn.batch_norm(x, axis=1))(IMAGES)
    assert isinstance(jitted, nn.BatchNorm)
    assert jitted.mean.shape == (3,)


def test_narrow_dtypes_have_statistics_of_32_bits():
    x = (1000 + RNG.normal(size=(4, 64))).astype("f2")
    y = nn.layer_norm(x)
    assert y.dtype == np.float16
    np.testing.assert_allclose(y, normalized(x.astype("f8"), (1,)), atol=0.02)
    assert nn.batch_norm(x).mean.dtype == np.float32


def test_normalizations_are_differentiable():
    x = IMAGES[:1, :2, :2]

    def all_of_them(x, scale, bias):
        return [
            nn.layer_norm(x, scale, bias), nn.rms_norm(x, scale), nn.group_norm(x, 3, scale, bias),
            tuple(nn.batch_norm(x, scale, bias)),
        ]  # fmt: skip

    check_grads(all_of_them, (x, SCALE, BIAS), order=1)
    # Of equal numbers the variance is 0, and epsilon keeps the derivative finite.
    gradient = anvl.grad(lambda x: anp.sum(nn.layer_norm(x)[0]))(np.ones(4))
    assert np.isfinite(gradient).all()


# -- convolutions ----------------------------------------------------------------------------------


def correlated(x, kernel):
    """Cross-correlation along one axis of [N, W, C] with [W, C, O], padded with zeros."""
    k = kernel.shape[0]
    low = (k - 1) // 2
    padded = np.pad(x, [(0, 0), (low, k - 1 - low), (0, 0)])
    return sum(padded[:, i : i + x.shape[1]] @ kernel[i] for i in range(k))


def test_convolutions_keep_the_spatial_sizes():
    x, kernel = RNG.normal(size=(2, 7, 3)), RNG.normal(size=(4, 3, 5))
    np.testing.assert_allclose(nn.conv(x, kernel), correlated(x, kernel))
    np.testing.assert_allclose(nn.conv(x[0], kernel), correlated(x, kernel)[0])
    layout = ("NCW", "OIW")
    turned = nn.conv(np.swapaxes(x, 1, 2), kernel.transpose(2, 1, 0), layout=layout)
    np.testing.assert_allclose(np.swapaxes(np.asarray(turned), 1, 2), correlated(x, kernel))
    assert nn.conv(np.ones((1, 5, 5, 4)), np.ones((3, 3, 2, 6)), groups=2, strides=2).shape == (
        1, 3, 3, 6,
    )  # fmt: skip
    assert nn.conv(np.ones((1, 4, 5, 6, 1)), np.ones((3, 3, 3, 1, 2))).shape == (1, 4, 5, 6, 2)


def test_paddings():
    x, kernel = np.ones((1, 6, 8, 1)), np.ones((3, 3, 1, 1))
    shapes = {
        "VALID": (4, 6), 0: (4, 6), 2: (8, 10), (1, 0): (6, 6), ((0, 1), 2): (5, 10),
        ((0, 0), (3, 1)): (4, 10),
    }  # fmt: skip
    for padding, sizes in shapes.items():
        assert nn.conv(x, kernel, padding=padding).shape[1:3] == sizes, padding
    with pytest.raises(ValueError, match=r"conv: padding .* must be a pair"):
        nn.conv(x, kernel, padding=(1, 2, 3))
    with pytest.raises(ValueError, match="conv: padding 'HALF' is neither"):
        nn.conv(x, kernel, padding="HALF")


# By JAX 0.10.2, `conv_transpose`: spatial sizes of an image of 5 by 6, with a kernel of 3 by 2.
TRANSPOSED = [
    ("SAME", (1, 1), 1, (5, 6)), ("SAME", (2, 3), 1, (10, 18)), ("SAME", (3, 1), 2, (15, 6)),
    ("VALID", (1, 1), 1, (7, 7)), ("VALID", (2, 3), 1, (11, 18)), ("VALID", (3, 1), 2, (17, 8)),
    ("VALID", (2, 3), 2, (13, 18)), ("VALID", (1, 1), 2, (9, 8)),
]  # fmt: skip


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize(("padding", "strides", "dilation", "sizes"), TRANSPOSED)
def test_transposed_convolutions_have_their_sizes(padding, strides, dilation, sizes):
    x, kernel = RNG.normal(size=(1, 5, 6, 2)), RNG.normal(size=(3, 2, 2, 4))
    y = nn.conv_transpose(x, kernel, strides=strides, padding=padding, dilation=dilation)
    assert y.shape == (1, *sizes, 4)
    if padding == "VALID":  # each product once
        total = np.einsum("nhwc,hwco->", x, np.broadcast_to(kernel.sum((0, 1)), (5, 6, 2, 4)))
        np.testing.assert_allclose(y.sum(), total)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_a_transposed_convolution_is_the_derivative_of_a_convolution(padding):
    size = 6 if padding == "SAME" else 7
    x, kernel = np.zeros((1, size, size, 2)), RNG.normal(size=(3, 3, 2, 4))

    def forward(x):
        return nn.conv(x, kernel, strides=2, padding=padding)

    y, pullback = anvl.vjp(forward, x)
    g = RNG.normal(size=y.shape)
    found = nn.conv_transpose(g, kernel, strides=2, padding=padding, transpose_kernel=True)
    (expected,) = pullback(g)
    np.testing.assert_allclose(found, expected, atol=rounding(PROGRAM))


@pytest.mark.sweep(keep=0)
def test_convolutions_are_differentiable():
    x, kernel = RNG.normal(size=(1, 4, 2)), RNG.normal(size=(3, 2, 2))
    check_grads(lambda x, k: nn.conv(x, k, strides=2), (x, kernel), order=2)
    check_grads(lambda x, k: nn.conv_transpose(x, k, strides=2), (x, kernel), order=2)


# -- pooling and dropout ---------------------------------------------------------------------------


def test_pools():
    x = np.asarray([[1.0, 5.0, 5.0], [2.0, 3.0, 9.0]])
    assert nn.max_pool is anvl.windows.max_pool
    np.testing.assert_allclose(nn.max_pool(x, 2, strides=1), [[5, 9]])
    gradient = anvl.grad(lambda x: anp.sum(nn.max_pool(x, (1, 3))))(x)
    np.testing.assert_allclose(gradient, [[0, 0.5, 0.5], [0, 0, 1]])  # shared among equals
    row = x.ravel()[:5]
    np.testing.assert_allclose(nn.avg_pool(row, 2, padding="SAME"), [3, 3.5, 3])
    both = nn.avg_pool(row, 2, padding="SAME", count_include_pad=True)
    np.testing.assert_allclose(both, [3, 3.5, 1.5])
    assert nn.avg_pool(np.ones((1, 4, 4, 4, 2)), 2).shape == (1, 2, 2, 2, 2)


def test_dropout():
    x = np.ones((100, 50))
    y = np.asarray(nn.dropout(KEY, x, 0.2))
    assert set(np.unique(y)) == {0, 1 / 0.8}
    assert abs((y == 0).mean() - 0.2) < 0.02
    np.testing.assert_array_equal(nn.dropout(KEY, x, 0.2, deterministic=True), x)
    rows = np.asarray(nn.dropout(KEY, x, 0.5, broadcast_axes=1))
    assert (rows == rows[:, :1]).all()
    assert (np.asarray(nn.dropout(KEY, x, 1.0)) == 0).all()
    assert (np.asarray(nn.dropout(KEY, x, 0.0)) == 1).all()
    gradient = anvl.grad(lambda x: anp.sum(nn.dropout(KEY, x, 0.2)))(x)
    np.testing.assert_allclose(gradient, y)
    jitted = anvl.jit(lambda rate: nn.dropout(KEY, x, rate))
    np.testing.assert_allclose(jitted(np.float64(0.2)), y)
    assert np.isnan(jitted(np.float64(1.5))).all()
    with pytest.raises(ValueError, match=r"dropout: rate is 1\.5; it must be between 0 and 1"):
        nn.dropout(KEY, x, 1.5)


# -- attention -------------------------------------------------------------------------------------

Q, K, V = (RNG.normal(size=s) for s in ((2, 3, 4, 2), (2, 5, 2, 2), (2, 5, 2, 2)))


def attended(q, k, v, allowed, bias=0.0, scale=None):
    """By loops over the batch and the heads."""
    y = np.zeros_like(q)
    for b, n in np.ndindex(q.shape[0], q.shape[2]):
        head = n // (q.shape[2] // k.shape[2])
        logits = q[b, :, n] @ k[b, :, head].T * (scale or 1 / np.sqrt(q.shape[3]))
        logits = logits + np.broadcast_to(bias, (2, 4, 3, 5))[b, n]
        weights = np.where(np.broadcast_to(allowed, (2, 4, 3, 5))[b, n], np.exp(logits), 0)
        y[b, :, n] = weights @ v[b, :, head] / np.maximum(weights.sum(-1, keepdims=True), 1e-300)
    return y


def test_attention():
    bias, mask = RNG.normal(size=(4, 3, 5)), RNG.random((2, 1, 3, 5)) < 0.5
    np.testing.assert_allclose(nn.dot_product_attention(Q, K, V), attended(Q, K, V, True))
    np.testing.assert_allclose(
        nn.dot_product_attention(Q, K, V, bias, mask, scale=0.7),
        attended(Q, K, V, mask, bias, 0.7),
    )
    one = nn.dot_product_attention(Q[0], K[0], V[0], bias)
    np.testing.assert_allclose(one, attended(Q, K, V, True, bias)[0])


def test_windows_and_lengths():
    row, column = np.arange(3)[:, None], np.arange(5)
    allowed = (row >= column) & (row <= column + 2) & (row >= column - 1)
    allowed = allowed & (row < np.asarray([2, 3]).reshape(2, 1, 1, 1))
    allowed = allowed & (column < np.asarray([5, 0]).reshape(2, 1, 1, 1))
    y = nn.dot_product_attention(
        Q, K, V, is_causal=True, local_window_size=(2, 1),
        query_seq_lengths=np.asarray([2, 3], "i4"), key_value_seq_lengths=np.asarray([5, 0], "i4"),
    )  # fmt: skip
    np.testing.assert_allclose(y, attended(Q, K, V, allowed))
    assert (np.asarray(y)[1] == 0).all()  # where there is nothing to look at


def test_positions_that_look_at_nothing_have_finite_derivatives():
    mask = np.zeros((1, 1, 3, 5), bool)
    mask[..., 1:, :2] = True

    def total(q, k, v):
        return anp.sum(nn.dot_product_attention(q, k, v, mask=mask) ** 2)

    gradients = anvl.grad(total, wrt=(0, 1, 2))(Q, K, V)
    assert all(np.isfinite(g).all() for g in gradients)
    assert (np.asarray(gradients[0])[:, 0] == 0).all()
    check_grads(
        lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True), (Q, K, V), order=1
    )


def test_residuals_of_attention():
    y, residual = nn.dot_product_attention(Q, K, V, return_residual=True)
    assert (y.shape, residual.shape) == (Q.shape, (2, 3, 4))
    logits = np.einsum("tnh,snh->tns", Q[0], np.repeat(K[0], 2, 1)) / np.sqrt(2)
    np.testing.assert_allclose(residual[0], np.log(np.exp(logits).sum(-1)))
    half = nn.dot_product_attention(*(x.astype("f2") for x in (Q, K, V)))
    assert half.dtype == np.float16
    np.testing.assert_allclose(half, y, atol=5e-3)


# -- initializers ----------------------------------------------------------------------------------

INIT = nn.initializers


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize(
    ("name", "variance"),
    [
        ("glorot_uniform", 2 / 500), ("glorot_normal", 2 / 500), ("lecun_uniform", 1 / 200),
        ("lecun_normal", 1 / 200), ("he_uniform", 2 / 200), ("he_normal", 2 / 200),
    ],
)  # fmt: skip
def test_initializers_have_their_variance(name, variance):
    w = np.asarray(getattr(INIT, name)()(KEY, (200, 300)))
    assert abs(w.mean()) < 0.01 * np.sqrt(variance) * 4
    assert w.var() == pytest.approx(variance, rel=0.02)
    most = np.sqrt(3 * variance) if "uniform" in name else 2 * np.sqrt(variance) / 0.8796256
    assert np.abs(w).max() <= most * 1.0001


def test_fans_of_kernels():
    init = INIT.variance_scaling(1.0, "fan_out", "normal", batch_axis=0)
    w = np.asarray(init(KEY, (4, 3, 3, 20, 50)))  # 9 * 50 outputs of each of 4
    assert w.var() == pytest.approx(1 / 450, rel=0.05)
    both = INIT.variance_scaling(1.0, "fan_geo_avg", "normal")(KEY, (10, 1000))
    assert np.asarray(both).var() == pytest.approx(1 / 100, rel=0.05)
    assert INIT.xavier_normal is INIT.glorot_normal
    with pytest.raises(ValueError, match=r"variance_scaling: the shape \[3\] must have an axis of"):
        INIT.he_normal()(KEY, (3,))
    with pytest.raises(ValueError, match="mode is 'fan'; it must be one of fan_in, fan_out"):
        INIT.variance_scaling(1.0, "fan", "normal")
    with pytest.raises(ValueError, match="distribution is 'cauchy'; it must be one of trunc"):
        INIT.variance_scaling(1.0, "fan_in", "cauchy")


def test_plain_initializers():
    assert INIT.zeros(KEY, (2,)).tolist() == [0, 0]
    assert INIT.ones(KEY, (2,), "f16").dtype == np.float16
    assert INIT.constant(2.0, "f64")(KEY, (2,)).dtype == np.float64
    assert 0 <= np.asarray(INIT.uniform(0.5)(KEY, (100,))).min()
    assert np.asarray(INIT.normal(3.0)(KEY, (2000,))).std() == pytest.approx(3, rel=0.1)
    assert np.abs(np.asarray(INIT.truncated_normal(0.5)(KEY, (100,)))).max() <= 1
    assert INIT.normal(dtype="bf16")(KEY, (2,)).dtype == anp.bfloat16
    assert INIT.normal()(KEY, (2,), "f64").dtype == np.float64


def test_orthogonal_initializers():
    w = np.asarray(INIT.orthogonal(2.0)(KEY, (3, 2, 4)), "f8").reshape(6, 4)
    np.testing.assert_allclose(w.T @ w, 4 * np.eye(4), atol=1e-5)
    turned = np.asarray(INIT.orthogonal(column_axis=0)(KEY, (2, 5)), "f8")
    np.testing.assert_allclose(turned @ turned.T, np.eye(2), atol=1e-5)
    kernel = np.asarray(INIT.delta_orthogonal()(KEY, (3, 3, 2, 4)), "f8")
    np.testing.assert_allclose(kernel[1, 1] @ kernel[1, 1].T, np.eye(2), atol=1e-5)
    assert np.count_nonzero(kernel) == 8
    with pytest.raises(ValueError, match=r"delta_orthogonal: the shape \[3, 4, 2\] must have 3 to"):
        INIT.delta_orthogonal()(KEY, (3, 4, 2))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: nn.layer_norm(IMAGES, np.ones(4)), TypeError, r"layer_norm: scale is f64\[4\]; a"),
        (lambda: nn.rms_norm(IMAGES * 1j), TypeError, "rms_norm: takes real numbers, got c128"),
        (lambda: nn.group_norm(IMAGES, 4), ValueError, "group_norm: 4 groups do not divide the 6"),
        (lambda: nn.group_norm(IMAGES, 2, axis=0), ValueError, "group_norm: axis 0 .*is the batch"),
        (lambda: nn.batch_norm(IMAGES, mean=SCALE), ValueError, "batch_norm: takes mean and varia"),
        (lambda: nn.dot_product_attention(Q, K, K[:1]), TypeError, "query f64.* must be"),
        (lambda: nn.dot_product_attention(Q[:, :, :3], K, V), TypeError, "3 heads are no multiple"),
        (lambda: nn.dot_product_attention(Q, K.astype("f4"), V), TypeError, "of one float dtype"),
        (
            lambda: nn.dot_product_attention(Q, K, V, mask=np.ones((3, 5))),
            TypeError, r"mask is f64\[3,5\]; it must have 3 or 4 axes",
        ),
        (
            lambda: nn.dot_product_attention(Q, K, V, mask=np.ones((1, 1, 3, 5))),
            TypeError, r"mask is .*; it must be bool",
        ),
        (
            lambda: nn.dot_product_attention(Q, K, V, implementation="cudnn"),
            ValueError, "implementation is 'cudnn'; the only one is 'xla'",
        ),
        (
            lambda: nn.dot_product_attention(Q, K, V, query_seq_lengths=np.ones(3, "i4")),
            TypeError, r"query_seq_lengths are i32\[3\]; they must be 2 integers",
        ),
        (
            lambda: nn.dot_product_attention(Q, K, V, local_window_size=(1, 2, 3)),
            ValueError, "local_window_size is .*; it must be one number or two",
        ),
        (
            lambda: nn.conv_transpose(np.ones((1, 4, 2)), np.ones((3, 1, 2)), groups=2,
                                      transpose_kernel=True),
            ValueError, "conv_transpose: transpose_kernel with 2 groups, not 1",
        ),
        (lambda: nn.dropout(3, np.ones(2), 0.5), TypeError, "bernoulli: the key is"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
