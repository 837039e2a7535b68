"""Elementwise functions agree with NumPy, dtype by dtype and shape by shape."""

import math

import ml_dtypes
import numpy as np
import pytest
from agreement import SHAPES, agrees, values
from tolerances import FORMULA, PROGRAM, rounding

import anvl
import anvl.numpy as anp

REAL = "float16 float32 float64 int32 int8 uint8 bool"
FLOATS = "float16 float32 float64"
NUMBERS = "float32 float64 complex64 complex128 int32 int8 uint8"
BITS = "int32 int8 uint8 int64 bool"
vectorized = np.vectorize  # math's functions on arrays

# fmt: off
#    name         dtypes               between    NumPy's, where the name differs
UNARY = [
    ("negative",  "float16 float32 int32 int8 uint8 complex64", (-3, 3)),
    ("exp",       REAL.replace("int8 uint8 bool", "") + "complex64", (-3, 3)),
    ("expm1",     FLOATS,              (-1, 1)),
    ("log",       "float32 float64 int32 complex128", (1, 9)),
    ("log1p",     FLOATS,              (-0.5, 4)),
    ("log2",      FLOATS,              (0.1, 9)),
    ("log10",     FLOATS,              (0.1, 9)),
    ("exp2",      FLOATS,              (-4, 4)),
    ("sqrt",      "float16 float32 float64 int32 complex64", (0, 9)),
    ("cbrt",      "float32 float64",   (-9, 9)),
    ("sin",       "float32 float64 int32 complex64", (-3, 3)),
    ("cos",       "float32 float64 int32 complex64", (-3, 3)),
    ("tan",       "float32 float64",   (-1, 1)),
    ("asin",      "float32 float64",   (-0.9, 0.9)),
    ("acos",      "float32 float64",   (-0.9, 0.9)),
    ("atan",      "float32 float64",   (-3, 3)),
    ("arctan",    "float32",           (-3, 3)),
    ("sinh",      "float32 float64",   (-2, 2)),
    ("cosh",      "float32 float64",   (-2, 2)),
    ("tanh",      "float32 float64 complex64", (-2, 2)),
    ("asinh",     "float32 float64",   (-3, 3)),
    ("acosh",     "float32 float64",   (1.1, 4)),
    ("atanh",     "float32 float64",   (-0.9, 0.9)),
    ("square",    NUMBERS,             (-3, 3)),
    ("sign",      "float16 float32 int32 uint8 complex128", (-3, 3)),
    ("ceil",      "float16 float32 float64 int32 bool", (-3, 3)),
    ("floor",     "float16 float32 float64 int32 bool", (-3, 3)),
    ("trunc",     "float16 float32 float64 int32 bool", (-3, 3)),
    ("rint",      FLOATS,              (-3, 3)),
    ("isfinite",  "float32 int32 bool complex64", (-3, 3)),
    ("isinf",     "float32 int32 bool complex64", (-3, 3)),
    ("isnan",     "float32 int32 bool complex64", (-3, 3)),
    ("signbit",   FLOATS,              (-3, 3)),
    ("invert",    BITS,                (-9, 9)),
    ("bitwise_count", "int32 int8 int64", (-99, 99)),
    ("positive",  NUMBERS,             (-3, 3)),
    ("abs",       NUMBERS + " bool",   (-3, 3)),
    ("real",      NUMBERS,             (-3, 3)),
    ("imag",      NUMBERS,             (-3, 3)),
    ("conj",      NUMBERS,             (-3, 3)),
    ("angle",     "float32 float64 complex64 complex128", (-3, 3)),
    ("reciprocal", "float32 float64 complex64", (0.5, 3)),
    ("logical_not", REAL + " complex64", (-2, 2)),
    ("deg2rad",   "float32 float64",   (-180, 180)),
    ("rad2deg",   "float32 float64",   (-3, 3)),
    ("sinc",      "float32 float64",   (-3, 3)),
    ("nan_to_num", "float32 int32 complex64", (-3, 3)),
    ("round",     "float32 float64 int32 complex64", (-9, 9)),
]
BINARY = [
    ("add",       NUMBERS + " bool",   (-3, 3)),
    ("subtract",  NUMBERS,             (-3, 3)),
    ("multiply",  NUMBERS + " bool",   (-3, 3)),
    ("divide",    "float16 float32 float64 complex64 int32", (1, 9)),
    ("power",     "float32 float64 int32", (1, 4)),
    ("float_power", "float64",         (1, 4)),
    ("remainder", "float32 float64",   (-9, 9)),
    ("floor_divide", "float32 float64", (-9, 9)),
    ("fmod",      "float32 float64",   (-9, 9)),
    ("divmod",    "float32 float64",   (-9, 9)),
    ("atan2",     "float32 float64",   (-3, 3)),
    ("maximum",   "float32 int32 uint8 bool", (-9, 9)),
    ("minimum",   "float32 int32 uint8 bool", (-9, 9)),
    ("fmax",      "float32 float64",   (-9, 9)),
    ("fmin",      "float32 float64",   (-9, 9)),
    ("nextafter", "float32 float64",   (-9, 9)),
    ("copysign",  "float16 float32 float64", (-9, 9)),
    ("hypot",     "float32 float64",   (-9, 9)),
    ("logaddexp", "float32 float64",   (-9, 9)),
    ("heaviside", "float32 float64",   (-9, 9)),
    ("bitwise_and", BITS,              (-9, 9)),
    ("bitwise_or",  BITS,              (-9, 9)),
    ("bitwise_xor", BITS,              (-9, 9)),
    ("left_shift",  "int32 int64 uint8", (0, 5)),
    ("right_shift", "int32 int64 uint8", (0, 5)),
    ("equal",     NUMBERS + " bool",   (-2, 2)),
    ("not_equal", NUMBERS + " bool",   (-2, 2)),
    ("less",      REAL,                (-2, 2)),
    ("less_equal", REAL,               (-2, 2)),
    ("greater",   REAL,                (-2, 2)),
    ("greater_equal", REAL,            (-2, 2)),
    ("logical_and", REAL + " complex64", (-2, 2)),
    ("logical_or",  REAL,              (-2, 2)),
    ("logical_xor", REAL,              (-2, 2)),
    ("isclose",   "float32 float64",   (-2, 2)),
]
# fmt: on


