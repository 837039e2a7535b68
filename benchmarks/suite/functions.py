"""34 functions of arrays that people write: each gives a number, and its gradient is taken."""

from typing import Any

from suite.case import Case, Lib

__all__ = ["FUNCTIONS"]


# -- neural networks -------------------------------------------------------------------------------


def mlp(lib: Lib, w1: Any, w2: Any, w3: Any, x: Any) -> Any:
    np = lib.numpy
    return np.mean((np.tanh(np.tanh(x @ w1) @ w2) @ w3) ** 2)


def layer_norm(lib: Lib, x: Any, scale: Any, shift: Any) -> Any:
    np = lib.numpy
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return np.sum(np.sin((x - mean) / np.sqrt(variance + 1e-5) * scale + shift))


def batch_norm(lib: Lib, x: Any, scale: Any, shift: Any) -> Any:
    np = lib.numpy
    y = (x - np.mean(x, axis=(0, 1, 2))) / np.sqrt(np.var(x, axis=(0, 1, 2)) + 1e-5)
    return np.mean(lib.nn.relu(y * scale + shift) ** 2)


def logsumexp(lib: Lib, x: Any) -> Any:
    return lib.numpy.sum(lib.nn.logsumexp(x, axis=-1))


def cross_entropy(lib: Lib, logits: Any, labels: Any) -> Any:
    np = lib.numpy
    logs = lib.nn.log_softmax(logits)
    return -np.mean(np.take_along_axis(logs, labels[:, None], axis=1))


def one_hot_loss(lib: Lib, logits: Any, labels: Any) -> Any:
    np = lib.numpy
    targets = lib.nn.one_hot(labels, logits.shape[-1])
    return -np.mean(np.sum(targets * lib.nn.log_softmax(logits), axis=-1))


def attention(lib: Lib, q: Any, k: Any, v: Any) -> Any:
    np = lib.numpy
    weights = lib.nn.softmax(q @ np.swapaxes(k, 1, 2) * 0.125, axis=-1)
    return np.sum((weights @ v) ** 2)


def rotary(lib: Lib, x: Any, angles: Any) -> Any:
    np = lib.numpy
    a, b = np.split(x, 2, axis=-1)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    return np.sum(np.tanh(np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)))


def gelu(lib: Lib, x: Any) -> Any:
    return lib.numpy.sum(lib.nn.gelu(x))


def conv(lib: Lib, x: Any, kernel: Any) -> Any:
    dims = ("NHWC", "HWIO", "NHWC")
    y = lib.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=dims)
    return lib.numpy.sum(lib.nn.relu(y))


