"""What the Array API standard asks beyond NumPy: inspection, dtypes, keywords, names of `linalg`.

The suite of the standard itself is run by `make array-api`.
"""

import ml_dtypes
import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.numpy import linalg

NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64".split()
KINDS = {
    "bool": {"bool"},
    "signed integer": {"int8", "int16", "int32", "int64"},
    "unsigned integer": {"uint8", "uint16", "uint32", "uint64"},
    "real floating": {"float32", "float64"},
    "complex floating": {"complex64", "complex128"},
}


def test_the_namespace_tells_what_it_can_do():
    info = anp.__array_namespace_info__()
    assert anp.__array_api_version__ == "2025.12"
    assert {"boolean indexing", "data-dependent shapes", "max dimensions"} == set(
        info.capabilities()
    )
    assert info.default_device() in info.devices()
    for kind, names in KINDS.items():
        found = info.dtypes(kind=kind, device=info.default_device())
        assert found == {name: np.dtype(name) for name in names}
    assert info.dtypes(kind=("integral", "bool")).keys() == info.dtypes().keys() - (
        KINDS["real floating"] | KINDS["complex floating"]
    )
    assert info.default_dtypes()["real floating"] == np.float32
    with anvl.defaults(int="i64", float="f64"):
        defaults = info.default_dtypes(device="cpu:0")
        assert (defaults["indexing"], defaults["real floating"]) == (np.int64, np.float64)
    with pytest.raises(ValueError, match=r"isdtype: kind 'real' is not one of .*'bool'"):
        info.dtypes(kind="real")


def test_arrays_and_tracers_name_their_namespace_and_device():
    x = anp.ones(2)
    assert x.__array_namespace__() is x.__array_namespace__(api_version="2024.12") is anp
    with pytest.raises(ValueError, match=r"version '2030.12' of the Array API is not known"):
        x.__array_namespace__(api_version="2030.12")
    assert x.to_device(x.device) is x
    with pytest.raises(ValueError, match="to_device: stream 3"):
        x.to_device(x.device, stream=3)

    def traced(v):
        assert v.__array_namespace__() is anp and v.device is None
        assert v.to_device(v.device) is v
        return anp.zeros_like(v, device=v.device)

    assert anvl.jit(traced)(x).tolist() == [0, 0]
    for f in (lambda v: v.to_device("cpu:0"), lambda v: v + anp.ones(2, device="cpu:0")):
        with pytest.raises(anvl.TraceError, match=r"given inside of a trace.*jit\(f, device"):
            anvl.jit(f)(x)


# -- dtypes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_is_of_its_kind(name):
    of = {kind for kind in KINDS if anp.isdtype(name, kind)}
    assert of == {kind for kind, names in KINDS.items() if name in names}
    assert anp.isdtype(name, "numeric") == (name != "bool")
    assert anp.isdtype(name, "integral") == ("int" in name)
    assert anp.isdtype(name, ("bool", np.dtype(name))) and not anp.isdtype(name, np.complex128)
    for other in NAMES:
        known = np.dtype(name).kind == np.dtype(other).kind
        if known:  # across kinds anvl keeps the dtype of the float
            assert anp.can_cast(name, other) == np.can_cast(name, other)
            assert anp.result_type(name, other) == np.result_type(name, other)


def test_dtypes_that_meet_numbers_and_have_no_common_one():
    x = anp.ones(2, "int8")
    assert anp.result_type(x, 1) == np.int8 and anp.result_type(x, 1.5) == np.float32
    assert anp.result_type(x, np.int16, np.ones(1, "u1")) == np.int16
    assert anp.result_type(1, 2.0) == np.float32
    assert not anp.can_cast("uint64", "int64") and not anp.can_cast(anp.ones(1), "int64")
    assert anp.isdtype(ml_dtypes.bfloat16, "real floating")
    with pytest.raises(TypeError, match="have no common integer dtype"):
        anp.result_type("uint64", "int64")
    with pytest.raises(TypeError, match="result_type: takes at least one"):
        anp.result_type()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "complex128"])
def test_limits_of_floats_are_python_numbers(name):
    of, wanted = anp.finfo(anp.zeros(1, name)), ml_dtypes.finfo(name)
    parts = "eps max min smallest_normal tiny smallest_subnormal resolution".split()
    assert [getattr(of, n) for n in parts] == [float(getattr(wanted, n)) for n in parts]
    assert {type(getattr(of, n)) for n in parts} == {float}
    assert (of.bits, of.dtype) == (wanted.bits, wanted.dtype)
    assert (of.precision, of.nmant, of.maxexp) == (wanted.precision, wanted.nmant, wanted.maxexp)


