"""Routines of cuSOLVER, hipSOLVER and XLA on a TPU, and `ApproxTopK`, are ops with rules.

The texts are what JAX 0.10.2 writes for these platforms, less shardings and locations.
"""

import numpy as np
import pytest
import scipy.linalg
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import parse
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lift import Lift

rng = np.random.default_rng(0)
X, WIDE, STACK = (rng.normal(size=s) for s in ((4, 3), (3, 5), (2, 3, 3)))
Z = rng.normal(size=(4, 3)) + 1j * rng.normal(size=(4, 3))
DEFINITE = STACK @ STACK.swapaxes(1, 2) + 3 * np.eye(3)


def call(target, xs, ys, config="", order="[0, 1]", more=""):
    """A program that returns the results of one call; `xs` and `ys` are types without `tensor`."""

    def rank_of(type_):
        return sum(part.isdigit() for part in type_.split("x"))

    n_batch = rank_of(xs[0]) - (1 if "permutation" in target else 2)

    def layout(type_):
        axes = list(range(rank_of(type_)))[::-1]
        if len(axes) - n_batch == 2 and order == "[0, 1]":
            axes[:2] = axes[1::-1]
        return f"dense<{axes if axes else ''}> : tensor<{len(axes)}xindex>"

    layouts = [", ".join(map(layout, types)) for types in (xs, ys)]
    says = f"operand_layouts = [{layouts[0]}], result_layouts = [{layouts[1]}]"
    if order == "none":
        says = ""
    ins = ", ".join(f"%x{i}: tensor<{t}>" for i, t in enumerate(xs))
    outs = ", ".join(f"tensor<{t}>" for t in ys)
    names = [f"%0#{i}" if len(ys) > 1 else "%0" for i in range(len(ys))]
    return f"""
    func.func @main({ins}) -> ({outs}) {{
      %0{f":{len(ys)}" if len(ys) > 1 else ""} = stablehlo.custom_call @{target}(
        {", ".join(f"%x{i}" for i in range(len(xs)))}) {{
        {", ".join(part for part in (config, more, says) if part)}
      }} : ({", ".join(f"tensor<{t}>" for t in xs)}) -> ({outs})
      return {", ".join(names)} : {outs}
    }}"""


def without(text, *positions):
    """The program without some of its results, which a call then does not have to give."""
    head, tail = text.rsplit("return", 1)
    names, types = tail.rstrip(" }\n").split(" : ")
    kept = [i for i in range(len(names.split(","))) if i not in positions]
    names, parts = names.split(","), types.split(", ")
    result = ", ".join(parts[i] for i in kept)
    head = head.replace(f"-> ({types}) {{\n      %0", f"-> ({result}) {{\n      %0", 1)
    return head + f"return {', '.join(names[i].strip() for i in kept)} : {result}\n    }}"


def config(**options):
    said = ", ".join(f"{name} = {value}" for name, value in options.items())
    return f"mhlo.backend_config = {{{said}}}"


def lifted(text):
    module = parse(text)
    Pipeline([Lift()]).run(module)
    assert "custom_call" not in str(module), str(module)
    return anvl.from_stablehlo(text)


def names(module):
    """Names of the ops of the last function."""
    *_, main = module.body.operations
    return [op.operation.name for op in main.regions[0].blocks[0].operations]


def close(found, wanted):
    for y, y_wanted in zip(found, wanted, strict=True):
        np.testing.assert_allclose(
            np.asarray(y), np.asarray(y_wanted), rounding(PROGRAM), rounding(PROGRAM)
        )


def check_slopes(f, x):
    """A function of what does not depend on signs, against differences."""
    anvl.testing.check_grads(f, (x,), order=1)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("library", ["cusolver", "hipsolver"])
@pytest.mark.parametrize("lower", ["true", "false"])
def test_cholesky(library, lower):
    text = call(f"{library}_potrf_ffi", ["2x3x3xf64"], ["2x3x3xf64", "2xi32"], config(lower=lower))
    f = lifted(without(text, 1))
    keep, other = (np.tril, np.triu) if lower == "true" else (np.triu, np.tril)
    factor = np.linalg.cholesky(DEFINITE)
    factor = factor if lower == "true" else factor.swapaxes(1, 2)
    unread = other(DEFINITE, 1 if lower == "true" else -1)
    close([f(DEFINITE)], [keep(factor) + unread])
    check_slopes(f, DEFINITE)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("lower", ["true", "false"])
def test_eigh(lower):
    options = config(algorithm="0 : ui8", lower=lower)
    types = ["2x3x3xf64"], ["2x3x3xf64", "2x3xf64", "2xi32"]
    f = lifted(without(call("cusolver_syevd_ffi", *types, options), 2))
    v, w = f(DEFINITE)
    wanted = np.linalg.eigh(DEFINITE)
    close([w, anp.abs(v)], [wanted[0], np.abs(wanted[1])])
    check_slopes(lambda x: [f(x)[1], anp.abs(f(x)[0])], DEFINITE)
    # One triangle is read.
    half = np.tril(DEFINITE) if lower == "true" else np.triu(DEFINITE)
    close([f(half)[1]], [wanted[0]])
    values = lifted(without(call("cusolver_syevd_ffi", *types, options), 0, 2))
    close([values(DEFINITE)], [wanted[0]])


