"""Calls in the form of NumPy and JAX: names, order and number of parameters."""

import inspect

import numpy
import pytest
from tolerances import FORMULA, assert_close, rounding

import anvl
import anvl.numpy as np
import anvl.numpy.linalg
from anvl import lax, tree
from anvl.call_spellings.translation import WITHOUT_EFFECT, accepts, spelled
from anvl.scipy import linalg, special

X = numpy.array([[4.0, 1.0, 3.0], [2.0, 7.0, 5.0]])
S = numpy.array([[2.0, 1.0], [5.0, 3.0]])
PLACES = numpy.array([[0, 2, 1], [1, 0, -1]])
NAN = numpy.where(X > 6, numpy.nan, X)
FLAGS = X > 2


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.sum(a=X, axis=0),
        lambda m: m.sum(X, 0, None, None, True),
        lambda m: m.max(X, 1, None, True),
        lambda m: m.mean(X, 0, "float32", None, True),
        lambda m: m.var(X, 0, None, None, 1, True),
        lambda m: m.var(X, axis=0, mean=X.mean(0, keepdims=True)),
        lambda m: m.std(X, axis=1, mean=X.mean(1, keepdims=True), ddof=1, where=FLAGS),
        lambda m: m.nanstd(NAN, axis=1, mean=numpy.nanmean(NAN, 1, keepdims=True)),
        lambda m: m.nanvar(NAN, axis=0, mean=numpy.zeros(3)),
        lambda m: m.nansum(NAN, 0, "float32"),
        lambda m: m.nanprod(NAN, axis=1, dtype="float32", where=FLAGS),
        lambda m: m.nanmean(NAN, 1, "float32", None, True),
        lambda m: m.nanmean(NAN, axis=1, where=FLAGS),
        lambda m: m.nanmean(PLACES, 1, "float64", where=FLAGS),
        lambda m: m.average(X, axis=0, returned=True)[1],
        lambda m: m.average(X, 1, numpy.array([1.0, 2.0, 3.0]), True)[1],
        lambda m: m.average(X, weights=X, returned=True)[0],
        lambda m: m.median(a=X.copy(), axis=1, overwrite_input=True),
        lambda m: m.sort(X, 1, "stable"),
        lambda m: m.argsort(X, kind="stable"),
        lambda m: m.stack([X, X], 0, dtype="float32"),
        lambda m: m.concatenate([X, PLACES], axis=0, dtype="float32"),
        lambda m: m.vstack(tup=[X, PLACES]),
        lambda m: m.hstack([X, PLACES], dtype="float32"),
        lambda m: m.linspace(0.0, 1.0, 5, False, True, "float64", 0)[1],
        lambda m: m.linspace(X[0], X[1], num=4, axis=1, dtype="float64"),
        lambda m: m.logspace(X[0], X[1], num=4, axis=-1),
        lambda m: m.meshgrid(X[0], X[1], X[0], sparse=True)[1],
        lambda m: m.meshgrid(X[0], X[1], sparse=True, indexing="ij")[0],
        lambda m: m.reshape(X, (3, 2), "F"),
        lambda m: m.reshape(X, (-1, 2), order="F"),
        lambda m: m.reshape(X, 6, order="F"),
        lambda m: m.ravel(X, "F"),
        lambda m: m.ravel(X, order="C"),
        lambda m: m.array(X, ndmin=4),
        lambda m: m.array(object=[[1.5, 2.5]], dtype="float64", ndmin=1),
        lambda m: m.asarray(X, "float32", "C"),
        lambda m: m.zeros((2,), "float32", "C"),
        lambda m: m.full(2, 0.5, "float32", order="C", device=None),
        lambda m: m.eye(2, dtype="float32", order="C"),
        lambda m: m.concatenate([[0], X[0], [1, 2.5]]),
        lambda m: m.stack([[1, 2], [3, 4]], 1),
        lambda m: m.column_stack([X[0], [1, 2, 3]]),
        lambda m: m.concatenate([[], X[0]]),
        lambda m: m.hstack(([1], [2]), dtype="float32"),
        lambda m: m.meshgrid([1, 2], [3, 4, 5])[1],
        lambda m: m.zeros_like(X, "int32", shape=(2, 2)),
        lambda m: m.ones_like(a=X, shape=3),
        lambda m: m.full_like(X, 7, shape=(1, 2)),
        lambda m: m.where(FLAGS)[1],
        lambda m: m.atleast_2d(X[0], X)[0],
        lambda m: m.take(X, numpy.array([5, -7, 1]), mode="clip"),
        lambda m: m.take(X, numpy.array([[5, -7], [1, 0]]), axis=1, mode="wrap"),
        lambda m: m.take_along_axis(arr=X, indices=PLACES, axis=1),
        lambda m: m.cross(X, X[::-1], 1, 1, 0),
        lambda m: m.cross(X.T, X[::-1].T, axisa=0, axisb=0),
        lambda m: m.clip(X, a_min=2, a_max=5),
        lambda m: m.cov(X, dtype="float32"),
        lambda m: m.corrcoef(X, dtype="float64"),
        lambda m: m.angle(X - 3j, True),
        lambda m: m.nan_to_num(NAN, True, 5.0),
        lambda m: m.transpose(a=X),
        lambda m: m.tile(A=X, reps=2),
        lambda m: m.isin(element=X, test_elements=X[0], assume_unique=True),
        lambda m: m.outer(a=X[0], b=X[1]),
        lambda m: m.linalg.eigvalsh(S, "U"),
        lambda m: m.linalg.eigvalsh(S, UPLO="L"),
        lambda m: m.linalg.svd(S, hermitian=False, compute_uv=False),
        lambda m: m.fft.fft(a=X, n=2),
        lambda m: m.can_cast("float64", "float32", "same_kind"),
        lambda m: m.can_cast("float64", "int32", casting="same_kind"),
        lambda m: m.can_cast("int32", "int32", casting="equiv"),
        lambda m: m.can_cast("float64", "int8", casting="unsafe"),
    ],
)
def test_calls_in_the_form_of_numpy(call):
    found, wanted = call(np), call(numpy)
    assert (
        numpy.asarray(found).dtype == numpy.asarray(wanted).dtype
        or numpy.ndim(wanted) == 0
        or (numpy.asarray(wanted).dtype.kind in "i")
    )
    dtype = numpy.result_type(numpy.asarray(found).dtype, "float32")
    numpy.testing.assert_allclose(
        found, wanted, rtol=rounding(FORMULA, dtype), atol=rounding(FORMULA, dtype)
    )


