"""Products agree with NumPy: matrices, contractions, einsum."""

import re

import numpy as np
import pytest
from agreement import agrees, values
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import ITERATION, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp

# fmt: off
SHAPES = {
    "matmul": [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((5, 2, 3), (3, 4)),
               ((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (6, 3, 4)), ((3,), (5, 3, 4)),
               ((5, 2, 3), (3,)),
               ((2, 0), (0, 3)), ((0, 2), (2, 3)), ((0, 2, 3), (3, 1))],
    "dot": [((), ()), ((3,), ()), ((3,), (3,)), ((2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
        ((2, 0), (0,))],
    "inner": [((3,), ()), ((3,), (3,)), ((2, 3), (4, 3)), ((2, 3), (5, 4, 3))],
    "outer": [((3,), (4,)), ((), (2,)), ((2, 2), (3,)), ((0,), (2,))],
    "kron": [((2,), (3,)), ((2, 3), (3, 2)), ((2,), (2, 2)), ((), (2,)), ((2, 2, 1), (2, 2))],
    "vdot": [((3,), (3,)), ((2, 3), (3, 2)), ((), ())],
    "vecdot": [((3,), (3,)), ((2, 3), (3,)), ((4, 1, 3), (2, 3))],
    "cross": [((3,), (3,)), ((2, 3), (3,)), ((4, 1, 3), (2, 3))],
}
# fmt: on


@pytest.mark.parametrize("name", SHAPES)
def test_a_product_agrees_with_numpy(name):
    dtypes = ["f4", "i4"] if name == "cross" else ["f4", "c16", "i4"]
    calls = [
        (values(d, first), values(d, second)) for d in dtypes for first, second in SHAPES[name]
    ]
    agrees(getattr(anp, name), getattr(np, name), calls)


STACKS = [(), (1,), (3,), (0,), (2, 1), (1, 3), (4, 2, 3), (4, 1, 3), (1, 2, 1)]


def is_broadcast(x, y):
    return all(1 in (i, j) or i == j for i, j in zip(x[::-1], y[::-1], strict=False))


@pytest.mark.parametrize("x", STACKS)
def test_products_of_stacks_of_all_shapes(x):
    draw = np.random.default_rng(0)
    a = draw.normal(size=(*x, 2, 5))
    for y in [y for y in STACKS if is_broadcast(x, y)]:
        b = draw.normal(size=(*y, 5, 3))
        agrees(anp.matmul, np.matmul, [(a, b)])
        c = np.cos(a @ b)
        slopes = anvl.grad(lambda a, b: anp.sum(anp.sin(a @ b)), argnums=(0, 1))(a, b)
        of_each = c @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ c
        for found, wanted in zip(slopes, of_each, strict=True):
            while wanted.ndim > found.ndim:
                wanted = wanted.sum(0)
            repeated = [i for i, size in enumerate(found.shape) if wanted.shape[i] != size]
            assert_close(found, wanted.sum(tuple(repeated), keepdims=True), PROGRAM)


@pytest.mark.parametrize("stack", [(7,), (1, 7), (3, 7)])
def test_one_matrix_is_not_repeated_for_a_stack(stack):
    """Nor is its derivative one for each matrix of the stack, whose sum would follow."""
    a, x = np.ones((8, 9), "f"), np.ones((*stack, 9, 2), "f")
    slopes = anvl.jit(anvl.grad(lambda a, x: anp.sum(anp.sin(a @ x)), argnums=(0, 1)))
    text = str(slopes.lower(a, x).mlir())
    products = re.findall(r"stablehlo\.dot_general .*-> tensor<([\dx]+)xf32>", text)
    sizes = [np.prod([int(n) for n in shape.split("x")]) for shape in products]
    n = np.prod(stack)
    assert sorted(sizes) == [8 * 9, n * 8 * 2, n * 9 * 2]


@pytest.mark.parametrize("dtype", ["f2", "i1", "u1", "?"])
def test_a_matrix_product_keeps_the_dtype(dtype):
    x = values(dtype, (2, 3))
    agrees(anp.matmul, np.matmul, [(x, x.T.copy())])


@pytest.mark.parametrize(
    ("first", "second", "axes"),
    [
        ((2, 3), (3, 4), 1), ((2, 3), (2, 3), 2), ((2,), (3,), 0),
        ((2, 3, 4), (4, 3, 5), ([1, 2], [1, 0])),
        ((2, 3), (4, 3), (1, 1)), ((2, 3), (3, 2), ((0, -1), (1, 0))),
    ],
)  # fmt: skip
def test_tensordot(first, second, axes):
    agrees(
        lambda x, y: anp.tensordot(x, y, axes),
        lambda x, y: np.tensordot(x, y, axes),
        [(values("f8", first), values("f8", second))],
    )


@pytest.mark.parametrize("axis", [0, 1, -2])
def test_cross_and_vecdot_along_another_axis(axis):
    x, y = values("f8", (3, 3, 2)), values("f8", (3, 3, 2))[::-1].copy()
    agrees(lambda x, y: anp.cross(x, y, axis), lambda x, y: np.cross(x, y, axis=axis), [(x, y)])
    agrees(lambda x, y: anp.vecdot(x, y, axis), lambda x, y: np.vecdot(x, y, axis=axis), [(x, y)])


EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ij->ji", (2, 3)), ("ij", (2, 3)),
    ("ba", (2, 3)),
    ("ii->i", (3, 3)), ("ii", (3, 3)), ("ii->", (3, 3)), ("iij->j", (3, 3, 2)),
    ("iii->i", (2, 2, 2)),
    ("ijkk->jik", (2, 3, 2, 2)), ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)), ("i,j->ij", (2,), (3,)),
    ("i,i", (3,), (3,)),
    ("i,i->i", (3,), (3,)), (",->", (), ()), ("ij,j,i->", (2, 3), (3,), (2,)),
    ("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5)),
    ("...ij,...jk->...ik", (5, 1, 2, 3), (6, 3, 4)), ("...i->...", (2, 3)), ("i...->...", (2, 3)),
    ("...ii->...i", (4, 3, 3)),
    ("ij,ij->i", (2, 3), (2, 3)), ("ij,kj->k", (2, 3), (4, 3)), (" i j , j -> i ", (2, 3), (3,)),
    ("ij,ij", (1, 3), (2, 3)),
    ("abc,cd,def,fa->be", (2, 3, 4), (4, 5), (5, 6, 2), (2, 2)), ("...,...", (2, 3), (3,)),
    ("ij,jk->ki", (2, 0), (0, 3)),
    ("ab,cd->", (2, 3), (4, 5)),
]  # fmt: skip


@pytest.mark.parametrize(("subscripts", "shapes"), [(s, x) for s, *x in EINSUMS])
def test_einsum_agrees_with_numpy(subscripts, shapes):
    operands = tuple(values("f8", shape) for shape in shapes)
    found = anp.einsum(subscripts, *operands)
    expected = np.einsum(subscripts, *operands)
    np.testing.assert_allclose(
        np.asarray(found), expected, rtol=rounding(PROGRAM), atol=rounding(PROGRAM)
    )


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_any_einsum_agrees_with_numpy(data):
    sizes = {c: data.draw(st.integers(1, 3), label=c) for c in "abcd"}
    letters = st.lists(st.sampled_from("abcd"), min_size=0, max_size=3).map("".join)
    inputs = data.draw(st.lists(letters, min_size=1, max_size=3))
    output = data.draw(st.permutations(sorted(set("".join(inputs)))))
    output = "".join(output[: data.draw(st.integers(0, len(output)))])
    subscripts = ",".join(inputs) + "->" + output
    operands = [values("f8", tuple(sizes[c] for c in term)) for term in inputs]
    found = anp.einsum(subscripts, *operands)
    np.testing.assert_allclose(
        np.asarray(found), np.einsum(subscripts, *operands), atol=rounding(ITERATION)
    )


def test_einsum_of_chains_starts_with_the_cheapest_pair():
    shapes = [anvl.aval("f32", s) for s in [(2, 100), (100, 100), (100, 1)]]
    graph = anvl.trace(lambda *xs: anp.einsum("ab,bc,cd->ad", *xs), *shapes)
    dots = [call for call in graph.calls if call.primitive == "dot_general"]
    assert [call.avals[0].shape for call in dots] == [(100, 1), (2, 1)]


@pytest.mark.parametrize(
    ("subscripts", "message"),
    [
        ("ij,jk->ik", "names 2 operands, got 1"),
        ("ijk->i", "'ijk' of 'ijk->i' names 3 axes of"),
        ("ij->k", "must name letters of the operands, each once"),
        ("ij->ii", "must name letters of the operands, each once"),
        ("i1->i", "'1' in 'i1->i' is not a letter"),
        ("ii->i", r"'i' of 'ii->i' is 2 and 3 in f64\[2,3\]"),
        ("ijk...->i", "names more axes than"),
    ],
)
def test_subscripts_that_do_not_fit_are_refused(subscripts, message):
    with pytest.raises(ValueError, match=message):
        anp.einsum(subscripts, np.ones((2, 3)))


def test_the_gradient_of_einsum_is_that_of_the_product():
    x, y = values("f8", (2, 3)), values("f8", (3, 4))
    by_einsum = anvl.grad(lambda x: anp.sum(anp.sin(anp.einsum("ij,jk->ik", x, y))))(x)
    by_matmul = anvl.grad(lambda x: anp.sum(anp.sin(x @ y)))(x)
    np.testing.assert_allclose(np.asarray(by_einsum), np.asarray(by_matmul), rtol=rounding(PROGRAM))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x: anp.matmul(x, x),
            r"matmul: f32\[2,3\] @ f32\[2,3\]: inner sizes 3 and 2 differ",
        ),
        (
            lambda x: anp.matmul(np.ones((2, 2, 3)), np.ones((3, 3, 1))),
            "matmul: shapes .*broadcast",
        ),
        (lambda x: anp.dot(x, x), "dot: sizes of axes"),
        (lambda x: anp.inner(x, x[:, :2]), "inner: sizes of axes"),
        (lambda x: anp.vdot(x, x[0]), "vdot: .* differ in size"),
        (lambda x: anp.tensordot(x, x, ([0], [1])), "tensordot: sizes of axes"),
        (lambda x: anp.vecdot(x, x[:, :2]), "vecdot: sizes along axis"),
        (lambda x: anp.linalg.multi_dot([x, x]), "matmul: .* inner sizes"),
        (lambda x: anp.matmul(x, 2.0), "matmul: takes vectors and matrices"),
        (lambda x: anp.cross(x[:, :2], x[:, :2]), "cross: takes vectors of length 3"),
    ],
)
def test_sizes_that_do_not_fit_are_a_value_error_as_in_numpy(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((2, 3), "f4"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: anp.einsum(x, x), "einsum: .*subscripts"),
    ],
)
def test_operands_of_another_kind_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call(np.ones((2, 3), "f4"))


