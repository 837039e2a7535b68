"""Matrices, networks and their losses, in full and in mixed precision."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import ml_dtypes
import numpy as np
from case import draws as d
from case import table
from jax import lax

__all__ = ["CASES"]

A, B = d.normal(3, 4), d.normal(4, 5)
S = d.definite(3)
IMAGES, KERNEL = d.normal(2, 8, 8, 3), d.normal(3, 3, 3, 4)
NHWC = ("NHWC", "HWIO", "NHWC")
BF16 = ml_dtypes.bfloat16
SQUARE, TALL = d.normal(3, 3), d.normal(4, 3)
Z = d.complex(3, 3)
STACK = np.stack([S, 2 * S + 1])
S64 = S.astype("float64")
# JAX's derivative is of symmetric matrices, also where the program reads one triangle alone; of
# complete vectors it has none.
SIGNS = {"without": {"tpu": "vectors have other signs"}}
DIFFERENCES = {"by_differences": True, "x64": True}
NO_RULE = {"grad": "has no derivative", "jvp": "has no derivative"}  # of JAX's either


def conv(x, k, strides=(1, 1), padding="SAME", **kw):
    kw = {"dimension_numbers": NHWC} | kw
    return lax.conv_general_dilated(x, k, strides, padding, **kw)


MATRICES = table([
    ("matmul", jnp.matmul, (A, B)),
    ("matmul of the highest precision", lambda a, b: jnp.dot(a, b, precision="highest"), (A, B)),
    ("matmul of two precisions", lambda a, b: lax.dot(a, b, precision=("highest", "default")),
     (A, B)),
    ("einsum", lambda a, b: jnp.einsum("bij,bjk->bk", a, b),
     (d.normal(2, 3, 4), d.normal(2, 4, 5))),
    ("batched matmul", jnp.matmul, (d.normal(2, 3, 4), d.normal(2, 4, 2))),
    ("dot of bf16 to f32", lambda a, b: jnp.dot(a, b, preferred_element_type=jnp.float32),
     (A.astype(BF16), B.astype(BF16))),
    ("dot of f16 to f32", lambda a, b: jnp.dot(a, b, preferred_element_type=jnp.float32),
     (A.astype("float16"), B.astype("float16"))),
    ("dot of f32 to f64", lambda a, b: jnp.dot(a, b, preferred_element_type=jnp.float64), (A, B),
     {"x64": True}),
    ("dot of i8 to i32", lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32),
     (d.integers(3, 4, dtype="int8"), d.integers(4, 2, dtype="int8"))),
    ("dot of bf16", jnp.dot, (A.astype(BF16), B.astype(BF16))),
    ("dot of an algorithm", lambda a, b: lax.dot(a, b, precision="BF16_BF16_F32"), (A, B)),
    ("dot of complex", jnp.dot, (d.complex(3, 4), d.complex(4, 2))),
    ("ragged dot", lax.ragged_dot, (d.normal(5, 3), d.normal(2, 3, 4), np.array([2, 3], "int32"))),
    ("triangular solve of f16", lambda s, b: lax.linalg.triangular_solve(s, b, left_side=True),
     (S.astype("float16"), A.astype("float16"))),
    ("triangular solve of bf16", lambda s, b: lax.linalg.triangular_solve(s, b, left_side=True),
     (S.astype(BF16), A.astype(BF16))),
    ("norms", lambda a: jnp.linalg.norm(a) + jnp.linalg.norm(a, axis=0).sum(), (A,)),
    ("kron and cross", lambda a, b: (jnp.kron(a, b), jnp.cross(a[:, 0], b[:, 0])),
     (S, d.normal(3, 2))),
])  # fmt: skip

FACTORS = table([
    ("cholesky", jnp.linalg.cholesky, (S,)),
    ("gradient of cholesky", jax.grad(lambda s: jnp.sum(jnp.linalg.cholesky(s) ** 2)), (S,)),
    ("cholesky, upper, complex", lambda z: jnp.linalg.cholesky(z @ z.conj().T, upper=True), (Z,)),
    ("cholesky of a stack", jax.vmap(jnp.linalg.cholesky), (STACK,)),
    ("cholesky of a triangle", lambda s: lax.linalg.cholesky(s, symmetrize_input=False), (S64,),
     DIFFERENCES),
    ("solve", jnp.linalg.solve, (S, A)),
    ("solve with a factor", lambda s, b: jsl.cho_solve(jsl.cho_factor(s), b),
     (S64, np.arange(3.0)), DIFFERENCES),
    ("solve with lu, transposed", lambda a, b: jsl.lu_solve(jsl.lu_factor(a), b, trans=1),
     (SQUARE, A)),
    ("solve of stacks", jnp.linalg.solve, (STACK, np.stack([A, A]))),
    ("least squares", lambda a, b: jnp.linalg.lstsq(a, b)[0], (TALL, d.normal(4))),
    ("pseudoinverse", jnp.linalg.pinv, (TALL,)),
    ("triangular solve", lambda s, b: jsl.solve_triangular(s, b, lower=True), (S, A)),
    ("triangular solve from the right, complex", lambda a, b: lax.linalg.triangular_solve(
        a, b, transpose_a=True, conjugate_a=True, unit_diagonal=True), (Z, Z.T.copy())),
    ("lu", lambda a: jsl.lu(a)[1:], (SQUARE,)),
    ("lu of a wide matrix", lambda a: lax.linalg.lu(a)[0], (A,)),
    ("qr", lambda a: jnp.linalg.qr(a)[1], (S,)),
    ("qr, reduced", jnp.linalg.qr, (TALL,)),
    ("qr of a stack", jax.vmap(jnp.linalg.qr), (STACK,)),
    ("qr, complete", lambda a: jnp.linalg.qr(a, mode="complete")[1], (TALL,)),
    ("qr of a wide matrix", lambda a: jnp.linalg.qr(a[:, :2].T), (A,)),
    ("qr, r alone", lambda a: jnp.linalg.qr(a, mode="r"), (TALL,)),
    ("qr, complex", jnp.linalg.qr, (Z,)),
    ("eigh", jnp.linalg.eigvalsh, (S,)),
    ("eigh, vectors", jnp.linalg.eigh, (S,)),
    ("eigh of one triangle", lambda s: jnp.linalg.eigvalsh(s, UPLO="U", symmetrize_input=False),
     (S64,), DIFFERENCES),
    ("eigh, complex", lambda z: jnp.linalg.eigvalsh(z @ z.conj().T), (Z,)),
    ("svd", lambda a: jnp.linalg.svd(a, compute_uv=False), (A,)),
    ("svd, vectors", lambda a: jnp.linalg.svd(a, full_matrices=False), (TALL,), SIGNS),
    ("svd, complete", lambda a: jnp.linalg.svd(a)[1:], (TALL.astype("float64"),),
     DIFFERENCES | SIGNS),
    ("inverse and determinant", lambda a: (jnp.linalg.inv(a), jnp.linalg.slogdet(a)[1]), (S,)),
    ("determinant of a stack", jnp.linalg.det, (STACK,)),
    ("eigenvalues", jnp.linalg.eigvals, (S,)),
    ("eigenvalues, complex", jnp.linalg.eigvals, (Z,)),
    ("matrix exponential", jsl.expm, (0.3 * S,)),
    ("schur", lambda a: jsl.schur(a)[0], (SQUARE,), {"refused": NO_RULE}),
    ("reflections", lambda a: jnp.linalg.qr(a, mode="raw")[0], (TALL,),
     {"refused": NO_RULE, "without": dict.fromkeys(("cuda", "rocm"), "no such routine here")}),
])  # fmt: skip

CONVOLUTIONS = table([
    ("conv NHWC", conv, (IMAGES, KERNEL)),
    ("conv NCHW", lambda x, k: lax.conv(x, k, (2, 2), "VALID"),
     (d.normal(2, 3, 8, 8), d.normal(4, 3, 3, 3))),
    ("conv strided and dilated", lambda x, k: conv(x, k, (2, 1), ((1, 0), (2, 1)),
                                                   rhs_dilation=(2, 1), lhs_dilation=(1, 2)),
     (IMAGES, KERNEL)),
    ("conv in groups", lambda x, k: conv(x, k, feature_group_count=3),
     (IMAGES, d.normal(3, 3, 1, 6))),
    ("conv in groups of the batch", lambda x, k: conv(x, k, batch_group_count=2), (IMAGES, KERNEL)),
    ("conv transposed", lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME"), (IMAGES, KERNEL)),
    ("conv of one axis", lambda x, k: lax.conv_general_dilated(
        x, k, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),
     (d.normal(2, 6, 3), d.normal(3, 3, 2))),
    ("conv of three axes", lambda x, k: lax.conv_general_dilated(x, k, (1, 1, 1), "VALID"),
     (d.normal(1, 2, 4, 4, 4), d.normal(2, 2, 2, 2, 2))),
    ("conv of bf16 to f32", lambda x, k: conv(x, k, preferred_element_type=jnp.float32),
     (IMAGES.astype(BF16), KERNEL.astype(BF16))),
    ("conv of bf16", conv, (IMAGES.astype(BF16), KERNEL.astype(BF16))),
    ("conv of i8 to i32", lambda x, k: conv(x, k, preferred_element_type=jnp.int32),
     (d.integers(1, 4, 4, 3, dtype="int8"), d.integers(3, 3, 3, 2, dtype="int8"))),
    ("gradient of a convolution", jax.grad(lambda k, x: jnp.sum(conv(x, k, (2, 2)) ** 2)),
     (KERNEL, IMAGES)),
    ("max pooling", lambda x: lax.reduce_window(
        x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), (IMAGES,)),
    ("mean pooling", lambda x: lax.reduce_window(
        x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9, (IMAGES,)),
    ("gradient of max pooling", jax.grad(lambda x: jnp.sum(lax.reduce_window(
        x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2)), (IMAGES,)),
    ("patches", lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID"),
     (d.normal(1, 2, 4, 4),)),
    ("resized image", lambda x: jax.image.resize(x, (4, 4, 3), "bilinear"), (d.normal(8, 8, 3),)),
])  # fmt: skip


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def attention(q, k, v, mask):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1]).astype("float32")
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


def block(x, w, up, down):
    n = layer_norm(x)
    q, k, v = jnp.split((n @ w).reshape(*x.shape[:2], 2, -1), 3, axis=-1)
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    x = x + attention(q, k, v, mask).reshape(x.shape)
    return x + jax.nn.gelu(layer_norm(x) @ up) @ down


def cross_entropy(w, x, labels):
    logits = jax.nn.log_softmax(x @ w)
    return -jnp.mean(jnp.take_along_axis(logits, labels[:, None], 1))


def convnet(params, x):
    x = jax.nn.relu(conv(x, params["conv"]))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.log_softmax(x.reshape(x.shape[0], -1) @ params["dense"])


def mixed(w, x):
    h = jnp.dot(x.astype(BF16), w.astype(BF16), preferred_element_type=jnp.float32)
    return jnp.sum(jax.nn.relu(h) ** 2)


def batch_norm(x, scale):
    mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(var + 1e-5) * scale


def marginal_likelihood(length, noise, x, y):
    """Minus its logarithm, of a Gaussian process with a squared exponential kernel."""
    squared = jnp.sum((x[:, None] - x[None]) ** 2, -1)
    kernel = jnp.exp(-0.5 * squared / jnp.exp(length)) + jnp.exp(noise) * jnp.eye(len(x))
    factor = jnp.linalg.cholesky(kernel)
    whitened = jsl.solve_triangular(factor, y, lower=True)
    return 0.5 * whitened @ whitened + jnp.sum(jnp.log(jnp.diagonal(factor)))


def posterior(length, x, y, new):
    """Mean and variance of a Gaussian process at new points."""

    def kernel(a, b):
        return jnp.exp(-0.5 * jnp.sum((a[:, None] - b[None]) ** 2, -1) / jnp.exp(length))

    factor = jsl.cho_factor(kernel(x, x) + 0.5 * jnp.eye(len(x)), lower=True)
    between = kernel(x, new)
    return between.T @ jsl.cho_solve(factor, y), kernel(new, new) - between.T @ jsl.cho_solve(
        factor, between
    )


def evidence(encoder, decoder, key, x):
    """The bound that a variational autoencoder maximises, with noise of a key."""
    mean, log_var = jnp.split(jnp.tanh(x @ encoder), 2, axis=-1)
    noise = jax.random.normal(jax.random.wrap_key_data(key), mean.shape)
    logits = (mean + jnp.exp(0.5 * log_var) * noise) @ decoder
    likelihood = -jnp.sum(jax.nn.softplus(logits) - jax.nn.sigmoid(x) * logits)
    return likelihood + 0.5 * jnp.sum(1 + log_var - mean**2 - jnp.exp(log_var))


PROCESS = (np.float32(0.3), np.float32(-1.0), d.normal(6, 2), d.normal(6))
AUTOENCODER = (
    0.4 * d.normal(5, 6),
    0.4 * d.normal(3, 5),
    np.array([0, 7], "uint32"),
    d.normal(4, 5),
)
BLOCK = (d.normal(2, 4, 6), 0.3 * d.normal(6, 18), 0.3 * d.normal(6, 8), 0.3 * d.normal(8, 6))

NETWORKS = table([
    ("layer norm", layer_norm, (A,)),
    ("batch norm", batch_norm, (IMAGES, d.positive(3))),
    ("softmax cross entropy", cross_entropy, (d.normal(4, 3), d.normal(5, 4),
                                              d.integers(5, high=3))),
    ("attention", lambda q, k, v: attention(q, k, v, True),
     (d.normal(1, 3, 2, 4), d.normal(1, 3, 2, 4), d.normal(1, 3, 2, 4))),
    ("attention of jax.nn", lambda q: jax.nn.dot_product_attention(q, q, q, is_causal=True),
     (d.normal(1, 4, 2, 4),)),
    ("transformer block", block, BLOCK),
    ("gradient of a transformer block",
     jax.grad(lambda w, x, up, down: jnp.sum(block(x, w, up, down) ** 2)),
     (BLOCK[1], BLOCK[0], *BLOCK[2:])),
    ("convolutional network", lambda k, w, x: convnet({"conv": k, "dense": w}, x),
     (KERNEL, 0.1 * d.normal(64, 5), IMAGES)),
    ("gradient of a convolutional network",
     jax.grad(lambda k, w, x: -jnp.mean(convnet({"conv": k, "dense": w}, x)[:, 0])),
     (KERNEL, 0.1 * d.normal(64, 5), IMAGES)),
    ("gaussian process", marginal_likelihood, PROCESS),
    ("gradient of a gaussian process", jax.grad(marginal_likelihood, (0, 1)), PROCESS),
    ("gaussian process, predicted", posterior, (*PROCESS[:1], *PROCESS[2:], d.normal(3, 2))),
    ("variational autoencoder", evidence, AUTOENCODER),
    ("gradient of a variational autoencoder", jax.grad(evidence, (0, 1)), AUTOENCODER),
    ("mixed precision", mixed, (d.normal(4, 3), d.normal(5, 4))),
    ("gradient in mixed precision", jax.grad(mixed), (d.normal(4, 3), d.normal(5, 4))),
    ("flash-like attention in bf16", lambda q: jax.nn.dot_product_attention(q, q, q),
     (d.normal(1, 4, 2, 4).astype(BF16),)),
    ("mlp with dropout", lambda w, x: jnp.sum(
        jnp.where(jax.random.bernoulli(jax.random.key(0), 0.5, (5, 3)), jnp.tanh(x @ w), 0)),
     (d.normal(4, 3), d.normal(5, 4))),
])  # fmt: skip

CASES = [*MATRICES, *FACTORS, *CONVOLUTIONS, *NETWORKS]
