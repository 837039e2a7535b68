"""Ops of StableHLO and CHLO in an older or a longer form: values as NumPy's, derivatives too."""

import re

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline

RNG = np.random.default_rng(0)
A, B, C = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=(2, 3, 3))
D, P, I = RNG.normal(size=(2, 1, 3)), RNG.uniform(0.5, 2, (2, 3)), np.array([[1, 0], [2, 2]])  # noqa: E741
Z = RNG.normal(size=3) + 1j * RNG.normal(size=3)

#: Each op, what it takes, and the same in NumPy.
EINSUMS = {
    "ij,jk->ik": (A, B), "ij,jk->ki": (A, B), "ij,jk->i": (A, B), "ij,jk->": (A, B),
    "ij,ij->ij": (A, A), "ij,kj->ikj": (A, C[0]), "ijk,ikl->ilj": (C, C), "ij,kl->lijk": (A, B),
    "iij,kj->ki": (C[:, :2], A), "...ij,...jk->...ik": (D, C), "...i,i->...": (C, A[0]),
    "ij,...j->...i": (A, C), "ij->ji": (A,), "ij->": (A,), "ijj->ij": (C,), "ijk->kj": (C,),
    "...i->i...": (C,), "ii->": (C[0],),
}  # fmt: skip


def text_of(rows):
    """A function of all operands, with all results, and a function of NumPy for each result."""
    args, body, types = [], [], []
    for i, (op, xs, y) in enumerate(rows):
        names = [f"%x{len(args) + j}" for j in range(len(xs))]
        args += xs
        given = ", ".join(map(type_of, xs))
        types.append(type_of(y))
        body.append(f"  %y{i} = {op.format(*names)} : ({given}) -> {types[-1]}")
    heads = ", ".join(f"%x{i}: {type_of(x)}" for i, x in enumerate(args))
    results = ", ".join(f"%y{i}" for i in range(len(rows)))
    lines = "\n".join(body)
    text = (
        f"func.func @main({heads}) -> ({', '.join(types)}) {{\n{lines}\n"
        f"  return {results} : {', '.join(types)}\n}}"
    )
    return text, args


def type_of(x):
    names = {"float64": "f64", "int64": "i64", "bool": "i1", "complex128": "complex<f64>"}
    return f"tensor<{''.join(f'{n}x' for n in np.shape(x))}{names[np.asarray(x).dtype.name]}>"


def operands(count):
    return ", ".join(["{}"] * count)


def einsum_rows():
    for config, xs in EINSUMS.items():
        name = "einsum" if len(xs) == 2 else "unary_einsum"
        op = f'"stablehlo.{name}"({operands(len(xs))}) {{{{einsum_config = "{config}"}}}}'
        yield op, list(xs), np.einsum(config, *xs)


def broadcasting(name, xs, y, attributes=""):
    return f'"chlo.broadcast_{name}"({operands(len(xs))}) {{{{{attributes}}}}}', list(xs), y


LT = "comparison_direction = #chlo<comparison_direction LT>"
AXIS = "broadcast_dimensions = array<i64: 0>"
TAKEN = np.stack([C[0][:, [1, 0]], C[1][:, [2, 2]]])
ROWS = [
    *einsum_rows(),
    ('"stablehlo.dot"({}, {})', [A, B], A @ B),
    ('"stablehlo.dot"({}, {})', [A[0], B], A[0] @ B),
    ('"stablehlo.dot"({}, {})', [A, A[0]], A @ A[0]),
    ('"stablehlo.dot"({}, {})', [A[0], A[1]], np.asarray(A[0] @ A[1])),
    ("stablehlo.dot_general {}, {}, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT]",
     [A, B], A @ B),
    ('"stablehlo.broadcast"({}) {{broadcast_sizes = array<i64: 4, 1>}}', [A],
     np.broadcast_to(A, (4, 1, 2, 3)).copy()),
    ('"stablehlo.torch_index_select"({}, {}) {{dim = 1 : i64, batch_dims = 0 : i64}}', [B, I],
     B[:, I]),
    ('"stablehlo.torch_index_select"({}, {}) {{dim = 2 : i64, batch_dims = 1 : i64}}', [C, I],
     TAKEN),
    ('"stablehlo.torch_index_select"({}, {}) {{dim = 0 : i64, batch_dims = 0 : i64}}',
     [A, np.array([1, 1, 0])], A[[1, 1, 0]]),
    ('"chlo.tan"({})', [Z], np.tan(Z)),
    ('"chlo.tan"({})', [A], np.tan(A)),
    ('"chlo.constant_like"({}) {{value = 1.5 : f64}}', [A], np.full_like(A, 1.5)),
    ('"stablehlo.real"({})', [A], A),
    ('"stablehlo.imag"({})', [A], np.zeros_like(A)),
    broadcasting("add", [D, C], D + C),
    broadcasting("subtract", [C, A[0]], C - A[0]),
    broadcasting("multiply", [A, P[:, 0]], A * P[:, :1], AXIS),
    broadcasting("divide", [np.asarray(2.0), P], 2 / P),
    broadcasting("power", [P, np.asarray(1.5)], P**1.5),
    broadcasting("atan2", [D, C], np.arctan2(D, C)),
    broadcasting("maximum", [D, C], np.maximum(D, C)),
    broadcasting("minimum", [D, C], np.minimum(D, C)),
    broadcasting("complex", [A[0], A[:, :1] * np.ones((2, 3))],
                 A[0] + 1j * A[:, :1] * np.ones((2, 3))),
    broadcasting("compare", [D, C], D < C, LT),
    broadcasting("select", [C > 0, D, C], np.where(C > 0, D, C)),
    broadcasting("shift_left", [np.array([1, 2, 3]), np.asarray(2)], np.array([4, 8, 12])),
    broadcasting("and", [np.array([[True], [False]]), np.array([True, False])],
                 np.array([[True, False], [False, False]])),
]  # fmt: skip