def test_limits_of_integers_and_of_other_dtypes():
    of = anp.iinfo(np.uint16)
    assert (of.bits, of.max, of.min, of.dtype) == (16, 65535, 0, np.dtype("uint16"))
    with pytest.raises(TypeError, match="finfo: takes floating-point dtypes, got i32"):
        anp.finfo(np.int32)
    with pytest.raises(TypeError, match="iinfo: takes integer dtypes, got bool"):
        anp.iinfo(bool)


# -- keywords --------------------------------------------------------------------------------------


def test_every_function_that_makes_arrays_takes_a_device():
    device, x = anp.__array_namespace_info__().default_device(), anp.ones(2)
    made = [
        anp.arange(2, device=device), anp.asarray([1], device="cpu:0"), anp.empty(2, device=device),
        anp.empty_like(x, device=device), anp.eye(2, device=device), anp.full(2, 3, device=device),
        anp.full_like(x, 3, device=device), anp.linspace(0, 1, 3, device=device),
        anp.ones(2, device=device), anp.ones_like(x, device=device), anp.zeros(2, device=device),
        anp.zeros_like(x, device=device), anp.fft.fftfreq(3, device=device),
        anp.fft.rfftfreq(3, device=device), anp.astype(x, "int32", device=device),
        anp.from_dlpack(x, device=device),
    ]  # fmt: skip
    assert all(y.device is device for y in made)
    with pytest.raises(ValueError, match="zeros: there is no device 'cpu:99'"):
        anp.zeros(2, device="cpu:99")


def test_copies_are_made_on_demand():
    x = anp.ones(2)
    assert anp.asarray(x) is anp.asarray(x, copy=False) is anp.astype(x, "f32", copy=False) is x
    assert anp.asarray(x, copy=True) is not x and anp.reshape(x, (2, 1), copy=False).shape == (2, 1)
    for other, dtype in ((np.ones(2), None), ([1.0], None), (x, "f64")):
        with pytest.raises(
            ValueError, match=r"asarray: copy=False is given, but .* must be copied"
        ):
            anp.asarray(other, dtype, copy=False)


def test_var_and_std_take_a_correction_by_either_name():
    x = np.asarray([1.0, 2, 4, 9])
    for name in ("var", "std"):
        f, wanted = getattr(anp, name), getattr(np, name)(x, ddof=1.5)
        np.testing.assert_allclose(
            [f(x, correction=1.5), f(x, ddof=1.5)], wanted, rtol=rounding(FORMULA)
        )
        np.testing.assert_allclose(f(x), getattr(np, name)(x), rtol=rounding(FORMULA))
        with pytest.raises(TypeError, match=f"{name}: ddof=1 and correction=0 are two names"):
            f(x, ddof=1, correction=0)
        with pytest.raises(TypeError, match=f"{name}: correction is 'n'"):
            f(x, correction="n")


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex64"])
def test_descending_sorts_keep_the_order_of_equal_elements(dtype):
    x = np.asarray([[3, 1, 3, 0, 1], [1, 1, 2, 1, 2]]).astype(dtype)
    order = np.asarray(anp.argsort(x, descending=True))
    np.testing.assert_array_equal(order, np.argsort(-x.astype("complex64"), kind="stable"))
    np.testing.assert_array_equal(anp.sort(x, descending=True), np.take_along_axis(x, order, -1))
    assert anp.sort(anp.asarray([1.0, np.nan, 2.0]), descending=True)[1:].tolist() == [2, 1]


def test_linspace_has_the_digits_and_the_range_of_its_dtype():
    for endpoint in (True, False):
        found = anp.linspace(3e16, 1e300, 5, dtype="float64", endpoint=endpoint)
        np.testing.assert_allclose(
            found, np.linspace(3e16, 1e300, 5, endpoint), rtol=rounding(FORMULA)
        )
    assert anp.linspace(0, 256, 4, dtype="uint8", endpoint=False)[-1].item() == 192
    for stop, endpoint in ((256, True), (400, False)):
        with pytest.raises(OverflowError, match="does not fit ui8"):
            anp.linspace(0, stop, 4, dtype="uint8", endpoint=endpoint)


def test_cumulative_functions_include_the_initial_value():
    x = np.arange(1.0, 7).reshape(2, 3)
    for f, reference, initial in (
        (anp.cumulative_sum, np.cumsum, 0), (anp.cumulative_prod, np.cumprod, 1)
    ):  # fmt: skip
        wanted = np.concatenate([np.full((2, 1), initial), reference(x, 1)], 1)
        np.testing.assert_array_equal(f(x, axis=1, include_initial=True), wanted)
        assert f(x[0], dtype="int64").dtype == np.int64
        with pytest.raises(ValueError, match=r"f64\[2,3\] is not a vector; name the axis"):
            f(x)


def test_an_axis_that_is_not_there_is_numpys_error():
    with pytest.raises(np.exceptions.AxisError, match="sum: axis 2 is out of range of 1 axes"):
        anp.sum(anp.ones(2), axis=2)


