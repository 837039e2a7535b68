"""A Python number that a dtype does not hold is refused: in the text, and as an argument."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import ranges
from anvl.dialect.types import numpy_dtype

U8, F16 = np.array([1, 2], "u1"), np.array([1, 2], "f2")
ADD = anvl.jit(lambda x, n: x + n)


@pytest.mark.parametrize(
    ("value", "dtype", "fits"),
    [
        (255, "ui8", True), (256, "ui8", False), (-1, "ui64", False), (-128, "i8", True),
        (65504, "f16", True), (65519, "f16", True), (65520, "f16", False), (65520.0, "f16", False),
        (-65520.0, "f16", False), (1e300, "f32", False), (1e300, "f64", True),
        (10**400, "f64", False), (3.39e38, "bf16", True), (3.4e38, "bf16", False),
        (449.0, "f8E4M3FN", True), (500.0, "f8E4M3FN", False), (float("inf"), "f16", True),
        (float("nan"), "f16", True), (1e300j, "c64", False), (1 + 1j, "c64", True),
        (1e300j, "c128", True), (1e300, "c64", False), (1e-300, "f16", True), (7, "bool", True),
    ],
)  # fmt: skip
def test_what_fits(value, dtype, fits):
    if fits:
        ranges.check_fits(value, numpy_dtype(dtype))
    else:
        with pytest.raises(OverflowError, match=f"does not fit {dtype}, "):
            ranges.check_fits(value, numpy_dtype(dtype))


@pytest.mark.parametrize(
    "call",
    [
        lambda: anvl.jit(lambda x: x)(1e300),
        lambda: anvl.jit(lambda x, y=0: x)(-1e300),
        lambda: anvl.jit(lambda x: x)(1e300j),
        lambda: anp.asarray(F16) + 1e10,
        lambda: 1e10 + anp.asarray(F16),
        lambda: anp.add(F16, 70000),
        lambda: anvl.jit(lambda x: x * 1e10)(F16),
        lambda: anvl.jit(lambda: 1e300)(),
        lambda: anp.asarray(F16).at[0].set(1e10),
        lambda: anp.full((2,), 1e10, "f16"),
        lambda: anp.full((2,), 70000, "f16"),
        lambda: anp.asarray([1.0, 1e300]),
        lambda: anp.asarray(70000, "f16"),
        lambda: anp.where(U8 > 1, F16, 1e10),
    ],
)
def test_numbers_in_the_text_that_do_not_fit_are_refused(call):
    with pytest.raises(OverflowError, match=r"does not fit (f16|f32|float32|c64|complex64), "):
        call()


def test_infinity_and_what_is_cast_knowingly_stay():
    assert (anp.asarray(F16) + float("inf")).tolist() == [float("inf")] * 2
    assert anp.asarray(np.float64(1e300)).astype("f4").item() == float("inf")
    assert anp.asarray(1e300, "f8").item() == 1e300
    assert anvl.jit(lambda x, n: x + anp.asarray(n).astype("u1"))(U8, 300).tolist() == [45, 46]


def branches(pred, x, n):
    return anvl.cond(pred, lambda x, n: x + n, lambda x, n: x, x, n)


PROGRAMS = {
    "plain": (ADD, (U8, 300)),
    "below": (ADD, (U8, -1)),
    "wide": (ADD, (np.ones(2, "u8"), -1)),
    "float": (ADD, (F16, 1e10)),
    "integer to float": (ADD, (F16, 70000)),
    "eager": (lambda x, n: x + n, (anp.asarray(U8), anp.abs(300))),
    "nested": (anvl.jit(lambda x, n: anvl.jit(lambda n, x: x * n)(n, x)), (U8, 300)),
    "literal for a nested one": (anvl.jit(lambda x: ADD(x, 300)), (U8,)),
    "vmap": (anvl.vmap(ADD, in_axes=(0, None)), (U8, 300)),
    "vmap in jit": (anvl.jit(anvl.vmap(ADD, in_axes=(0, None))), (U8, 300)),
    "grad": (anvl.grad(lambda x, s: anp.sum(x * s)), (F16, 1e10)),
    "grad in jit": (anvl.jit(anvl.grad(lambda x, s: anp.sum(x * s))), (F16, 1e10)),
    "vjp": (lambda x, s: anvl.vjp(lambda x, s: anp.sum(x * s), x, s)[0], (F16, 1e10)),
    "cond": (anvl.jit(branches), (True, U8, 300)),
    "cond over a literal": (anvl.jit(lambda p, x: branches(p, x, 300)), (True, U8)),
    "switch": (anvl.jit(lambda i, x, n: anvl.switch(i, [lambda x: x, lambda x: x * n], x)),
               (0, U8, 300)),
    "scan": (anvl.jit(lambda x, n: anvl.scan(lambda c, x: (c + 1, x + n), 0, x)), (U8, 300)),
    "carry": (anvl.jit(lambda x, n: anvl.fori_loop(0, 3, lambda i, c: c + x, n)), (U8[0], 300)),
    "checkpoint": (anvl.jit(anvl.checkpoint(lambda x, n: x + n)), (U8, 300)),
    "at": (anvl.jit(lambda x, n: x.at[0].set(n)), (U8, 300)),
    "pad": (anvl.jit(lambda x, n: anp.pad(x, 1, constant_values=n)), (U8, 300)),
    "where": (anvl.jit(lambda x, n: anp.where(x > 1, x, n)), (U8, 300)),
    "compiled": (lambda x, n: ADD.lower(x, 3).compile()(x, n), (U8, 300)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_number_that_a_program_converts_must_fit(name):
    """In the first call and in later ones, which the generated code makes."""
    f, args = PROGRAMS[name]
    for _ in range(2):
        with pytest.raises(OverflowError, match=r"does not fit (ui8|ui64|f16), "):
            f(*args)
    if not isinstance(args[-1], np.ndarray) and name != "eager":
        f(*args[:-1], 3)


def test_the_argument_is_named_and_strong_ones_are_free():
    with pytest.raises(OverflowError, match=r"^argument n: 300 does not fit ui8, which holds 0 to"):
        ADD(U8, n=300)
    assert ADD(U8, np.int32(300)).tolist() == [301, 302]
    assert ADD(U8, 4).tolist() == [5, 6]
    assert ADD(F16, float("inf")).tolist() == [float("inf")] * 2
