"""Functions of `anvl.lax` beside those of `jax.lax`: values, tangents, cotangents, dtypes.

`lax_cases.py` has the calls, and says how their numbers were made.
"""

import json
import re
from pathlib import Path

import numpy
import pytest
from lax_cases import CASES, IMAGE, ROWS, UPDATES, N, U, X, Y, numbers
from tolerances import assert_close

import anvl
import anvl.numpy as np
from anvl import lax

KNOWN = json.loads(Path(__file__).with_name("lax_numbers.json").read_text())
GATHER = lax.GatherDimensionNumbers((1,), (0,), (0,))
SCATTER = lax.ScatterDimensionNumbers((1,), (0,), (0,))


@pytest.mark.sweep(keep=32, part=16)
@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_jax(case):
    found, wanted = numbers(anvl, case), KNOWN[case]
    assert found.keys() == wanted.keys()
    for part, (dtype, shape, values) in wanted.items():
        x = numpy.asarray(found[part])
        assert (x.dtype.name, list(x.shape)) == (dtype, shape), part
        assert_close(x, numpy.array(values, dtype).reshape(shape), 1000, part)


def test_batches_are_the_members_one_by_one():
    def f(x, at, u):
        return (
            lax.gather(x, at, GATHER, (1, 3), mode="fill"),
            lax.scatter_add(x, at, u, SCATTER, mode="clip"),
            lax.select_n(at[:2, :1], x, 2 * x, 3 * x),
            lax.reduce_xor(lax.bitcast_convert_type(x, "i64"), (0,)),
            lax.approx_max_k(x, 1)[1],
            lax.linalg.triangular_solve(x[:, :2], u[:, :2]),
            lax.optimization_barrier({"x": x}),
        )

    many = [numpy.stack([a, a[::-1] + 1]) for a in (X, ROWS - 1, UPDATES)]
    found = anvl.jit(anvl.vmap(f))(*many)
    for i in range(2):
        for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(f(*[m[i] for m in many])),
                        strict=True):  # fmt: skip
            assert_close(a[i], b, 64)


def test_second_derivatives_pass_through():
    def f(x):
        y = lax.scatter_mul(x, ROWS[:2], lax.reduce_precision(x, 11, 52), SCATTER)
        return np.sum(lax.gather(y * y, ROWS[:2], GATHER, (1, 3)))

    # y[r] = x[r] x[1 - r], and both rows count once
    product = 2 * (X[0] * X[1]) ** 2
    assert_close(anvl.jit(f)(X), product.sum(), 64)
    slope = 4 * X[0] * X[1] * X[::-1]
    assert_close(anvl.jit(anvl.grad(f))(X), slope, 64)
    bent = anvl.jvp(anvl.grad(f), (X,), (Y,))[1]
    wanted = 4 * (Y * X[::-1] ** 2 + 2 * X[0] * X[1] * Y[::-1])
    assert_close(bent, wanted, 256)


def test_scatter_apply_is_a_function_of_each_element_of_a_window():
    def f(x):
        return lax.scatter_apply(
            x, ROWS[1:2], np.sin, SCATTER, update_shape=(1, 3), unique_indices=True
        )

    wanted = numpy.stack([numpy.sin(X[0]), X[1]])
    assert_close(f(X), wanted, 16)
    slope = anvl.grad(lambda x: np.sum(f(x)))(X)
    assert_close(slope, numpy.stack([numpy.cos(X[0]), numpy.ones(3)]), 16)


def test_random_bits_are_those_of_the_algorithm():
    key = numpy.array([1, 2, 3, 4], numpy.uint32)
    state, bits = lax.rng_bit_generator(key, (3,), "ui64", lax.RandomAlgorithm.RNG_THREE_FRY)
    # of jax 0.10.2
    assert numpy.asarray(bits).tolist() == [
        9662219624799024108, 10418227120389269672, 6433701140276733507
    ]  # fmt: skip
    assert numpy.asarray(state).tolist() == [1, 2, 6, 4]
    again, _ = lax.rng_bit_generator(key.view(numpy.uint64), (3,), "ui64", 1)
    assert numpy.asarray(again).view(numpy.uint32).tolist() == [1, 2, 6, 4]


def test_precisions_are_taken_as_members_of_the_enumeration():
    for name in (None, "default", "high", "highest", "bfloat16", "float32", "tensorfloat32"):
        assert isinstance(lax.Precision(name), lax.Precision)
    with pytest.raises(ValueError, match="'best' is not a valid Precision"):
        lax.Precision("best")
    for f in (np.matmul, lax.dot, lambda x, y, precision: anvl.nn.conv(
        IMAGE, IMAGE, layout=("NCHW", "OIHW"), precision=precision)):  # fmt: skip
        assert np.all(np.isfinite(f(X, X.T, precision=lax.Precision.HIGHEST)))
    text = anvl.jit(lambda x: np.matmul(x, x.T, precision=lax.Precision.HIGHEST)).lower(X).mlir()
    assert "HIGHEST" in text