@pytest.mark.sweep(keep=16)
@pytest.mark.parametrize(("name", "dtypes", "bounds"), UNARY, ids=[row[0] for row in UNARY])
def test_a_unary_function_agrees_with_numpy(name, dtypes, bounds):
    calls = [(values(d, shape, *bounds),) for d in dtypes.split() for shape in SHAPES]
    agrees(getattr(anp, name), getattr(np, name), calls)


@pytest.mark.sweep(keep=12)
@pytest.mark.parametrize(("name", "dtypes", "bounds"), BINARY, ids=[row[0] for row in BINARY])
def test_a_binary_function_agrees_with_numpy(name, dtypes, bounds):
    pairs = [((), ()), ((2, 1), (1, 3)), ((2, 3), (3,)), ((2, 0), (1,))]
    calls = [
        (values(d, first, *bounds), values(d, (*second, 1)[: len(second)], *bounds)[..., ::-1])
        if second
        else (values(d, first, *bounds), values(d, second, *bounds))
        for d in dtypes.split()
        for first, second in pairs
    ]
    agrees(getattr(anp, name), getattr(np, name), calls)


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("erf", math.erf),
        ("erfc", math.erfc),
        ("sigmoid", lambda x: 1 / (1 + math.exp(-x))),
        ("rsqrt", lambda x: 1 / math.sqrt(abs(x) + 1)),
    ],
)
def test_a_function_that_numpy_lacks_agrees_with_the_formula(name, reference):
    x = np.linspace(-2, 2, 9)
    f = getattr(anp, name)
    found = f(abs(x) + 1) if name == "rsqrt" else f(x)
    np.testing.assert_allclose(
        np.asarray(found), np.vectorize(reference)(x), rtol=rounding(PROGRAM)
    )


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan, 1e30, -1e-30]


@pytest.mark.parametrize(
    "name",
    "sqrt exp log sign ceil floor trunc rint abs isfinite isinf isnan signbit nan_to_num expm1 "
    "log1p tanh sinc square negative reciprocal".split(),
)
def test_a_unary_function_of_infinities_and_nan_is_numpys(name):
    agrees(getattr(anp, name), getattr(np, name), [(np.asarray(SPECIAL, "f4"),)])