def test_the_whole_form_works_on_tracers():
    def f(x):
        return np.sum(np.reshape(a=x, shape=(3, 2), order="F"), 0, None, None, True)

    numpy.testing.assert_array_equal(
        anvl.jit(f)(X), X.reshape(3, 2, order="F").sum(0, keepdims=True)
    )
    slope = anvl.grad(lambda x: np.take(x, numpy.array([0, 5, 9]), mode="clip").sum())(X)
    numpy.testing.assert_array_equal(slope, [[1, 0, 0], [0, 0, 2]])


# -- what NumPy takes is taken -----------------------------------------------------------------


#: Functions of NumPy that are its own here, or that write into their arguments there.
OTHERS = set("info place put putmask shares_memory may_share_memory min_scalar_type".split())


def numpy_functions():
    for name in sorted(set(np.__all__) & set(dir(numpy)) - OTHERS):
        theirs, ours = getattr(numpy, name), getattr(np, name)
        if inspect.isclass(theirs) or isinstance(theirs, numpy.ufunc) or not callable(theirs):
            continue
        try:
            yield name, ours, inspect.signature(theirs).parameters.values()
        except ValueError:  # of code in C
            continue


def test_the_required_parameters_of_numpy_have_their_names():
    refused = []
    for name, ours, parameters in numpy_functions():
        named = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        needed = {p.name: None for p in named if p.default is p.empty}
        if any(p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY) for p in parameters):
            continue
        if not accepts(ours, (), needed):
            refused.append(f"{name}: {', '.join(needed)}")
    assert refused == []