@pytest.mark.parametrize(("lower", "half"), [("1", np.tril), ("0", np.triu)])
def test_eigh_of_a_tpu(lower, half):
    text = call("Eigh", ["2x3x3xf64"], ["2x3x3xf64", "2x3xf64"],
                f'backend_config = "{lower},1,100,1e-6"', "none")  # fmt: skip
    v, w = lifted(text)(half(DEFINITE))
    wanted = np.linalg.eigh(DEFINITE)
    close([w, anp.abs(v)], [wanted[0], np.abs(wanted[1])])


def svd_types(m, n, full, dtype):
    k = min(m, n)
    sides = (m, n) if full else (k, k)
    return [f"{m}x{n}x{dtype}", f"{k}xf64", f"{m}x{sides[0]}x{dtype}", f"{sides[1]}x{n}x{dtype}"]


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("x", [X, Z, WIDE], ids=["tall", "complex", "wide"])
def test_svd(x, full):
    (m, n), dtype = x.shape, "complex<f64>" if x.dtype.kind == "c" else "f64"
    types = svd_types(m, n, full, dtype)
    is_wide = m < n
    if is_wide:  # as JAX calls it: of the transpose, as cuSOLVER takes no wide matrix
        types = [*types[:2], types[3], types[2]]
    options = config(
        compute_uv="true", full_matrices=str(full).lower(), transposed=str(is_wide).lower()
    )
    order = "[1, 0]" if is_wide else "[0, 1]"
    text = call("cusolver_gesvd_ffi", [types[0]], [*types, "i32"], options, order)
    f = lifted(without(text, 0, 4))

    def parts(x):
        s, *vectors = f(x)
        u, vt = vectors[::-1] if is_wide else vectors
        return u, s, vt

    check_svd(parts, x, full)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("x", [Z, X, WIDE], ids=["complex", "tall", "wide"])
def test_svd_by_jacobi(x):
    (m, n), dtype = x.shape, "complex<f64>" if x.dtype.kind == "c" else "f64"
    types = svd_types(m, n, True, dtype)
    options = config(compute_uv="true", full_matrices="true")
    text = call("cusolver_gesvdj_ffi", [types[0]], [*types, "i32"], options)
    f = lifted(without(text, 0, 4))

    def parts(x):
        s, u, v = f(x)
        return u, s, anp.conj(v.T)

    check_svd(parts, x, True)


def check_svd(parts, x, full):
    u, s, vt = map(np.asarray, parts(x))
    k = len(s)
    assert u.shape[1] == (x.shape[0] if full else k)
    close([s, (u[:, :k] * s) @ vt[:k]], [np.linalg.svd(x)[1], x])

    def free_of_signs(x):
        u, s, vt = parts(x)
        return [s, anp.abs(u[:, :k]), anp.abs(vt[:k])]

    check_slopes(free_of_signs, x)


@pytest.mark.sweep(keep=0)
def test_singular_values_alone():
    options = config(compute_uv="false", full_matrices="true")
    text = call("cusolver_gesvdj_ffi", ["4x3xf64"], [*svd_types(4, 3, True, "f64"), "i32"], options)
    f = lifted(without(text, 0, 2, 3, 4))
    close([f(X)], [np.linalg.svd(X)[1]])
    check_slopes(f, X)


LU = ["3x3xf64"], ["3x3xf64", "3xi32", "i32"]


@pytest.mark.sweep(keep=0)
@pytest.mark.parametrize("library", ["cu", "hip"])
def test_lu(library):
    f = lifted(without(call(f"{library}solver_getrf_ffi", *LU, config()), 2))
    target = f"{library}_lu_pivots_to_permutation"
    order = lifted(call(target, ["2x3xi32"], ["2x4xi32"], config()))
    for x in STACK:
        lu, pivots = f(x)
        wanted = scipy.linalg.lu_factor(x)
        close([lu, pivots], [wanted[0], wanted[1] + 1])
        check_slopes(lambda x: f(x)[0], x)
    pivots = np.array([[1, 2, 2], [3, 3, 2]], "i")
    np.testing.assert_array_equal(np.asarray(order(pivots)), [[1, 2, 0, 3], [3, 0, 2, 1]])