@pytest.mark.parametrize(
    "name",
    "add multiply divide maximum minimum fmax fmin hypot copysign logaddexp remainder "
    "equal less heaviside isclose fmod atan2 nextafter".split(),
)
def test_a_binary_function_of_infinities_and_nan_is_numpys(name):
    x = np.asarray(SPECIAL)
    if name in ("remainder", "fmod"):  # of 1e30 by 0.5 digits alone decide
        x = x[:-2]
    agrees(getattr(anp, name), getattr(np, name), [(x[:, None], x[None, :])])


INF = np.inf
ZEROS = [0j, complex(-0.0, 0.0)]
COMPLEX = [*ZEROS, complex(INF, 0), complex(-INF, 1), complex(1, INF), 1e300 + 1e300j]


def in_parts(f, module):
    return lambda *xs: (module.real(f(*xs)), module.imag(f(*xs)))


@pytest.mark.parametrize("name", "log log2 log10 sqrt sign".split())
def test_a_function_of_complex_infinities_and_zeros_is_numpys(name):
    x = np.asarray([*COMPLEX, complex(INF, INF), -1 + 0j, complex(-1.0, -0.0)])
    call = (x,)
    if name == "sqrt":  # XLA takes -0.0 for 0.0, and the other side of the branch cut
        call = (x[:-1],)
    agrees(in_parts(getattr(anp, name), anp), in_parts(getattr(np, name), np), [call])


def test_complex_numbers_over_real_ones_are_divided_part_by_part():
    x = np.asarray([*COMPLEX, complex(INF, INF), complex(np.nan, 1), 3 - 4j])
    divisors = [2.0, -2.0, 1e300, 0.0, -0.0, INF, np.nan, 3]
    arrays = [np.asarray(d) for d in divisors]
    by_literals = anvl.jit(lambda x: [x / d for d in divisors])(x)
    by_arrays = anvl.jit(lambda x, ds: [x / d for d in ds])(x, arrays)
    of_known = anvl.jit(lambda ds: [x / d for d in ds])(arrays)
    with np.errstate(all="ignore"):
        wanted = [(x.real / d, x.imag / d) for d in divisors]
    for (real, imag), *found in zip(wanted, by_literals, by_arrays, of_known, strict=True):
        for y in map(np.asarray, found):
            np.testing.assert_allclose(y.real, real, rtol=rounding(PROGRAM))
            np.testing.assert_allclose(y.imag, imag, rtol=rounding(PROGRAM))


@pytest.mark.parametrize("name", ["remainder", "floor_divide", "divmod", "fmod"])
@pytest.mark.parametrize("dtype", ["int32", "int8", "uint8", "int64"])
def test_division_of_integers_rounds_as_numpy_does(name, dtype):
    x = np.asarray([-7, -6, -1, 0, 1, 5, 7], dtype if dtype[0] == "i" else "i4").astype(dtype)
    y = np.asarray([-3, -1, 1, 2, 3], "i4").astype(dtype)
    agrees(getattr(anp, name), getattr(np, name), [(x[:, None], y[None, :])])


@pytest.mark.parametrize("name", ["exp", "sqrt", "tanh", "add", "multiply", "maximum"])
def test_bfloat16_stays_bfloat16(name):
    x = values("float32", (4,), 0.5, 3).astype(ml_dtypes.bfloat16)
    arguments = (x,) if name in ("exp", "sqrt", "tanh") else (x, x[::-1])
    found = getattr(anp, name)(*arguments)
    expected = getattr(np, name)(*(v.astype("f4") for v in arguments))
    assert found.dtype == ml_dtypes.bfloat16
    np.testing.assert_allclose(np.asarray(found).astype("f4"), expected, rtol=1e-2)


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 3, 5, 10, 65])
def test_a_power_with_a_python_int_is_exact(n):
    x = np.asarray([-2.0, -0.5, 1.0, 3.0])
    agrees(lambda x: anp.power(x, n), lambda x: np.power(x, n), [(x,)])
    agrees(lambda x: x**n, lambda x: x**n, [(x,)])


def test_an_integer_to_a_negative_power_is_refused_eagerly_and_in_a_trace():
    x = anp.asarray([1, 2])
    for f in (lambda x: x**-1, anvl.jit(lambda x: x**-1)):
        with pytest.raises(
            TypeError, match="power: an integer to the power -1 is not an integer; cast"
        ):
            f(x)