# -- what makes no difference, and what cannot be ----------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: np.sum(X, out=X),
            r"(?s)sum: out is array.*can be None only; arrays are immutable",
        ),
        (lambda: np.sum(X, promote_integers=False), "promote_integers is False.*convert with"),
        (lambda: np.median(X, 0, X), "median: out is"),
        (lambda: np.stack([X], 0, X), "stack: out is"),
        (lambda: np.take(X, 0, 0, X), "take: out is"),
        (lambda: np.sum(a=X, x=X), "sum.*'?x'?"),
        (lambda: np.sum(X, axi=0), "sum: there is no keyword 'axi'; did you mean 'axis'"),
        (lambda: anvl.grad(fun=X, holomorphic=True), "holomorphic is True.*derivatives are"),
        (lambda: anvl.device_put(X, donate=True), "device_put: donate is True"),
        (lambda: np.nan_to_num(X, 0.0), "copy is 0.0; it must be True or False"),
        (lambda: lax.reshape(X, (6,), (1, 0)), "dimensions is .*transpose the operand"),
    ],
)
def test_calls_that_mean_something_else_are_refused(call, message):
    with pytest.raises(TypeError, match=message) as caught:
        call()
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: np.take(X, PLACES, mode="x"), "take: mode is 'x'"),
        (lambda: np.reshape(X, 6, order="Z"), "reshape: order is 'Z'"),
        (lambda: np.linalg.eigh(S, UPLO="X"), "eigh: UPLO is 'X'"),
        (lambda: np.can_cast("f4", "f8", casting="x"), "can_cast: casting is 'x'"),
        (lambda: np.dot(X, X.T, precision="most"), "dot: precision is 'most'"),
        (lambda: lax.sort((X, S), num_keys=1), "sort: the shapes of .* differ"),
        (lambda: lax.sort((X, X), num_keys=3), "sort: num_keys is 3; it must be from 1 to 2"),
        (lambda: lax.sort(X, num_keys=2), "sort: num_keys is 2 for one array"),
    ],
)
def test_options_that_do_not_exist_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_every_value_without_effect_says_why_others_have_none():
    for name, (values, why) in WITHOUT_EFFECT.items():
        assert values and (why or values[-1] not in (None, False)), name


@spelled("first second:b third order", longer=lambda a, extra: ("longer", a, extra))
def sample(a, b=1, *, c=2):
    return a, b, c


def test_a_form_maps_names_and_positions():
    assert sample(first=0, second=5) == (0, 5, 2)
    assert sample(0, extra=3) == ("longer", 0, 3)
    assert sample(0, second=4, order="C") == (0, 4, 2)
    assert accepts(sample, (0,), {"order": None}) and not accepts(sample, (0,), {"third": 1})
    with pytest.raises(TypeError, match="third"):
        sample(0, third=1)
    with pytest.raises(TypeError, match=r"multiple values|first"):
        sample(0, first=1)


# -- JAX's own ---------------------------------------------------------------------------------


def test_products_with_precision_and_the_type_of_the_sums():
    a, b = np.ones((2, 3), "bf16") * 300, np.ones((3, 2), "bf16")
    for product in (
        np.matmul(a, b, preferred_element_type="f32", precision="highest"),
        np.dot(a=a, b=b, preferred_element_type="f32"),
        np.tensordot(a, b, 1, preferred_element_type="f32"),
        np.einsum("ij,jk->ik", a, b, preferred_element_type="f32"),
        lax.dot(a, b, preferred_element_type="f32"),
        lax.dot_general(a, b, (((1,), (0,)), ((), ())), None, "f32"),
    ):
        assert product.dtype == numpy.float32
        numpy.testing.assert_array_equal(product, numpy.full((2, 2), 900.0))
    small = numpy.full((2, 2), 100, numpy.int8)
    assert lax.dot(small, small, preferred_element_type="i32")[0, 0] == 20000
    assert np.vdot(X, X, precision=("high", "high")).dtype == numpy.float64


def test_the_precision_of_a_call_is_that_of_its_op():
    x, image = np.ones((2, 2)), np.ones((1, 1, 2, 2))
    rows = (((1,), (0,)), ((), ()))
    products = (
        np.dot, np.inner, np.matmul, np.vdot, np.tensordot, lax.dot,
        lambda x, y, **more: np.einsum("ij,jk", x, y, **more),
        lambda x, y, **more: np.linalg.multi_dot([x, y], **more),
        lambda x, y, **more: lax.dot_general(x, y, rows, **more),
        lambda x, y, **more: lax.conv(image * x, image * y, (1, 1), "SAME", **more),
    )  # fmt: skip

    def f(x):
        each = [product(x, x + i, precision="highest") for i, product in enumerate(products)]
        return sum(map(np.sum, each))

    lines = anvl.jit(anvl.value_and_grad(f)).lower(x).mlir("stablehlo").splitlines()
    ops = ("= stablehlo.dot_general", "= stablehlo.convolution")
    found = [line for line in lines if any(op in line for op in ops)]
    assert [line.count("HIGHEST") for line in found] == [2] * len(found)
    assert len(found) > 2 * len(products)
    with anvl.config(matmul_precision="high"):
        text = anvl.jit(lambda x: lax.dot_general(x, x, rows)).lower(x).mlir()
    assert "precision = [HIGH, HIGH]" in text


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [(anvl, "jitt", "jit"), (np, "sinn", "sin"), (anvl.nn, "sofmax", "softmax"),
     (lax, "scna", "scan"), (linalg, "cholesk", "cholesky"), (anvl.scipy, "stat", "stats")],
)  # fmt: skip
def test_a_misspelt_name_is_met_with_the_nearest(module, name, near):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'; did you mean '{near}'"):
        getattr(module, name)