def test_lu_of_a_tpu():
    text = call("LuDecomposition", ["3x3xf64"], ["3x3xf64", "3xi32", "3xi32"], order="none")
    lu, pivots, order = map(np.asarray, lifted(text)(STACK[0]))
    close([lu, pivots], scipy.linalg.lu_factor(STACK[0]))
    low, up = np.tril(lu, -1) + np.eye(3), np.triu(lu)
    close([low @ up], [STACK[0][order]])


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize(
    ("target", "order"),
    [("lapack_dorgqr_ffi", "[0, 1]"), ("cusolver_orgqr_ffi", "[0, 1]"),
     ("ProductOfElementaryHouseholderReflectors", "none")],
)  # fmt: skip
@pytest.mark.parametrize("k", [3, 2])
def test_products_of_reflections(target, order, k):
    f = lifted(call(target, ["4x3xf64", f"{k}xf64"], ["4x3xf64"], config(), order))
    taus = np.array([0.3, 0.0, 1.1])[:k]
    wanted = np.eye(4)
    for i, tau in enumerate(taus):
        v = np.where(np.arange(4) > i, X[:, i], np.arange(4) == i)
        wanted = wanted @ (np.eye(4) - tau * np.outer(v, v))
    close([f(X, taus)], [wanted[:, :3]])
    anvl.testing.check_grads(f, (X, taus), order=1)


def test_products_of_complex_reflections():
    text = call("lapack_zungqr_ffi", ["4x3xcomplex<f64>", "3xcomplex<f64>"], ["4x3xcomplex<f64>"],
                config())  # fmt: skip
    packed, taus = scipy.linalg.lapack.zgeqrf(Z)[:2]
    wanted = scipy.linalg.lapack.zungqr(packed, taus)[0]
    close([lifted(text)(packed, taus)], [wanted])


@pytest.mark.parametrize(
    ("target", "types", "given"),
    [
        ("cusolver_potrf_ffi", (["3x3xf64"], ["3x3xf64", "i32"]), {"config": config(lower="[1]")}),
        ("cusolver_potrf_ffi", (["3x3xf64"], ["3x3xf64", "i32"]), {"order": "[1, 0]"}),
        ("cusolver_potrf_ffi", (["3x3xf64"], ["3x3xf64", "i32"]), {"config": config()}),
        ("cusolver_other_ffi", (["3x3xf64"], ["3x3xf64", "i32"]), {}),
        ("Eigh", (["3x3xf64"], ["3x3xf64", "3xf64"]), {"order": "none", "config": ""}),
        ("LuDecomposition", LU, {"order": "none", "more": "my.own = 1 : i32"}),
    ],
)
def test_other_calls_stay_as_they_are(target, types, given):
    module = parse(call(target, *types, **{"config": config(lower="true")} | given))
    Pipeline([Lift()]).run(module)
    assert names(module) == ["stablehlo.custom_call", "func.return"]


TOP = """
func.func private @compare(%a: tensor<f64>, %b: tensor<f64>, %i: tensor<i32>, %j: tensor<i32>)
    -> tensor<i1> {{
  %0 = stablehlo.compare {direction}, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %0 : tensor<i1>
}}
func.func @main(%x: tensor<3x8xf64>) -> (tensor<{shape}xf64>, tensor<{shape}xi32>) {{
  %start = stablehlo.constant dense<0.0> : tensor<f64>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %i = stablehlo.iota dim = {axis} : tensor<3x8xi32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %start, %none) {{
    called_computations = [@compare], mhlo.backend_config = {{aggregate_to_topk = true,
    is_fallback = true, recall_target = 0.9 : f32, reduction_dim = {axis} : i64,
    reduction_input_size_override = {size} : i64, top_k = 2 : i64}} }}
    : (tensor<3x8xf64>, tensor<3x8xi32>, tensor<f64>, tensor<i32>)
    -> (tensor<{shape}xf64>, tensor<{shape}xi32>)
  return %0#0, %0#1 : tensor<{shape}xf64>, tensor<{shape}xi32>
}}
"""


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("direction", ["GT", "LT"])
def test_approximate_top_k_is_the_true_one(axis, direction):
    shape = ("2x8", "3x2")[axis]
    f = lifted(TOP.format(axis=axis, direction=direction, shape=shape, size=-1))
    x = rng.normal(size=(3, 8))
    order = np.take(np.argsort(-x if direction == "GT" else x, axis), [0, 1], axis)
    values, places = f(x)
    close([values], [np.take_along_axis(x, order, axis)])
    np.testing.assert_array_equal(np.asarray(places), order)
    check_slopes(lambda x: f(x)[0], x)
    close(anvl.vmap(f)(np.stack([x, -x]))[:1], [np.stack([f(x)[0], f(-x)[0]])])


@pytest.mark.parametrize("change", [("axis", 5), ("size", 8), ("shape", "2x2")])
def test_another_search_stays(change):
    parts = {"axis": 1, "direction": "GT", "shape": "3x2", "size": -1} | dict([change])
    if parts["axis"] == 5:
        text = TOP.format(**parts | {"axis": 1}).replace("reduction_dim = 1", "reduction_dim = 5")
    else:
        text = TOP.format(**parts)
    module = parse(text)
    Pipeline([Lift()]).run(module)
    assert names(module)[-2:] == ["stablehlo.custom_call", "func.return"]
    assert "stablehlo.sort" not in names(module)
