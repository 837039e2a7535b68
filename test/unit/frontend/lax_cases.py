"""Calls of `lax` in JAX's form, with what JAX gives for each in `lax_numbers.json`.

    path/to/python_with_jax test/unit/frontend/lax_cases.py > test/unit/frontend/lax_numbers.json

writes the numbers anew: of jax 0.10.2 with 64 bits the value, and for cases with float arguments
the tangent along `direction` and the cotangents of `direction`.
"""

import importlib
import json
import sys

import numpy as np

X = np.array([[0.5, -1.5, 2.25], [3.1, -0.2, 1.75]])
Y = np.array([[1.5, 0.25, -2.0], [0.3, 2.2, -1.1]])
V = np.array([0.4, -1.3, 2.6, 0.9])
N = np.array([[12, 7, -9], [5, 3, 14]], np.int32)
U = np.array([[12, 7, 250], [5, 3, 14]], np.uint8)
IMAGE = np.cos(np.arange(1.0, 51.0)).reshape(1, 2, 5, 5)
KERNEL = np.sin(np.arange(1.0, 37.0)).reshape(3, 2, 2, 3)
SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
SQUARE = np.array([[1.0, 2.0, 0.5], [3.0, -1.0, 0.25], [0.5, 1.5, 2.0]])
ROWS, PAIRS = np.array([[1], [0], [3]], np.int32), np.array([[1, 0], [0, 2], [-1, 1]], np.int32)


def direction(shape):
    """Numbers that are all different, for tangents and cotangents."""
    count = int(np.prod(shape))
    return np.sin(1.7 * np.arange(1.0, count + 1)).reshape(shape)


def _gathered(lax, x, at, mode, dims=((1,), (0,), (0,)), sizes=(1, 3)):
    return lax.gather(x, at, lax.GatherDimensionNumbers(*dims), sizes, mode=mode)


def _scattered(name, lax, x, u, at=ROWS, mode=None):
    dims = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    return getattr(lax, name)(x, at, u, dims, mode=mode)


def _batched(lax, x):
    dims = lax.GatherDimensionNumbers((), (1,), (1,), (0,), (0,))
    return lax.gather(x, np.array([[2], [0]]), dims, (1, 1), mode="clip")


UPDATES = np.array([[1.0, 2.0, -3.0], [-4.0, 0.5, 6.0], [7.0, 8.0, 9.0]])
HWIO = ("NHWC", "HWIO", "NHWC")
RAGGED = (np.arange(8.0).reshape(4, 2), np.cos(np.arange(12.0)).reshape(3, 2, 2))