INF, NAN = np.inf, np.nan
# The standard's special cases of x // y; where NumPy has NaN or -1, the limit of floor(x / y).
QUOTIENTS = [
    (INF, 2, INF), (INF, -2, -INF), (-INF, 2, -INF), (-INF, -2, INF), (INF, INF, NAN),
    (1, INF, 0.0), (1, -INF, -0.0), (-1, INF, -0.0), (-1, -INF, 0.0), (1, 0.0, INF),
    (1, -0.0, -INF), (-1, 0.0, -INF), (0.0, 2, 0.0), (-0.0, 2, -0.0), (0.0, -2, -0.0),
    (-0.0, -2, 0.0), (0.0, 0.0, NAN), (7, 2, 3), (-7, 2, -4), (-1, -2.5, 0.0), (-6, 3, -2),
    (NAN, 1, NAN),
]  # fmt: skip
REMAINDERS = [
    (0.0, 2, 0.0), (-0.0, 2, 0.0), (0.0, -2, -0.0), (-0.0, -2, -0.0), (4, 2, 0.0), (4, -2, -0.0),
    (-4, 2, 0.0), (-4, -2, -0.0), (1, INF, 1), (1, -INF, -INF), (-1, INF, INF), (-1, -INF, -1),
    (INF, 2, NAN), (1, 0.0, NAN), (7, -2, -1), (-7, 2, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "table"), [(anp.floor_divide, QUOTIENTS), (anp.remainder, REMAINDERS)]
)
def test_divisions_at_zeros_and_infinities_are_the_standards(f, table):
    x, y, wanted = np.asarray(table).T
    for found in map(np.asarray, (f(x, y), anvl.jit(f)(x, y))):
        np.testing.assert_array_equal(found, wanted)
        kept = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[kept], np.signbit(wanted)[kept])


@pytest.mark.parametrize(
    ("x", "y"), [(4.0, 2.0), (4.0, -2.0), (0.0, 3.0), (-0.0, -3.0), (7.0, 2.0)]
)
def test_a_remainder_of_zero_keeps_its_slopes(x, y):
    dx, dy = anvl.grad(anp.remainder, wrt=(0, 1))(np.float64(x), np.float64(y))
    assert (dx.item(), dy.item()) == (1, -(x // y))
    assert anvl.grad(anp.floor_divide)(np.float64(x), np.float64(y)).item() == 0


def test_the_sign_of_either_zero_is_positive_zero():
    found = np.asarray(anp.sign(np.asarray([-0.0, 0.0, -2.0, INF, NAN])))
    np.testing.assert_array_equal(found, [0, 0, -1, 1, NAN])
    assert not np.signbit(found[:2]).any()
    assert anvl.grad(anp.sign)(np.float64(-0.0)).item() == 0


# -- linalg ----------------------------------------------------------------------------------------

A = np.asarray([[[3.0, 1, 2], [0, 4, 1]], [[1, 1, 1], [2, 2, 2]]])


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, INF, -INF])
def test_norms_of_stacks_of_matrices(ord):
    for keepdims in (False, True):
        found = linalg.matrix_norm(A, ord=ord, keepdims=keepdims)
        wanted = np.linalg.norm(A, ord, axis=(-2, -1), keepdims=keepdims)
        np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM), atol=rounding(PROGRAM))


@pytest.mark.parametrize("axis", [None, 1, (0, 2), ()])
@pytest.mark.parametrize("ord", [0, 1, 2, 2.5, INF, -INF])
def test_norms_of_vectors_along_several_axes(axis, ord):
    found = linalg.vector_norm(A, axis=axis, ord=ord, keepdims=True)
    axes = (0, 1, 2) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    moved = np.moveaxis(A, axes, range(-len(axes), 0)) if axes else A[..., None]
    flat = moved.reshape(*moved.shape[: 3 - len(axes)], -1)
    wanted = np.linalg.norm(flat, ord, axis=-1)
    np.testing.assert_allclose(np.squeeze(found), np.squeeze(wanted), rtol=rounding(PROGRAM))
    assert found.shape == tuple(1 if i in axes else n for i, n in enumerate(A.shape))


def test_ranks_and_pseudoinverses_with_a_bound_for_each_matrix():
    bounds = np.asarray([0.7, 1e-6])
    assert linalg.matrix_rank(A).tolist() == [2, 1]
    assert linalg.matrix_rank(A, rtol=bounds).tolist() == [1, 1]
    assert linalg.matrix_rank(A, rtol=0.0).dtype == np.int32
    assert linalg.matrix_rank(np.zeros((2, 0, 3))).tolist() == [0, 0]
    wanted = [np.linalg.pinv(a, rcond=r) for a, r in zip(A, bounds, strict=True)]
    np.testing.assert_allclose(linalg.pinv(A, rtol=bounds), wanted, atol=rounding(FORMULA))
    np.testing.assert_allclose(
        linalg.pinv(A, rtol=0.7), np.linalg.pinv(A, rcond=0.7), atol=rounding(FORMULA)
    )
    with pytest.raises(TypeError, match=r"pinv: rcond=0.1 and rtol=0.1 are the same"):
        linalg.pinv(A, 0.1, rtol=0.1)


