"""Functions that make arrays agree with NumPy, and refuse what is no array of numbers."""

import numpy as np
import pytest
from agreement import values
from tolerances import FORMULA, rounding

import anvl
import anvl.numpy as anp

# fmt: off
CALLS = [
    ("zeros", (3,)), ("zeros", ((2, 3), "int32")), ("zeros", ([2, 0],)), ("zeros", ((), bool)),
    ("ones", (2,)), ("ones", ((2, 2), "c8")), ("empty", ((0, 3),)),
    ("full", (2, 7)), ("full", ((2, 1), 1.5)), ("full", ((2,), 1.5, "int32")),
    ("full", ((2,), 3, "f8")), ("full", ((), True)),
    ("full", ((2, 3), np.arange(3.0))), ("full", ((2,), 1j)), ("full", ((2,), -1, "c16")),
    ("arange", (5,)), ("arange", (2, 5)), ("arange", (5, 0, -2)), ("arange", (0, 1, 0.25)),
    ("arange", (5, 0, -1, "u1")),
    ("arange", (3, 0)), ("arange", (1.5,)), ("arange", (np.int64(4),)),
    ("arange", (0, 3, 1, "f8")), ("arange", (-3, 3, 2, "i1")),
    ("linspace", (0, 1)), ("linspace", (0, 1, 5)), ("linspace", (1, -1, 4)),
    ("linspace", (0, 1, 1)), ("linspace", (0, 1, 0)),
    ("linspace", (0.0, 1.0, 4, False)), ("linspace", (-2, 3, 7, True)),
    ("logspace", (0, 3, 4)),
    ("eye", (3,)), ("eye", (2, 3)), ("eye", (3, 2, 1)), ("eye", (3, 3, -1, "int32")),
    ("eye", (0,)), ("eye", (3, None, 9)),
    ("identity", (2, "?")), ("tri", (3,)), ("tri", (2, 4, 1)), ("tri", (3, 3, -1, "int32")),
    ("zeros_like", (values("int32", (2, 3)),)), ("ones_like", (values("f8", (2,)),)),
    ("ones_like", (values("f8", (2,)), "?")),
    ("full_like", (values("f4", (2,)), 3)), ("full_like", (values("int32", (2,)), 2.5)),
    ("full_like", (values("int32", (2,)), 2.5, "f4")),
    ("empty_like", (values("int32", (0,)),)),
]
# fmt: on
NARROW = {"float64": "float32", "int64": "int32", "complex128": "complex64"}


@pytest.mark.sweep(keep=25)
@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=lambda x: str(x)[:30])
def test_what_is_made_is_what_numpy_makes(name, arguments):
    expected = getattr(np, name)(*arguments)
    f = getattr(anp, name)
    found, traced = f(*arguments), anvl.jit(lambda: f(*arguments))()
    is_wide = any(
        np.dtype(a).itemsize >= 8 if isinstance(a, str) else getattr(a, "ndim", 0)
        for a in arguments
    )
    wanted = (
        expected.dtype.name if is_wide else NARROW.get(expected.dtype.name, expected.dtype.name)
    )
    assert found.dtype.name == wanted
    for made in (found, traced):
        assert made.shape == expected.shape
        if not name.startswith("empty"):
            np.testing.assert_allclose(np.asarray(made), expected, rtol=1e-6, atol=1e-6)


def test_both_ends_of_a_linspace_are_exact():
    for n in (2, 3, 7, 50):
        made = anp.linspace(0.1, 0.7, n)
        assert made[0].item() == np.float32(0.1)
        assert made[-1].item() == np.float32(0.7)


def test_linspace_keeps_float64_and_takes_arrays():
    assert anp.linspace(np.float64(0), 1, 3).dtype == np.float64
    ends = np.asarray([0.0, 1.0]), np.asarray([1.0, 3.0])
    np.testing.assert_allclose(np.asarray(anp.linspace(*ends, 5)), np.linspace(*ends, 5))
    assert anp.linspace(0, 10, 3, dtype="int32").tolist() == [0, 5, 10]
    assert (
        anp.linspace(-1, 1, 4, dtype="int32").tolist()
        == np.linspace(-1, 1, 4, dtype="int32").tolist()
    )


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_meshgrid(indexing, count):
    xs = [np.arange(n + 2) for n in range(count)]
    found = anp.meshgrid(*xs, indexing=indexing)
    expected = np.meshgrid(*xs, indexing=indexing)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)


@pytest.mark.parametrize(
    ("given", "dtype", "shape"),
    [
        (1, "int32", ()), (1.5, "float32", ()), (True, "bool", ()), (1j, "complex64", ()),
        ([], "float32", (0,)),
        ([1, 2], "int32", (2,)), ([[1, 2.5]], "float32", (1, 2)), ((1, True), "int32", (2,)),
        (np.float64(1), "float64", ()), (np.arange(3), "int64", (3,)),
        ([np.float64(1), 2], "float64", (2,)),
        (np.zeros((2, 0), "f2"), "float16", (2, 0)),
    ],
)  # fmt: skip
def test_asarray_keeps_numpys_dtypes_and_gives_python_numbers_the_default(given, dtype, shape):
    made = anp.asarray(given)
    assert (made.dtype.name, made.shape) == (dtype, shape)
    assert made.tolist() == np.asarray(given).tolist()