@pytest.fixture(scope="module")
def program():
    text, args = text_of(ROWS)
    return anvl.from_stablehlo(text), args


def test_none_is_left():
    text, _ = text_of(ROWS)
    module = ir.Module.parse(text, context())
    Pipeline(["anvl-lift"]).run(module, verify_each=True)
    assert not re.findall(r"(?<!#)\b(?:chlo|stablehlo)\.[a-z_]+", str(module))


def test_values(program):
    f, args = program
    found = f(*args)
    for (op, _, wanted), y in zip(ROWS, found, strict=True):
        np.testing.assert_allclose(
            np.asarray(y), wanted, rtol=rounding(PROGRAM), atol=rounding(PROGRAM), err_msg=op
        )


@pytest.mark.sweep(keep=0)
def test_derivatives(program):
    f, args = program
    smooth = [i for i, x in enumerate(args) if x.dtype.kind in "fc"]
    kept = [i for i, (_, _, y) in enumerate(ROWS) if np.asarray(y).dtype.kind in "fc"]

    def of_smooth(*xs):
        new = dict(zip(smooth, xs, strict=True))
        found = f(*[new.get(i, x) for i, x in enumerate(args)])
        return tuple(found[i] for i in kept)

    xs = [np.asarray(args[i]) for i in smooth]
    ts, gs = ([RNG.normal(size=np.shape(x)).astype(np.asarray(x).dtype) for x in values]
              for values in (xs, [ROWS[i][2] for i in kept]))  # fmt: skip
    ys, moved = anvl.jvp(of_smooth, tuple(xs), tuple(ts))
    ends = [of_smooth(*[x + h * t for x, t in zip(xs, ts, strict=True)]) for h in (1e-6, -1e-6)]
    for i, t, above, below in zip(kept, moved, *ends, strict=True):
        wanted = (np.asarray(above) - np.asarray(below)) / 2e-6
        np.testing.assert_allclose(np.asarray(t), wanted, rtol=1e-6, atol=1e-7, err_msg=ROWS[i][0])
    back = anvl.vjp(of_smooth, *xs)[1](tuple(gs))
    along = sum(np.sum(g * np.asarray(t)) for g, t in zip(gs, moved, strict=True))
    pulled = sum(np.sum(np.asarray(x) * t) for x, t in zip(back, ts, strict=True))
    assert len(ys) == len(kept)
    np.testing.assert_allclose(np.real(pulled), np.real(along), rtol=rounding(ITERATION))


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_triangles_of_narrow_floats_are_solved_in_f32(dtype):
    of = f"tensor<2x2x{dtype}>"
    text = f"""
    func.func @main(%a: {of}, %b: {of}) -> {of} {{
      %0 = "stablehlo.triangular_solve"(%a, %b) {{left_side = true, lower = true,
        unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}}
        : ({of}, {of}) -> {of}
      return %0 : {of}
    }}"""
    module = ir.Module.parse(text, context())
    Pipeline(["anvl-lift"]).run(module, verify_each=True)
    assert '"anvl.triangular_solve"' in str(module) and "tensor<2x2xf32>" in str(module)


@pytest.mark.parametrize(
    ("op", "given", "result"),
    [
        ('"stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk->iik"}', 2, "3x3x3xf64"),
        ('"stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk"}', 2, "3x3xf64"),
        ('"stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk->ik", my.note}', 2, "3x3xf64"),
        ('"stablehlo.dot"(%x, %x) {my.note}', 2, "3x3xf64"),
        ('"chlo.broadcast_add"(%x, %x) {my.note}', 2, "3x3xf64"),
        ('"stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk->ik"}', 2, "3x3xf32"),
    ],
)
def test_what_says_more_stays_or_is_the_op_of_stablehlo(op, given, result):
    text = f"""
    func.func @main(%x: tensor<3x3xf64>) -> tensor<{result}> {{
      %0 = {op} : ({", ".join(["tensor<3x3xf64>"] * given)}) -> tensor<{result}>
      return %0 : tensor<{result}>
    }}"""
    module = ir.Module.parse(text, context())
    Pipeline(["anvl-lift"]).run(module, verify_each=True)
    assert "stablehlo." in str(module)


def test_hints_and_collectives_of_one_device():
    text = """
    func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {
      %0 = stablehlo.sine %x {mhlo.frontend_attributes = {note = "1"}} : tensor<3xf64>
      %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %2 = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %2 : tensor<f64>
      }) : (tensor<3xf64>) -> tensor<3xf64>
      return %1 : tensor<3xf64>
    }"""
    x = np.array([0.0, 0.5, 1.0])
    y, t = anvl.jvp(anvl.from_stablehlo(text), (x,), (np.ones(3),))
    np.testing.assert_allclose(
        [np.asarray(y), np.asarray(t)], [np.sin(x), np.cos(x)], rtol=rounding(PROGRAM)
    )
    of_two = text.replace("dense<0> : tensor<1x1xi64>", "dense<[[0, 1]]> : tensor<1x2xi64>")
    with pytest.raises(anvl.MissingRule, match=r"stablehlo\.all_reduce at"):
        anvl.jvp(anvl.from_stablehlo(of_two), (x,), (np.ones(3),))
