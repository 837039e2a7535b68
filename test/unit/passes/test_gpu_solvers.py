"""Programs for CUDA and ROCm call cuSOLVER and hipSOLVER; lifting reads the calls, as JAX's.

So the numbers of a program for a GPU are seen without one: lowered for it, lifted, and run here.
"""

import re

import numpy as np
import pytest
import scipy.linalg
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.passes import pipeline
from anvl.runtime.plugins import cuda

L = anp.linalg
RNG = np.random.default_rng(0)


def text_for(platform, f, *xs, routines=""):
    traced = anvl.jit(f).trace(*xs)
    module = traced.program.module
    pipeline(traced.program.captured, platform=platform, routines=routines).run(module)
    return str(module)


def matrices(*shape, dtype="f4"):
    x = RNG.normal(size=shape)
    return (x + 1j * RNG.normal(size=shape) if dtype[0] == "c" else x).astype(dtype)


def positive(x):
    return x @ x.conj().swapaxes(-1, -2) + np.eye(x.shape[-1], dtype=x.dtype)


def close(found, wanted):
    tolerance = rounding(PROGRAM, np.asarray(wanted).dtype)
    np.testing.assert_allclose(np.asarray(found), wanted, tolerance, tolerance)


def thin_svd(x):
    return [anp.abs(y) for y in L.svd(x, full_matrices=False)]


CASES = {
    "potrf": (L.cholesky, positive(matrices(2, 3, 3))),
    "getrf": (lambda x: anvl.scipy.linalg.lu(x)[1:], matrices(2, 4, 3)),
    "geqrf": (lambda x: [anp.abs(y) for y in L.qr(x)], matrices(2, 3, 5)),
    "syevd": (lambda x: anp.abs(L.eigh(x)[1]), positive(matrices(3, 3, dtype="c8"))),
    "gesvdj": (thin_svd, matrices(34, 40, dtype="c8")),
    "gesvd": (thin_svd, matrices(2, 1100)),
}
MORE = {
    "potrf": (L.cholesky, positive(matrices(3, 3, dtype="c16"))),
    "getrf": (L.slogdet, matrices(3, 3, dtype="c8")),
    "geqrf": (lambda x: anp.abs(L.qr(x, mode="complete")[1]), matrices(5, 2, dtype="c8")),
    "syevd": (L.eigvalsh, positive(matrices(2, 4, 4))),
    "gesvdj": (lambda x: anp.abs(L.svd(x)[0]), matrices(3, 5)),
    "gesvd": (L.svdvals, matrices(2, 1100)),
}


def check(platform, library, routine, f, x):
    text = text_for(platform, f, x)
    assert f"@{library}_{routine}_ffi(" in text
    assert not re.search(rf"custom_call @(?!{library}_|{library[:-6]}_lu_pivots)", text)
    found = anvl.tree.leaves(anvl.from_stablehlo(text)(x))
    for y, y_wanted in zip(found, anvl.tree.leaves(f(x)), strict=True):
        close(y, np.asarray(y_wanted))


@pytest.mark.parametrize("routine", CASES)
def test_programs_for_cuda_call_cusolver(routine):
    check("cuda", "cusolver", routine, *CASES[routine])


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("routine", MORE)
def test_other_programs_for_cuda(routine):
    check("cuda", "cusolver", routine, *MORE[routine])


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("routine", CASES)
def test_programs_for_rocm_call_hipsolver(routine):
    check("rocm", "hipsolver", routine, *CASES[routine])


def test_a_client_calls_the_library_if_it_has_all_that_is_called():
    assert {*CASES, "orgqr"} == {*cuda._ROUTINES}


def test_solved_systems_and_their_slopes_need_no_loop():
    text = text_for("cuda", anvl.grad(lambda a: anp.sum(L.solve(a, a[0]) ** 2)), matrices(4, 4))
    assert "stablehlo.while" not in text and "stablehlo.triangular_solve" in text


@pytest.mark.parametrize(
    "f",
    [
        lambda x: anp.sum(anp.abs(L.eigh(x)[1]) ** 3) + anp.sum(L.pinv(x)),
        lambda x: anp.sum(anvl.scipy.linalg.expm(x)),
        lambda x: anp.sum(L.lstsq(x, x[0])[0]),
    ],
)
def test_products_of_linear_algebra_are_not_rounded_to_10_bits(f):
    """By default GPUs round f32: slopes of eigenvectors were off by 4e-4 on an H200."""
    text = text_for("cuda", anvl.grad(f), matrices(3, 3))
    products = re.findall(r"stablehlo.dot_general .*", text)
    assert products and all("HIGHEST, HIGHEST" in product for product in products)


def of_constants(text, *values):
    """The program, with constants for the results of its call."""
    call = re.search(r" *%(\w+):5 = stablehlo.custom_call .*\n", text)
    types = call[0].rpartition("-> (")[2].rpartition(")")[0].split(", ")
    lines = [
        f"%r{i} = stablehlo.constant dense<{listed(value)}> : {type_}\n"
        for i, (value, type_) in enumerate(zip(values, types, strict=True))
    ]
    return text.replace(call[0], "".join(lines)).replace(f"%{call[1]}#", "%r")


def listed(value):
    if np.ndim(value):
        return f"[{', '.join(map(listed, value))}]"
    return f"({value.real}, {value.imag})" if np.iscomplexobj(value) else str(value)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 0, 4, 1, 2]])
def test_conjugate_eigenvectors_of_real_matrices_are_unpacked(order):
    """`geev` of real matrices gives the real and the imaginary part of each pair of vectors."""
    turn = np.asarray([[1.0, -2.0], [2.0, 1.0]])
    x = scipy.linalg.block_diag(turn, [[3.0]], 2 * turn)[order][:, order]
    x = np.linalg.solve(matrices(5, 5, dtype="f8"), x @ matrices(5, 5, dtype="f8"))
    re, im, left, right, info = scipy.linalg.lapack.dgeev(x)
    assert (im != 0).any() and info == 0
    text = text_for("cuda", L.eig, x)
    assert "@cusolver_geev_ffi(" in text and "left = false, right = true" in text
    w, v = anvl.from_stablehlo(of_constants(text, x, re + 1j * im, left, right, np.int32(0)))(x)
    w, v = np.asarray(w), np.asarray(v)
    close(x @ v, v * w)
    close(np.sort_complex(w), np.sort_complex(np.linalg.eigvals(x)))


def test_rocm_has_no_eigenvalues_of_general_matrices():
    with pytest.raises(anvl.PassError, match=r"none of the libraries .*, lapack, cusolver;"):
        text_for("rocm", L.eigvals, matrices(2, 2))