def test_the_module_random_of_numpy_is_answered_with_keys():
    with pytest.raises(
        AttributeError, match=r"no attribute 'random'; .*anvl\.random\.normal\(anvl"
    ):
        np.random  # noqa: B018


def test_cholesky_reads_the_triangle_that_is_named():
    a = numpy.asarray([[4.0, 0.5], [2.0, 5.0]])
    wanted = numpy.linalg.cholesky(a, upper=True)
    found = np.linalg.cholesky(a, upper=True, symmetrize_input=False)
    for factor in (found, linalg.cholesky(a), linalg.cho_factor(a)[0]):
        assert_close(factor, wanted, FORMULA)
    slope = anvl.grad(lambda a: np.sum(linalg.cholesky(a)))(a)
    assert float(slope[0, 1]) != 0 and float(slope[1, 0]) == 0


def test_loops_and_branches_of_jax():
    assert float(lax.fori_loop(0, 3, lambda i, x: x * 2, init_val=1.0)) == 8.0
    assert float(lax.while_loop(lambda x: x < 5, lambda x: x * 2, init_val=1.0)) == 8.0
    assert float(lax.cond(True, lambda x: x, lambda x: -x, operand=3.0)) == 3.0
    assert float(lax.switch(1, [lambda x: x, lambda x: -x], operand=3.0)) == -3.0
    for axis in (0, 1, -1):
        numpy.testing.assert_array_equal(lax.associative_scan(np.add, X, axis=axis), X.cumsum(axis))


def test_sort_of_several_arrays():
    keys, second, values = numpy.array([2, 1, 2, 1]), numpy.array([3.0, 9.0, 1.0, 4.0]), X[0, 0]
    values = numpy.arange(4.0)
    order = numpy.lexsort((second, keys))
    found = lax.sort((keys, second, values), num_keys=2)
    for ours, theirs in zip(found, (keys, second, values), strict=True):
        numpy.testing.assert_array_equal(ours, theirs[order])
    one = lax.sort([keys, values], dimension=0)
    numpy.testing.assert_array_equal(one[1], values[numpy.argsort(keys, kind="stable")])
    slope = anvl.grad(lambda v: (lax.sort((keys, v))[1] * np.arange(4.0)).sum())(values)
    numpy.testing.assert_array_equal(slope, [2.0, 0.0, 3.0, 1.0])


def test_filling_what_is_not_there():
    found = np.take(X, numpy.array([1, 9, -1, -9]), mode="fill", fill_value=-2.0)
    numpy.testing.assert_array_equal(found, [1.0, -2.0, 5.0, -2.0])
    rows = np.take(X, numpy.array([0, 2]), axis=0, mode="fill")
    numpy.testing.assert_array_equal(rows, [X[0], [numpy.nan] * 3])
    along = np.take_along_axis(PLACES, numpy.array([[7], [0]]), 1, fill_value=9)
    numpy.testing.assert_array_equal(along, [[9], [1]])


def test_transformations_and_trees_of_jax():
    assert float(anvl.grad(fun=lambda x: x * x, argnums=0)(3.0)) == 6.0
    assert float(anvl.value_and_grad(fun=lambda x: x * x)(3.0)[1]) == 6.0
    numpy.testing.assert_array_equal(anvl.vmap(fun=lambda x: 2 * x)(X[0]), 2 * X[0])
    is_list = lambda x: isinstance(x, list)  # noqa: E731
    assert tree.flatten_with_path({"a": [1]}, is_list)[0] == [("['a']", [1])]
    assert tree.map_with_path(lambda p, x: len(x), {"a": [1, 2]}, is_leaf=is_list) == {"a": 2}
    assert tree.all_leaves([[1]], is_list) and not tree.all_leaves([[1]])


def test_other_namespaces():
    numpy.testing.assert_allclose(special.erf(x=0.5), special.erf(0.5))
    numpy.testing.assert_allclose(special.kl_div(p=0.5, q=0.25), special.kl_div(0.5, 0.25))
    numpy.testing.assert_allclose(
        linalg.solve_sylvester(A=S, B=S, C=S), linalg.solve_sylvester(S, S, S)
    )
    assert int(np.gcd(x1=6, x2=4)) == 2
    x = np.arange(6)
    numpy.testing.assert_array_equal(x.reshape(2, 3, order="F"), [[0, 2, 4], [1, 3, 5]])
    assert x.reshape(2, 3).ravel(order="C").shape == (6,)