def test_names_of_linalg_take_stacks_and_vectors():
    x = np.arange(12).reshape(2, 2, 3)
    np.testing.assert_array_equal(linalg.diagonal(x, offset=1), np.linalg.diagonal(x, offset=1))
    np.testing.assert_array_equal(linalg.trace(x, dtype="float64"), np.linalg.trace(x))
    np.testing.assert_array_equal(linalg.outer(x[0, 0], x[1, 1]), np.outer(x[0, 0], x[1, 1]))
    with pytest.raises(ValueError, match=r"outer: takes two vectors, got i64\[2,3\] and i64\[3\]"):
        linalg.outer(x[0], x[0, 0])
    with pytest.raises(ValueError, match=r"matrix_rank: takes a matrix"):
        linalg.matrix_rank(x[0, 0])


def test_vecdot_contracts_axes_of_one_size():
    x, y = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    np.testing.assert_array_equal(linalg.vecdot(x, y), x @ y)
    with pytest.raises(ValueError, match=r"vecdot: sizes along axis -1 of f64\[2,1\] and f64\[3\]"):
        linalg.vecdot(x[:, :1], y)


def test_factorizations_name_their_parts():
    a = anp.asarray(np.eye(2) + 1.0)
    assert linalg.qr(a)._fields == ("Q", "R") and linalg.svd(a)._fields == ("U", "S", "Vh")
    assert linalg.eigh(a)._fields == linalg.eig(a)._fields == ("eigenvalues", "eigenvectors")
    assert linalg.slogdet(a)._fields == ("sign", "logabsdet")
    np.testing.assert_allclose(linalg.eigh(a).eigenvalues, [1, 3], rtol=rounding(FORMULA))
    assert anvl.jit(linalg.svd)(a).S.shape == (2,)


# -- DLPack ----------------------------------------------------------------------------------------


def _aligned(n):
    raw = np.zeros(n * 4 + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + 4 * n].view("f4")


def test_dlpack_shares_memory_where_its_alignment_allows():
    theirs = _aligned(8)
    assert np.shares_memory(anp.from_dlpack(theirs).numpy(), theirs)
    assert np.shares_memory(anp.from_dlpack(theirs, copy=False).numpy(), theirs)
    assert not np.shares_memory(anp.from_dlpack(theirs, copy=True).numpy(), theirs)
    with pytest.raises(BufferError, match=r"copy=False is given, but f32\[3\] must be copied"):
        anp.from_dlpack(theirs[1:4], copy=False)
    ours = anp.ones(2)
    assert anp.from_dlpack(ours) is ours and anp.from_dlpack(ours, copy=True) is not ours
    np.testing.assert_array_equal(np.from_dlpack(ours), [1, 1])
    assert anvl.jit(anp.from_dlpack)(ours).tolist() == [1, 1]


class Foreign:
    """An array of another library: known by DLPack alone, in the version that it has."""

    def __init__(self, x, knows_versions):
        self.x, self.knows_versions = x, knows_versions

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, **options):
        if options and not self.knows_versions:
            raise TypeError("unexpected keyword")
        return self.x.__dlpack__(**options)


@pytest.mark.parametrize("knows_versions", [False, True])
@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "float16"])
def test_dlpack_reads_dtypes_that_numpy_lacks(dtype, knows_versions):
    theirs = anp.asarray([[1, -2, 0.5], [0, 4, 3]]).astype(dtype)
    ours = anp.from_dlpack(Foreign(theirs, knows_versions))
    assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()
    assert np.asarray(theirs).tolist() == theirs.tolist()  # which still has its dtype


def test_a_traced_array_is_not_exported_by_dlpack():
    with pytest.raises(
        anvl.TraceError, match=r"DLPack.* needs the value of an array, but it is traced"
    ):
        anvl.jit(lambda x: x.__dlpack__())(anp.ones(2))


class Elsewhere:
    """An array on another device, which cannot be read."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **_):
        raise BufferError("not exported")


def test_dlpack_refuses_what_it_cannot_read():
    with pytest.raises(TypeError, match="takes an object with __dlpack__, got list"):
        anp.from_dlpack([1])
    with pytest.raises(BufferError, match="cannot read a Elsewhere: not exported"):
        anp.from_dlpack(Elsewhere())
    with pytest.raises(BufferError, match=r"copy=False is given, but x is on .* \(2, 0\)"):
        anp.from_dlpack(Elsewhere(), copy=False)
