"""Promotion: what dtype operands meet in.  `docs/promotion.md` is the table, and is tested here."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.core.promote import broadcast_shapes, common_dtype

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "promotion.md"
NAMES = "bool i8 i16 i32 i64 ui8 ui16 ui32 ui64 f16 bf16 f32 f64 c64 c128".split()
NUMBERS = {"`True`": True, "`1`": 1, "`1.5`": 1.5, "`1j`": 1j}


def met(*avals):
    """The dtype where these meet, as the table writes it."""
    try:
        dtype, weak = common_dtype(*avals)
    except TypeError:
        return "error"
    return anvl.aval(dtype, weak_type=weak).__repr__().removesuffix("[]")


def aval_of(name):
    return anvl.eval_shape(lambda x: x, NUMBERS[name]) if name in NUMBERS else anvl.aval(name)


def table():
    """The table of the document, from the rules themselves."""
    heads = [*NAMES, *NUMBERS]
    rows = [["", *heads], ["---"] * (len(heads) + 1)]
    rows += [[f"**{n}**", *(met(aval_of(n), aval_of(m)) for m in heads)] for n in heads]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def test_the_table_in_the_document_is_what_the_rules_say():
    assert table() in DOCUMENT.read_text()


def test_the_order_of_operands_does_not_matter():
    for x, y in itertools.combinations(map(aval_of, [*NAMES, *NUMBERS]), 2):
        assert met(x, y) == met(y, x)


@pytest.mark.parametrize("x", NAMES)
def test_a_dtype_met_by_itself_stays(x):
    assert met(anvl.aval(x), anvl.aval(x)) == x
    assert met(anvl.aval(x)) == x


def test_within_a_kind_the_result_is_numpys():
    kinds = ["i8 i16 i32 i64 ui8 ui16 ui32 ui64".split(), "f16 f32 f64".split(), ["c64", "c128"]]
    for names in kinds:
        for x, y in itertools.combinations(map(anvl.aval, names), 2):
            expected = np.promote_types(x.dtype, y.dtype)
            if expected.kind == "f" and x.dtype.kind in "iu":
                assert met(x, y) == "error"
            else:
                assert met(x, y) == repr(anvl.aval(expected)).removesuffix("[]")


def test_several_operands_meet_as_they_do_two_by_two_where_that_is_defined():
    for names in itertools.combinations("i8 ui8 i32 f16 f32 bf16 c64".split(), 3):
        x, y, z = map(anvl.aval, names)
        first = met(x, y)
        if first != "error":
            assert met(x, y, z) == met(anvl.aval(first), z) or "bf16" in names


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("i64", "f32", "f32"), ("i64", "f16", "f16"), ("bool", "f16", "f16"),
        ("f64", "c64", "c128"), ("f32", "c64", "c64"),
        ("i64", "c64", "c64"), ("f16", "bf16", "f32"), ("ui8", "i8", "i16"),
        ("ui64", "i64", "error"), ("bool", "i8", "i8"),
    ],
)  # fmt: skip
def test_the_rules_of_the_document_by_example(x, y, expected):
    assert met(anvl.aval(x), anvl.aval(y)) == expected


@pytest.mark.sweep(keep=10)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("number", [True, 3, 1.5, 1j])
def test_a_python_number_takes_the_dtype_of_the_array_it_meets(name, number):
    x = anp.ones(2, anvl.aval(name).dtype)
    order = [bool, int, float, complex]
    kind = {"b": bool, "i": int, "u": int, "c": complex}.get(x.dtype.kind, float)
    if order.index(type(number)) <= order.index(kind):
        expected = x.dtype
    elif type(number) is complex and name == "f64":
        expected = np.dtype(np.complex128)
    else:
        expected = {int: np.int32, float: np.float32, complex: np.complex64}[type(number)]
    for f in (lambda x: x + number, lambda x: number + x):
        assert f(x).dtype == expected
        assert anvl.jit(f)(x).dtype == expected
        assert not f(x).weak_type


def test_numbers_alone_are_weak_and_so_are_their_results():
    assert (anp.add(1, 2).dtype, anp.add(1, 2).weak_type) == (np.int32, True)
    assert (anp.add(1, 2.5).dtype, anp.add(1, 2.5).weak_type) == (np.float32, True)
    assert anp.sin(1).weak_type
    assert (anp.sin(1) * np.float64(2)).dtype == np.float64
    assert (anp.sin(1) * np.float16(2)).dtype == np.float16


@pytest.mark.parametrize("number", [256, -1, 2**40])
def test_a_number_that_does_not_fit_is_refused(number):
    x = np.ones(2, "u1")
    with pytest.raises(OverflowError, match=rf"{number} does not fit ui8, which holds 0 to 255"):
        anvl.jit(lambda x: x + number)(x)
    with pytest.raises(OverflowError):
        np.add(x, number)


def test_dtypes_without_a_common_one_are_refused_with_a_remedy():
    with pytest.raises(TypeError, match="ui64 and i64 have no common integer dtype; convert one"):
        anp.add(np.ones(2, "u8"), np.ones(2, "int64"))


@pytest.mark.parametrize(
    "shapes",
    [
        [()], [(2,)], [(2, 3), (3,)], [(2, 1), (1, 3)], [(), (2, 3)], [(0,), (1,)],
        [(2, 0), (1,), ()], [(5, 1, 2), (4, 1)],
    ],
)  # fmt: skip
def test_shapes_broadcast_as_numpys_do(shapes):
    assert broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


@pytest.mark.parametrize("shapes", [[(2,), (3,)], [(0,), (2,)], [(2, 3), (2,)], [(2,), (2,), (4,)]])
def test_shapes_that_do_not_broadcast_are_refused(shapes):
    with pytest.raises(
        ValueError, match=r"f: shapes \[.*\] do not broadcast: sizes \d and \d meet"
    ):
        broadcast_shapes(*shapes, function="f")


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * 0.3,
        lambda x: 0.3 - x,
        lambda x: anp.arctan2(x, 0.3) if x.dtype.kind == "f" else x,
        lambda x: anp.clip(x, 0.1, max=0.3) if x.dtype.kind == "f" else x,
        lambda x: anp.where(x == x, 0.3, x),
        lambda x: x + 3_000_000_000,
        lambda x: x * 0.3j,
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_a_number_keeps_its_digits_beside_64_bits(f, dtype):
    x = np.array([1.5, -2.0], dtype)
    eager, traced = f(anp.asarray(x)), anvl.jit(f)(anp.asarray(x))
    assert eager.dtype == traced.dtype
    np.testing.assert_array_equal(np.asarray(eager), np.asarray(traced))


def test_a_number_beside_64_bits_takes_the_dtype_that_it_took():
    i8, i4, f8 = (anp.asarray(np.ones(1, t)) for t in (np.int64, np.int32, np.float64))
    assert (i8 * 0.5).dtype == np.float32
    assert (i8 + 3_000_000_000).numpy() == [3_000_000_001]
    assert (f8 + 1).dtype == np.float64
    with pytest.raises(OverflowError, match="3000000000 does not fit i32"):
        i4 + 3_000_000_000


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + 300,
        lambda x: x < -1,
        lambda x: x == 256,
        lambda x: anp.clip(x, 0, 300),
        lambda x: anp.maximum(x, 300),
        lambda x: anp.where(x > 50, x, -1),
        lambda x: x.at[0].set(300),
        lambda x: anp.pad(x, 1, constant_values=300),
        lambda x: anp.full_like(x, 300),
    ],
)
def test_a_number_that_a_narrow_dtype_does_not_hold_is_refused_in_and_out_of_jit(f):
    x = np.array([0, 100, 200], np.uint8)
    for run in (f, anvl.jit(f)):
        with pytest.raises(OverflowError, match="does not fit ui8, which holds 0 to 255"):
            run(anp.asarray(x))


def test_a_number_that_an_unsigned_dtype_holds_is_taken():
    x4, x8 = (anp.asarray(np.arange(2, dtype=t)) for t in (np.uint32, np.uint64))
    np.testing.assert_array_equal((x4 + 3_000_000_000).numpy(), [3_000_000_000, 3_000_000_001])
    np.testing.assert_array_equal(anp.maximum(x8, 2**63).numpy(), [2**63, 2**63])