def max_pool(lib: Lib, x: Any) -> Any:
    n, h, w, c = x.shape
    return lib.numpy.sum(lib.numpy.max(x.reshape(n, h // 2, 2, w // 2, 2, c), axis=(2, 4)) ** 2)


# -- indexing and order ----------------------------------------------------------------------------


def gather(lib: Lib, table: Any, rows: Any) -> Any:
    return lib.numpy.sum(lib.numpy.tanh(table[rows]))


def scatter(lib: Lib, x: Any, rows: Any, updates: Any) -> Any:
    return lib.numpy.sum(lib.numpy.sin(x.at[rows].add(updates)))


def segments(lib: Lib, x: Any, ids: Any) -> Any:
    return lib.numpy.sum(lib.ops.segment_sum(x, ids, num_segments=x.shape[1]) ** 2)


def sort(lib: Lib, x: Any) -> Any:
    np = lib.numpy
    return np.sum(np.sort(x) * np.linspace(0, 1, x.shape[0], dtype=x.dtype))


def median(lib: Lib, x: Any) -> Any:
    return lib.numpy.sum((x - lib.numpy.median(x)) ** 2)


def quantiles(lib: Lib, x: Any) -> Any:
    np = lib.numpy
    return np.sum(np.quantile(x, np.array([0.1, 0.5, 0.9], dtype=x.dtype), axis=-1) ** 2)


def top_k(lib: Lib, x: Any) -> Any:
    return lib.numpy.sum(lib.lax.top_k(x, 3)[0] ** 2)


def interp(lib: Lib, x: Any, xp: Any, fp: Any) -> Any:
    return lib.numpy.sum(lib.numpy.interp(x, lib.numpy.sort(xp), fp) ** 2)


# -- stencils, sums along an axis ------------------------------------------------------------------


def laplacian(lib: Lib, u: Any) -> Any:
    inside = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    return lib.numpy.sum(inside**2)


def periodic(lib: Lib, u: Any) -> Any:
    roll = lib.numpy.roll
    du = roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u
    return lib.numpy.sum(du * du)


def cumsum(lib: Lib, x: Any) -> Any:
    return lib.numpy.sum(lib.numpy.sin(lib.numpy.cumsum(x, axis=-1)))


def prod(lib: Lib, x: Any) -> Any:
    return lib.numpy.sum(lib.numpy.prod(1 + 0.01 * x, axis=-1))


def huber(lib: Lib, x: Any, y: Any) -> Any:
    np = lib.numpy
    d = np.abs(x - y)
    return np.mean(np.where(d < 1, 0.5 * d * d, d - 0.5))


def spectrum(lib: Lib, x: Any) -> Any:
    np = lib.numpy
    return np.sum(np.log1p(np.abs(np.fft.rfft(x)) ** 2))


# -- products and matrices -------------------------------------------------------------------------


def kron(lib: Lib, a: Any, b: Any) -> Any:
    return lib.numpy.sum(lib.numpy.sin(lib.numpy.kron(a, b)))


def einsum(lib: Lib, x: Any, y: Any, z: Any) -> Any:
    return lib.numpy.sum(lib.numpy.einsum("bij,bjk,bkl->bil", x, y, z) ** 2)


def distances(lib: Lib, x: Any, y: Any) -> Any:
    np = lib.numpy
    squares = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    return np.sum(np.exp(-0.5 * squares))


def cosine(lib: Lib, x: Any, y: Any) -> Any:
    np = lib.numpy
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return np.sum((x @ y.T) ** 2)


def slogdet(lib: Lib, a: Any) -> Any:
    return lib.numpy.linalg.slogdet(a)[1]


def solve(lib: Lib, a: Any, b: Any) -> Any:
    return lib.numpy.sum(lib.numpy.linalg.solve(a, b) ** 2)


def cholesky_solve(lib: Lib, a: Any, b: Any) -> Any:
    factor = lib.numpy.linalg.cholesky(a)
    x = lib.scipy.linalg.cho_solve((factor, True), b)
    return b @ x + 2 * lib.numpy.sum(lib.numpy.log(lib.numpy.diagonal(factor)))


def eigh(lib: Lib, a: Any) -> Any:
    values, vectors = lib.numpy.linalg.eigh(a)
    return lib.numpy.sum(lib.numpy.sqrt(values) * (vectors[0] ** 2))


def svd(lib: Lib, a: Any) -> Any:
    return lib.numpy.sum(lib.numpy.linalg.svd(a, compute_uv=False))


#: By name: the functions, with the arrays that they take; the gradient is by the first one.
FUNCTIONS = [
    Case("mlp", mlp, lambda d: [d.normal(784, 256, scale=0.05), d.normal(256, 256, scale=0.05),
                                d.normal(256, 10), d.normal(128, 784)]),
    Case("layer norm", layer_norm, lambda d: [d.normal(256, 512), d.normal(512), d.normal(512)]),
    Case("batch norm", batch_norm,
         lambda d: [d.normal(16, 16, 16, 32), d.normal(32), d.normal(32)]),
    Case("logsumexp", logsumexp, lambda d: [d.normal(256, 1000)]),
    Case("softmax cross entropy", cross_entropy,
         lambda d: [d.normal(256, 1000), d.ints(1000, 256)]),
    Case("one-hot loss", one_hot_loss, lambda d: [d.normal(256, 100), d.ints(100, 256)]),
    Case("attention", attention, lambda d: [d.normal(8, 128, 64) for _ in range(3)]),
    Case("rotary embedding", rotary,
         lambda d: [d.normal(128, 8, 64), d.exact(d.size(128), d.size(64) // 2)]),
    Case("gelu", gelu, lambda d: [d.normal(256, 1024)]),
    Case("conv", conv, lambda d: [d.normal(8, 28, 28, 16), d.normal(3, 3, 16, 32, scale=0.1)]),
    Case("max pool by max", max_pool, lambda d: [d.normal(16, 32, 32, 16)]),
    Case("gather of rows", gather, lambda d: [d.normal(10_000, 64), d.ints(10_000, 1024)]),
    Case("scatter-add", scatter,
         lambda d: [d.normal(10_000, 16), d.ints(10_000, 2048), d.normal(2048, 16)]),
    Case("segment sum", segments, lambda d: [d.normal(4096, 32), d.ints(32, 4096)]),
    Case("sort of 100,000", sort, lambda d: [d.distinct(100_000)]),
    Case("median", median, lambda d: [d.distinct(10_001)]),
    Case("quantiles", quantiles, lambda d: [d.normal(32, 1000)]),
    Case("top k", top_k, lambda d: [d.normal(128, 1000)]),
    Case("interp", interp, lambda d: [d.normal(10_000), d.distinct(100), d.normal(100)]),
    Case("laplacian by slices", laplacian, lambda d: [d.normal(512, 512)]),
    Case("laplacian by roll", periodic, lambda d: [d.normal(512, 512)]),
    Case("cumsum", cumsum, lambda d: [d.normal(64, 1000)]),
    Case("prod", prod, lambda d: [d.normal(1000, 64)]),
    Case("huber", huber, lambda d: [d.normal(100_000), d.normal(100_000)]),
    Case("power spectrum", spectrum, lambda d: [d.normal(16, 4096)]),
    Case("kron", kron, lambda d: [d.normal(32, 32), d.normal(32, 32)]),
    Case("einsum", einsum, lambda d: [d.normal(16, 64, 64, scale=0.1) for _ in range(3)]),
    Case("pairwise distances", distances, lambda d: [d.normal(256, 8), d.normal(256, 8)]),
    Case("cosine similarity", cosine, lambda d: [d.normal(256, 128), d.normal(256, 128)]),
    Case("slogdet", slogdet, lambda d: [d.positive_definite(100)]),
    Case("solve", solve, lambda d: [d.positive_definite(100), d.normal(100, 10)]),
    Case("cholesky solve", cholesky_solve, lambda d: [d.positive_definite(100), d.normal(100)]),
    Case("eigh", eigh, lambda d: [d.positive_definite(48)]),
    Case("singular values", svd, lambda d: [d.normal(64, 32)]),
]  # fmt: skip