#: Each a function of `lax` and arrays, and the arrays: floats have derivatives.
CASES = {
    "round": (lambda o, x: o.round(4 * x), X),
    "round to even": (lambda o, x: o.round(2 * x, o.RoundingMethod.TO_NEAREST_EVEN), X),
    "reduce_precision": (lambda o, x: o.reduce_precision(x, 5, 3), X),
    "complex": (lambda o, x, y: o.real(o.square(o.complex(x, y))), X, Y),
    "clz": (lambda o, n: o.clz(n), N),
    "clz of bytes": (lambda o, n: o.clz(n), U),
    "population_count": (lambda o, n: o.population_count(n), N),
    "population_count of bytes": (lambda o, n: o.population_count(n), U),
    "mulhi": (lambda o, n: o.mulhi(n * 2**28, n), N),
    "integer_pow": (lambda o, x: o.integer_pow(x, 3), X),
    "integer_pow below 0": (lambda o, x: o.integer_pow(x, -2), X),
    "integer_pow of integers": (lambda o, n: o.integer_pow(n, 3), N),
    "bitcast": (lambda o, n: o.bitcast_convert_type(n, np.float32), N),
    "bitcast to narrow": (lambda o, n: o.bitcast_convert_type(n, np.int8), N),
    "bitcast to wide": (lambda o, n: o.bitcast_convert_type(n.reshape(3, 2), np.int64), N),
    "select_n": (lambda o, x, y: o.select_n(np.int32([[0, 1, 2], [2, 0, 1]]), x, y, x * y), X, Y),
    "select_n of bools": (lambda o, x, y: o.select_n(X > 1, x, y), X, Y),
    "optimization_barrier": (lambda o, x, y: o.optimization_barrier((x, 2 * y))[1], X, Y),
    "collapse": (lambda o, x: o.collapse(x[None] * 2, 0, 2), X),
    "tile": (lambda o, x: o.tile(x, (2, 1)), X),
    "stack": (lambda o, x, y: o.stack([x, y], axis=1), X, Y),
    "unstack": (lambda o, x: o.unstack(x, axis=1)[1], X),
    "broadcast_to_rank": (lambda o, x: o.broadcast_to_rank(x, 3), X),
    "broadcast_like": (lambda o, x, y: o.broadcast_like(x, y), X[:1], Y),
    "reduce_sum": (lambda o, x: o.reduce_sum(x, (0,)), X),
    "reduce_prod": (lambda o, x: o.reduce_prod(x, (1,)), X),
    "reduce_max": (lambda o, x: o.reduce_max(x, (0, 1)), X),
    "reduce_min": (lambda o, x: o.reduce_min(x, (1,)), X),
    "reduce_sum of bytes": (lambda o, n: o.reduce_sum(n, (0,)), U),
    "reduce_and": (lambda o, n: o.reduce_and(n, (0,)), N),
    "reduce_or": (lambda o, n: o.reduce_or(n, (1,)), U),
    "reduce_xor": (lambda o, n: o.reduce_xor(n, (1,)), N),
    "reduce_and of bools": (lambda o, n: o.reduce_and(n > 4, (0,)), N),
    "reduce_xor of bools": (lambda o, n: o.reduce_xor(n > 4, (1,)), N),
    "sort_key_val": (lambda o, x, y: o.sort_key_val(x, y)[1], X, Y),
    "approx_max_k": (lambda o, v: o.approx_max_k(v, 2)[0], V),
    "approx_min_k": (lambda o, x: o.approx_min_k(x, 1, reduction_dimension=0)[0], X),
    "approx_min_k, indices": (lambda o, v: o.approx_min_k(v, 2)[1], V.astype(np.float32)),
    "gather, fill": (lambda o, x: _gathered(o, x, ROWS, "fill"), X),
    "gather, clip": (lambda o, x: _gathered(o, x, ROWS - 1, o.GatherScatterMode.CLIP), X),
    "gather, filled": (
        lambda o, n: _gathered(o, n, ROWS - 1, "fill"), N),
    "gather, without a mode": (lambda o, n: _gathered(o, n, ROWS - 1, None), N),
    "gather, filled bytes": (lambda o, n: _gathered(o, n, ROWS, "fill"), U),
    "gather, points": (
        lambda o, x: _gathered(o, x, PAIRS, "clip", ((), (0, 1), (0, 1)), (1, 1)), X),
    "gather, windows": (
        lambda o, x: _gathered(o, x, PAIRS, "clip", ((1, 2), (), (0, 1)), (1, 2)), X),
    "gather, batched": (lambda o, x: _batched(o, x), X),
    "scatter": (lambda o, x, u: _scattered("scatter", o, x, u), X, UPDATES),
    "scatter_add": (lambda o, x, u: _scattered("scatter_add", o, x, u), X, UPDATES),
    "scatter_add, clip": (
        lambda o, x, u: _scattered("scatter_add", o, x, u, ROWS - 1, "clip"), X, UPDATES),
    "scatter_sub": (lambda o, x, u: _scattered("scatter_sub", o, x, u), X, UPDATES),
    "scatter_min": (lambda o, x, u: _scattered("scatter_min", o, x, u), X, UPDATES),
    "scatter_max": (lambda o, x, u: _scattered("scatter_max", o, x, u), X, UPDATES),
    "scatter_mul of integers": (
        lambda o, n: _scattered("scatter_mul", o, n, 2 * n[:1], ROWS[:1]), N),
    "index_take": (
        lambda o, x: o.index_take(x, (np.array([0, 1, -1]), np.array([2, -1, 4])), (0, 1)), X),
    "conv_transpose": (
        lambda o, x, k: o.conv_transpose(x, k, (2, 1), "SAME", dimension_numbers=HWIO),
        IMAGE.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 1, 0)),
    "conv_transpose, valid": (
        lambda o, x, k: o.conv_transpose(x, k, (3, 2), "VALID", (1, 2), HWIO),
        IMAGE.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 1, 0)),
    "conv_transpose, kernel": (
        lambda o, x, k: o.conv_transpose(x, k, (2, 2), [(1, 0), (2, 1)], None, HWIO, True),
        IMAGE.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 0, 1)),
    "conv_transpose, consistent": (
        lambda o, x, k: o.conv_transpose(
            x, k, (2, 2), [(1, 0), (0, 1)], None, HWIO, use_consistent_padding=True),
        IMAGE.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 1, 0)),
    "patches": (
        lambda o, x: o.conv_general_dilated_patches(x, (2, 3), (1, 2), "SAME"), IMAGE),
    "patches, letters": (
        lambda o, x: o.conv_general_dilated_patches(
            x, (2, 3), (2, 1), [(1, 0), (0, 0)], None, (2, 1), ("NCHW", "WHIO", "NHWC")), IMAGE),
    "local": (
        lambda o, x, k: o.conv_general_dilated_local(x, k, (2, 2), "VALID", (2, 3)),
        IMAGE, np.sin(np.arange(144.0)).reshape(3, 12, 2, 2)),
    "fft": (lambda o, x: o.imag(o.fft(o.complex(x, x * x), "fft", (2, 3))), X),
    "rfft": (lambda o, v: o.real(o.fft(v, o.FftType.RFFT, (4,))), V),
    "irfft": (lambda o, x: o.fft(o.complex(x, 0 * x), "IRFFT", (4,)), X),
    "ragged_dot": (lambda o, x, y: o.ragged_dot(x, y, np.array([1, 2, 1])), *RAGGED),
    "ragged_dot_general": (
        lambda o, x, y: o.ragged_dot_general(
            x, y, np.array([1, 3]),
            o.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())),
        RAGGED[0].astype(np.float32), np.cos(np.arange(8.0, dtype=np.float32)).reshape(4, 2)),
    "igamma_grad_a": (
        lambda o, n: o.igamma_grad_a(n.astype(np.float64) + 0.5, n + 0.75), np.array([1, 2, 9])),
    "random_gamma_grad": (
        lambda o, n: o.random_gamma_grad(n.astype(np.float64) / 3, n * 0.75), np.array([1, 2, 9])),
    "cholesky": (lambda o, x: o.linalg.cholesky(x), SPD),
    "cholesky of a triangle": (
        lambda o, x: o.linalg.cholesky(x, symmetrize_input=False), SPD.astype(np.float32)),
    "eigh": (lambda o, x: o.linalg.eigh(x)[1], SPD),
    "eigh of a triangle": (
        lambda o, n: o.linalg.eigh(n.astype(np.float64), lower=False, symmetrize_input=False)[1],
        np.array([[2, 1], [0, 5]])),
    "lu": (lambda o, x: o.linalg.lu(x)[0], SQUARE),
    "lu, pivots": (lambda o, n: o.linalg.lu(n * 1.0)[2], np.array([[1, 2], [3, 4], [9, 6]])),
    "permutation": (
        lambda o, n: o.linalg.lu_pivots_to_permutation(n, 5), np.array([[2, 2], [4, 3]], np.int32)),
    "qr": (lambda o, x: o.square(o.linalg.qr(x, full_matrices=False)[1]), SQUARE),
    "schur": (
        lambda o, n: o.sort(o.abs(o.linalg.schur(n.astype(np.float64))[0][0])),
        np.array([[2, 1], [1, 2]])),
    "svd": (lambda o, x: o.linalg.svd(x, full_matrices=False)[1], X),
    "triangular_solve": (
        lambda o, a, b: o.linalg.triangular_solve(a, b, lower=True, transpose_a=True), SQUARE, X),
    "triangular_solve, left": (
        lambda o, a, b: o.linalg.triangular_solve(
            a, b, left_side=True, unit_diagonal=True, conjugate_a=True), SQUARE, X.T),
}  # fmt: skip


def numbers(library, case):
    """The value of a case, its tangent and its cotangents, by a library as JAX is."""
    f, *args = CASES[case]

    def call(*xs):
        return f(library.lax, *xs)

    is_float = all(np.asarray(x).dtype == np.float64 for x in args)
    if not is_float:
        return {"value": library.jit(call)(*args)}

    def derivatives(*xs):
        tangents = tuple(library.numpy.asarray(direction(np.shape(x))) for x in args)
        value, tangent = library.jvp(call, xs, tangents)
        _, pull = library.vjp(call, *xs)
        return value, tangent, pull(direction(value.shape))

    value, tangent, cotangents = library.jit(derivatives)(*args)
    found = {"value": value, "tangent": tangent}
    return found | {f"cotangent {i}": g for i, g in enumerate(cotangents)}


if __name__ == "__main__":
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    found = {}
    for case in CASES:
        print(case, file=sys.stderr)
        arrays = {k: np.asarray(x) for k, x in numbers(jax, case).items()}
        found[case] = {
            k: [x.dtype.name, list(x.shape), x.ravel().tolist()] for k, x in arrays.items()
        }
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
    print("{\n" + ",\n".join(lines) + "\n}")