def test_asarray_takes_arrays_in_lists_also_in_a_trace():
    x = anp.asarray(2.0)
    assert anp.asarray([[x, 1], [3, x]]).tolist() == [[2.0, 1.0], [3.0, 2.0]]
    f = anvl.jit(lambda x: anp.asarray([x, 1.5, x * 2]))
    assert f(1.0).tolist() == [1.0, 1.5, 2.0]
    assert anvl.jit(lambda x: anp.asarray([[x], [2]], dtype="f8"))(1).dtype == np.float64
    assert anvl.jit(lambda x: anp.asarray([x, 7]))(np.int8(1)).dtype == np.int8
    assert anp.asarray(x) is x
    assert anp.asarray(x, "f8").dtype == np.float64


def test_asarray_inside_of_jit_is_a_constant():
    f = anvl.jit(lambda x: x + anp.asarray([1.0, 2.0]))
    assert f(np.float32(1)).tolist() == [2.0, 3.0]


def test_a_copy_has_memory_of_its_own():
    x = anp.ones(3)
    y = anp.copy(x)
    x.delete()
    assert y.tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: anp.asarray("abc"), TypeError, "asarray: 'abc' of type str is not an array"),
        (lambda: anp.asarray(None), TypeError, "is not an array of numbers"),
        (lambda: anp.asarray(["a"]), TypeError, "is not an array of numbers"),
        (lambda: anp.asarray("1", "f4"), TypeError, "is not an array of numbers"),
        (lambda: anp.asarray(2**40), OverflowError, "do not fit i32; give a wider dtype"),
        (lambda: anp.asarray(2**80), OverflowError, "does not fit any integer dtype"),
        (lambda: anp.asarray([300], "u1"), OverflowError, "do not fit ui8"),
        (lambda: anp.asarray([1], "S3"), TypeError, "is not the dtype of an array"),
        (lambda: anp.zeros(-1), ValueError, "zeros: shape -1 has a negative size"),
        (lambda: anp.zeros((2, 1.5)), TypeError, "zeros: 1.5 of .* must be an integer"),
        (lambda: anp.full(2, 300, "u1"), OverflowError, "300 does not fit ui8"),
        (lambda: anp.full(2, 1j, "f4"), TypeError, "the value is complex, .* and dtype f32 is not"),
        (lambda: anp.arange(0, 3, 0), ValueError, "arange: step is 0"),
        (lambda: anp.arange("3"), TypeError, "must be a Python number: it decides the shape"),
        (lambda: anp.arange(float("inf")), ValueError, "is not a finite range"),
        (lambda: anp.arange(2**33), OverflowError, "does not fit i32"),
        (lambda: anp.linspace(0, 1, -1), ValueError, "negative size"),
        (lambda: anp.eye(-1), ValueError, "negative size"),
        (lambda: anp.meshgrid(np.ones(2), indexing="ab"), ValueError, "neither 'xy' nor 'ij'"),
        (lambda: anp.zeros(2, "f33"), TypeError, "'f33' is not the dtype of an array"),
        (lambda: anp.zeros(2, "flot32"), TypeError, "c128; did you mean 'float32'"),
        (lambda: anp.zeros(2, "i8"), TypeError, "'i8' is int8 to anvl and int64 to NumPy; write"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("shape", [lambda n: n, lambda n: (2, n), lambda n: [n, 1]])
def test_a_traced_size_is_refused(shape):
    message = r"size or range\(\) needs the value .* mark the argument static"
    for make in (lambda n: anp.zeros(shape(n)), lambda n: anp.reshape(np.ones(6), shape(n))):
        with pytest.raises(anvl.TraceError, match=message):
            anvl.jit(make)(3)


@pytest.mark.parametrize("in_jit", [False, True])
@pytest.mark.parametrize("f", ["linspace", "logspace"])
def test_numbers_are_exact_in_the_dtype_that_is_given(f, in_jit):
    def made():
        return getattr(anp, f)(0.3, 0.7, 3, dtype="f64")

    found = anvl.jit(made)() if in_jit else made()
    wanted = getattr(np, f)(0.3, 0.7, 3)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=rounding(FORMULA))


def test_linspace_of_integers_that_no_f32_holds():
    wanted = np.linspace(0, 999_999_999, 4, dtype=np.int32)
    np.testing.assert_array_equal(anp.linspace(0, 999_999_999, 4, dtype="i32"), wanted)
    complexes = anp.linspace(0.3j, 1, 3, dtype="c128")
    np.testing.assert_allclose(complexes, np.linspace(0.3j, 1, 3), rtol=rounding(FORMULA))
    assert anp.linspace(0.3, 0.7, 3, dtype="c64").dtype == np.complex64
    assert anp.linspace(0.3, 0.7, 3, dtype="f16").dtype == np.float16
    assert anp.linspace(0.3, np.float64(0.7), 3).dtype == np.float64