def test_the_precision_of_a_product_can_be_asked_for():
    x = np.ones((2, 2), "f4")
    text = anvl.trace(lambda x: anp.matmul(x, x, precision="HIGHEST"), x).mlir()
    assert "HIGHEST" in text
    with pytest.raises(ValueError, match="precision 'BEST' is not one of DEFAULT, HIGH, HIGHEST"):
        anp.matmul(x, x, precision="BEST")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("highest", "HIGHEST"), ("float32", "HIGHEST"), ("HIGH", "HIGH"), ("tensorfloat32", "HIGH"),
        ("default", "DEFAULT"), ("bfloat16", "DEFAULT"), (None, "DEFAULT"),
    ],
)  # fmt: skip
def test_precisions_have_the_names_of_jax_too(name, meant):
    x = anp.ones((2, 2))
    text = anvl.trace(lambda x: anp.matmul(x, x, precision=name), x).mlir()
    found = set(re.findall(r"#stablehlo<precision (\w+)>", text))  # the default is not written
    assert found == {meant} - {"DEFAULT"}


def test_products_that_are_given_no_precision_have_that_of_the_setting():
    x, k = anp.ones((2, 2)), anp.ones((1, 1, 2, 2))

    @anvl.jit
    def f(x):
        y = anp.einsum("ij,jk->ik", x @ x, x) + anp.matmul(x, x, precision="HIGH")
        return anp.sum(y) + anp.sum(anvl.nn.conv(x[None, None], k))

    with anvl.config(matmul_precision="float32"):
        text = anvl.jit(anvl.grad(f)).lower(x).mlir()
        f(x)
        assert anvl.config.matmul_precision == "HIGHEST"
    f(x)
    ops = ("= stablehlo.dot_general", "= stablehlo.convolution")
    products = [line for line in text.splitlines() if any(op in line for op in ops)]
    highest = [line for line in products if line.count("HIGHEST") == 2]
    high = [line for line in products if "[HIGH, HIGH]" in line]
    assert len(products) == len(highest) + len(high) and len(high) >= 2
    assert any("convolution" in line for line in highest)
    with anvl.expect_compiles(0), anvl.config(matmul_precision="HIGHEST"):
        f(x)  # the programs of both values are kept
    for bad, error in [("exact", ValueError), (3, TypeError)]:
        message = f"matmul_precision: must be 'DEFAULT', 'HIGH' or 'HIGHEST', got {bad!r}"
        with pytest.raises(error, match=message):
            anvl.config.matmul_precision = bad