def test_eigenvectors_are_left_and_right():
    x = numpy.array([[1.0, 2.0], [-3.0, 0.5]])
    w, left, right = (numpy.asarray(y) for y in lax.linalg.eig(x))
    assert_close(x @ right, right * w, 64)
    assert_close(left.conj().T @ x, w[:, None] * left.conj().T, 64)
    assert_close(numpy.linalg.norm(left, axis=0), numpy.ones(2), 16)
    assert len(lax.linalg.eig(x, compute_left_eigenvectors=False)) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lax.round(X, 3), "round: rounding_method is 3; it must be one of AWAY_FROM"),
        (lambda: lax.round(X + 0j), "round: c128[2,3] is complex"),
        (lambda: lax.complex(X + 0j, X), "complex: takes real numbers"),
        (lambda: lax.integer_pow(N, -1), "integer_pow: i32[2,3] holds integers"),
        (lambda: lax.integer_pow(X, 1.5), "integer_pow: y"),
        (lambda: lax.reduce_precision(X, 0, 3), "at least 1 exponent bit"),
        (lambda: lax.bitcast_convert_type(X > 0, "ui8"), "bool has no bits to read"),
        (lambda: lax.bitcast_convert_type(N, "i64"), "needs a last axis of size 2"),
        (lambda: lax.select_n(X), "select_n: there are no cases"),
        (lambda: lax.select_n(X > 0, X, X, X), "of bools, for 3 cases; give i32"),
        (lambda: lax.select_n(X, X, X), "it must be of bools or i32"),
        (lambda: lax.clz(X), "count_leading_zeros"),
        (lambda: lax.collapse(X, 1, 0), "collapse: the axes from 1 to before 0"),
        (lambda: lax.tile(X, (2,)), "tile: reps is (2,); give a number for each of the 2"),
        (lambda: lax.reduce_and(X, (0,)), "reduce_and: takes integers or bools"),
        (lambda: lax.reduce_sum(X, (0, 0)), "reduce_sum: axis (0, 0) names an axis twice"),
        (lambda: lax.reduce_max(X, (2,)), "reduce_max: axis 2 is out of range"),
        (lambda: lax.approx_max_k(N, 1), "approx_max_k: takes floats, got i32[2,3]"),
        (lambda: lax.approx_min_k(X, 9), "approx_min_k: k is 9; axis 1 of f64[2,3] has 3"),
        (lambda: lax.approx_max_k(X, 1, recall_target=0), "recall_target is 0"),
        (lambda: lax.gather(X, ROWS, SCATTER, (1, 3)), "it must be a lax.GatherDimensionNumbers"),
        (lambda: lax.gather(X, ROWS, GATHER, (1, 3), mode="wrap"), "gather: GatherScatterMode"),
        (lambda: lax.gather(X, ROWS[:, 0], GATHER, (1, 3)), "gather: the indices are i32[3]"),
        (lambda: lax.scatter(X, ROWS * 1.0, UPDATES, SCATTER), "scatter: the indices are f64[3,1]"),
        (lambda: lax.scatter_add(X, ROWS, X[0], SCATTER, mode="clip"), "update_window_dims [1]"),
        (lambda: lax.index_take(X, (ROWS[0],), (0, 1)), "index_take: there are 1 vectors"),
        (lambda: lax.padtype_to_pads((4,), (2,), (1,), "FULL"), "padtype_to_pads: padding is"),
        (lambda: lax.conv_transpose(IMAGE, IMAGE, (1, 1), "FULL"), "padding 'FULL' is neither"),
        (lambda: lax.conv_transpose(IMAGE, IMAGE, (2,), "SAME"), "conv_transpose: strides is (2,)"),
        (lambda: lax.ragged_dot_general(X, X, ROWS[0], None), "dimension_numbers is None"),
        (lambda: lax.conv_transpose(X[0], X[0], (), "SAME"), "of 1 axes; for other than 2 to 5"),
        (lambda: lax.fft(X, "DCT", (3,)), "fft: fft_type is 'DCT'; it must be one of FFT"),
        (lambda: lax.fft(X, "FFT", (4,)), "fft: fft_length [4]"),
        (lambda: lax.ragged_dot(X, X[None], ROWS[0], group_offset=1), "group_offset is 1"),
        (lambda: lax.rng_bit_generator(U[0], (2,)), "rng_bit_generator: the key is ui8[3]"),
        (lambda: lax.rng_bit_generator(ROWS, (2,), "ui32", 7), "algorithm is 7"),
        (lambda: lax.linalg.eigh(X[:, :2], subset_by_index=(1, 4)), "there are 2 eigenvalues"),
        (lambda: lax.linalg.eigh(X[:, :2], implementation="QR"), "can be None only"),
        (lambda: lax.linalg.svd(X, subset_by_index=(0, 1)), "with full_matrices=False"),
        (lambda: lax.linalg.schur(X[:, :2], sort_eig_vals=True), "cannot be ordered here"),
        (lambda: lax.linalg.lu_pivots_to_permutation(N[0], 2), "for a permutation of 2 rows"),
        (lambda: lax.linalg.qwdh, "has no attribute 'qwdh'"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(call, message):
    with pytest.raises((TypeError, ValueError, AttributeError, NotImplementedError),
                       match=re.escape(message)):  # fmt: skip
        call()