@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 2])
def test_round_takes_decimals(decimals):
    calls = [(np.asarray([-151.25, -50.0, 2.5, 14.999, 50.0, 150.0]),)]
    calls += [(np.asarray([-151, -150, -50, 0, 49, 50, 51, 150, 250], "i4"),)]
    agrees(lambda x: anp.round(x, decimals), lambda x: np.round(x, decimals), calls)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_rounded_numbers_are_the_nearest_to_their_decimals(dtype):
    x = np.concatenate([np.arange(-30, 30) * 25, np.arange(-30, 30) + 0.004, [np.nan]]).astype(
        dtype
    )
    found = anvl.jit(lambda x: [anp.round(x, d) for d in (-2, -1, 1, 3)])(x)
    for one, decimals in zip(found, (-2, -1, 1, 3), strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.round(x, decimals))


def test_what_is_too_large_for_decimals_rounds_to_itself():
    """NumPy's is infinite."""
    for dtype, xs, decimals in (
        ("f2", [1000, -66.25], 3),
        ("f4", [1e37, -3e38], 3),
        ("f8", [5.5], 308),
    ):
        x = np.array(xs, dtype)
        np.testing.assert_array_equal(np.asarray(anp.round(x, decimals)), x)
        assert not np.asarray(anvl.grad(lambda x, n=decimals: anp.sum(anp.round(x, n)))(x)).any()


def test_round_takes_decimals_whose_power_of_ten_no_float_holds():
    """NumPy's are NaN."""
    inf, nan = np.inf, np.nan
    for dtype, decimals, xs, wanted in (
        ("f8", 400, [1.25, -inf, nan], [1.25, -inf, nan]),
        ("f8", 10**4, [1.25], [1.25]),
        ("f8", -400, [-3e300, 1, inf, nan], [-0.0, 0, inf, nan]),
        ("f8", -(10**4), [3e300], [0]),
        ("f8", 310, [2.2342e-307, 1.0], [2.234e-307, 1]),
        ("f4", 40, [1.23456e-37, 7.5], [1.235e-37, 7.5]),
        ("f4", -40, [3e38, -inf], [0, -inf]),
        ("f2", 5, [0.123456, 1000], [0.12346, 1000]),
        ("f2", -5, [4e4, -6e4], [0, -inf]),
        ("i1", -3, [127, -128], [0, 0]),
        ("i8", -400, [2**62], [0]),
    ):
        x = np.array(xs, dtype)
        found = np.asarray(anp.round(x, decimals))
        assert found.dtype == x.dtype
        rtol = rounding(FORMULA, x) if x.dtype.kind == "f" else 0
        wanted = np.array(wanted, dtype)
        np.testing.assert_allclose(found, wanted, rtol, err_msg=f"{dtype} {decimals}")
    z = np.array([1.25 - 3e300j])
    np.testing.assert_array_equal(np.asarray(anp.round(z, 400)), z)


def test_where_chooses_and_broadcasts():
    c = np.asarray([True, False, True])
    calls = [
        (c, values("f4", (2, 3)), values("f4", ())),
        (c[:, None], values("i4", (3,)), values("i4", (3, 3))),
        (np.asarray(True), values("f8", (2,)), values("f8", (2,))),
        (values("i4", (3,)), values("f4", (3,)), values("f4", (3,))),
        (c[:0], values("f4", (0,)), values("f4", (0,))),
    ]
    agrees(anp.where, np.where, calls)


def test_clip_with_one_bound_two_or_none():
    x = values("f4", (2, 3), -5, 5)
    row = np.asarray([-1, 0, 1], "f4")
    bounds = [(-1, 1), (None, 1.5), (-1.5, None), (row, 2), (row, row + 1), (2, -2)]
    for low, high in bounds:
        agrees(
            lambda x, low=low, high=high: anp.clip(x, low, high),
            lambda x, low=low, high=high: np.clip(x, low, high),
            [(x,)],
        )
    assert anp.clip(x).shape == (2, 3)
    with pytest.raises(OverflowError, match="300 does not fit ui8, which holds 0 to 255"):
        anvl.jit(lambda x: anp.clip(x, 0, 300))(np.ones(2, "u1"))


def test_clip_of_a_nan_is_nan():
    assert np.isnan(anp.clip(np.float32(np.nan), 0, 1).item())


@pytest.mark.parametrize("dtype", ["bool", "int8", "i64", "ui16", "f16", "bf16", "f64", "c64"])
def test_astype_gives_what_numpy_gives(dtype):
    x = np.asarray([0.0, 1.9, -2.9, 3.0], "f4") if dtype[0] != "u" else np.asarray([0, 1, 3], "f4")
    found = anp.astype(x, dtype)
    expected = x.astype(found.dtype)
    assert found.dtype == anvl.aval(dtype).dtype
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_a_python_type_as_dtype_is_the_default_of_its_kind():
    x = anp.asarray(np.asarray([1.5, 0.0]))
    kinds = {t: x.astype(t).dtype.name for t in (bool, int, float, complex)}
    assert kinds == {bool: "bool", int: "int32", float: "float32", complex: "complex64"}
    assert anp.zeros(2, dtype=np.float64).dtype == np.float64
    with anvl.defaults(float="f64"):
        assert x.astype(float).dtype == np.float64


def test_isclose_and_relatives_treat_nan_as_asked():
    x = np.asarray([1.0, np.nan])
    assert anp.isclose(x, x).tolist() == [True, False]
    assert anp.isclose(x, x, equal_nan=True).tolist() == [True, True]
    assert anp.array_equal(x, x, equal_nan=True).item()
    assert not anp.array_equal(x, x).item()
    assert not anp.array_equal(x, x[:1]).item()
    assert anp.allclose(x[:1], x[:1] + 1e-9).item()


def test_fills_for_nan_and_infinities():
    x = np.asarray([np.nan, np.inf, -np.inf, 2.0], "f4")
    for fills in [{}, {"nan": 7.0}, {"posinf": 1.0, "neginf": -1.0}]:
        agrees(
            lambda x, fills=fills: anp.nan_to_num(x, **fills),
            lambda x, fills=fills: np.nan_to_num(x, **fills),
            [(x,)],
        )


def test_polyval_and_diff():
    p, x = np.asarray([1.0, -2.0, 3.0]), values("f8", (2, 3))
    agrees(anp.polyval, np.polyval, [(p, x)])
    for n, axis in [(0, -1), (1, -1), (2, 0), (1, 0), (4, 1)]:
        agrees(
            lambda x, n=n, axis=axis: anp.diff(x, n, axis),
            lambda x, n=n, axis=axis: np.diff(x, n, axis),
            [(values("f4", (3, 4)),), (values("i4", (3, 4)),), (values("bool", (3, 4)),)],
        )
    agrees(
        lambda x: anp.diff(x, prepend=0.0, append=np.ones(2, "f4")),
        lambda x: np.diff(x, prepend=np.float32(0), append=np.ones(2, "f4")),
        [(values("f4", (3,)),)],
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anp.sin("x"), "argument x: .*takes arrays and numbers, got 'x' of type str"),
        (lambda: anp.add([1], 2), None),
        (lambda: anp.bitwise_and(np.ones(2), 1), "elements of kind .*; |takes elements of kind"),
        (lambda: anp.less(np.ones(2, "c8"), 1), "compare"),
        (lambda: anp.signbit(np.ones(2, "c8")), "signbit: takes real numbers"),
        (lambda: anp.astype(np.ones(2), "f33"), "'f33' is not the dtype of an array"),
        (lambda: anp.add(np.ones(2, "u8"), np.ones(2, "i8")), "ui64 and i64 have no common"),
    ],
)
def test_what_a_function_does_not_take_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_powers_of_2_and_logarithms_of_f32_are_off_by_few_units():
    """In the last place, against f64: a term that is missing in a series is many of them."""
    draw = np.random.default_rng(0)
    exponents = draw.uniform(-125, 127, 4_000).astype(np.float32)
    positive = np.exp2(exponents)
    for name, x, units in (("exp2", exponents, 2), ("log2", positive, 3), ("log10", positive, 3)):
        wanted = getattr(np, name)(x.astype(np.float64))
        found = np.asarray(getattr(anp, name)(x)).astype(np.float64)
        last = np.spacing(np.abs(wanted).astype(np.float32))
        assert np.max(np.abs(found - wanted) / last) <= units, name
