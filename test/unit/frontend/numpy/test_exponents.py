"""`frexp` and `ldexp` to the bit, with derivatives; and other ways through the bits of a float."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect.core.errors import MissingRule

DRAW = np.random.default_rng(0)
UNSIGNED = {"f8": "u8", "f4": "u4", "f2": "u2"}


def any_bits(dtype, count=2000):
    """Floats of any bits, with those that are none, or have fewer digits than others."""
    u = UNSIGNED[dtype]
    drawn = DRAW.integers(0, np.iinfo(u).max, count, u).view(dtype)
    tiny = np.finfo(dtype).smallest_subnormal
    edges = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1,
        -1,
        0.5,
        2,
        np.finfo(dtype).max,
        tiny,
        -5 * tiny,
    ]
    return np.concatenate([drawn, np.asarray(edges, dtype)])


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_they_agree_with_numpy_to_the_bit(dtype):
    x = any_bits(dtype)
    reach = 3 * np.finfo(dtype).maxexp
    n = DRAW.integers(-reach, reach, x.size, "i4")
    close = 1 + DRAW.random(3000).astype(dtype)  # to results with fewer digits
    low = DRAW.integers(np.finfo(dtype).minexp - np.finfo(dtype).nmant - 3, 0, 3000, "i4")
    found = anvl.jit(lambda x, n: (*anp.frexp(x), anp.ldexp(x, n), anp.ldexp(close, low)))(x, n)
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(x)
        expected = fraction, np.where(np.isfinite(x), exponent, 0), np.ldexp(x, n)
        expected = *expected, np.ldexp(close, low)
    for a, b in zip(map(np.asarray, found), expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
        if a.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))


def test_their_derivatives_are_powers_of_two():
    x, n = np.array([3.0, -0.375, 1e-100, 8.0]), np.array([4, -3, 1000, 0])
    exact = np.ldexp(1.0, -np.frexp(x)[1])
    slopes = anvl.jit(anvl.vmap(anvl.grad(lambda x: anp.frexp(x)[0])))(x)
    np.testing.assert_array_equal(np.asarray(slopes), exact)
    by_both = anvl.vmap(anvl.grad(lambda x, n: anp.ldexp(x, n)))(x, n)
    np.testing.assert_array_equal(np.asarray(by_both), np.ldexp(1.0, n))
    f = lambda x: anp.ldexp(x * x, 5)  # noqa: E731
    assert anvl.grad(anvl.grad(f))(3.0).item() == 64.0
    assert anvl.jvp(f, (3.0,), (0.5,))[1].item() == 96.0
    back = anvl.jit(anvl.grad(lambda x: anp.sum(anp.ldexp(*anp.frexp(x)) * x)))(x)
    np.testing.assert_array_equal(np.asarray(back), 2 * x)
    assert anvl.grad(lambda x: x * anp.frexp(x)[1].astype("f8"))(np.float64(3)).item() == 2.0


def test_dtypes_and_shapes():
    x = np.ones((2, 1), "f4")
    assert anp.ldexp(x, np.arange(3)).shape == (2, 3)
    assert anp.ldexp(x, 3).dtype == "f4"
    assert anp.ldexp(anp.asarray(x), 3).tolist() == [[8.0], [8.0]]
    assert anp.ldexp(1.0, np.array([10**12, -(10**12)])).tolist() == [float("inf"), 0.0]
    assert anp.ldexp(3, np.array([2**64 - 1], "u8")).tolist() == [float("inf")]
    assert anp.ldexp(x.astype(anp.bfloat16), -1)[0, 0].item() == 0.5
    shifts = np.array([1, -1, -70, 3], "i4")
    assert prim.ldexp(np.array([5, -5, -5, 100], "i1"), shifts).tolist() == [10, -3, -1, 32]
    assert prim.ldexp(np.array([5, 5, 5, 100], "u1"), shifts).tolist() == [10, 2, 0, 32]
    assert [y.dtype for y in anp.frexp(np.array([3, 8]))] == ["f4", "i4"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anp.ldexp(np.ones(2), np.ones(2)), r"ldexp: the exponent is f64\[2\]; it must be"),
        (lambda: anp.ldexp(1j, 2), "ldexp: takes real numbers, got c64"),
        (lambda: anp.frexp(1j), "frexp: takes real numbers, got c64"),
        (
            lambda: prim.ldexp(np.ones(2), np.ones(2, "i8")),
            "ldexp: the exponents are tensor<2xi64>",
        ),
    ],
)
def test_other_dtypes_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def by_hand(x):
    """x * 8 by its exponent: it depends smoothly on x, which integers do not tell."""
    bits = prim.bitcast_convert(x, dtype="i64") + np.int64(3 << 52)
    return prim.bitcast_convert(bits.reshape(1)[0], dtype="f64")


X = np.float64(1.3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: anvl.grad(by_hand)(X),
        lambda: anvl.jvp(by_hand, (X,), (X,)),
        lambda: anvl.vjp(by_hand, X)[1](X),
        lambda: anvl.linearize(by_hand, X)[1](X),
        lambda: anvl.jit(anvl.vmap(anvl.grad(lambda x: anp.sin(x) * by_hand(x))))(np.ones(2)),
    ],
)
def test_a_float_made_of_the_bits_of_another_has_no_derivative(call):
    way = "anvl.bitcast_convert -> anvl.add -> .* -> anvl.bitcast_convert"
    with pytest.raises(MissingRule, match=rf"bits carry no derivative \(reached by .*{way}\)"):
        call()


def to_bits(x):
    return prim.bitcast_convert(x, dtype="i64")


def from_bits(i):
    return prim.bitcast_convert(i, dtype="f64")


@anvl.custom_jvp
def of_its_author(x):
    return to_bits(x)


of_its_author.defjvp(lambda primals, result, tangents: None)
I0 = np.int64(0)


def adding(i, x):
    return anvl.fori_loop(0, 3, lambda _, c: c + from_bits(i), x)


#: Ways from a float to its bits and back, through calls and ops of several results.
THROUGH = {
    "function": lambda x: from_bits(anvl.jit(to_bits)(x)),
    "branches": lambda x: from_bits(anvl.cond(x > 0, to_bits, lambda x: I0, x)),
    "from branches": lambda x: anvl.cond(x > 0, from_bits, lambda i: 1.0 * x, to_bits(x)),
    "carry": lambda x: from_bits(anvl.scan(lambda i, _: (i + 1, None), to_bits(x), None, 3)[0]),
    "stacked": lambda x: from_bits(anvl.scan(lambda c, _: (c, to_bits(c)), x, None, 3)[1][2]),
    "row": lambda x: anvl.scan(lambda c, i: (c + from_bits(i), 0), x, to_bits(x)[None])[0],
    "closed over": lambda x: adding(to_bits(x), x),
    "next step": lambda x: anvl.scan(
        lambda c, _: ((from_bits(c[1]), to_bits(c[0])), None), (x, I0), None, 3)[0][0],
    "while": lambda x: from_bits(anvl.while_loop(lambda i: i < 9, lambda i: i + 1, to_bits(x))),
    "next while": lambda x: anvl.while_loop(
        lambda c: c[2] < 3, lambda c: (from_bits(c[1]), to_bits(c[0]), c[2] + 1), (x, I0, I0))[0],
    "nested": lambda x: from_bits(anvl.scan(lambda i, _: (anvl.scan(
        lambda k, _: (k + 1, None), i, None, 2)[0], None), to_bits(x), None, 3)[0]),
    "checkpoint": lambda x: from_bits(anvl.checkpoint(to_bits)(x)),
    "custom": lambda x: from_bits(of_its_author(x)),
    "sort": lambda x: from_bits(anp.sort(anp.stack([to_bits(x), I0]))[0]),
    "top_k": lambda x: from_bits(anp.top_k(anp.stack([to_bits(x), I0]), 1)[0][0]),
}  # fmt: skip


@pytest.mark.parametrize("name", THROUGH)
def test_a_derivative_through_bits_in_calls_is_missing(name):
    f = THROUGH[name]
    for call in (lambda: anvl.grad(f)(X), lambda: anvl.jvp(f, (X,), (X,))):
        with pytest.raises(MissingRule, match=r"bitcast_convert.* carry no derivative"):
            call()
    assert not anvl.why_not_differentiable(f, X).zero


def test_integers_of_calls_that_are_no_bits_are_flat():
    def scaled(x):
        counted = anvl.fori_loop(0, 3, lambda i, c: c + 1, anp.floor(x).astype("i64"))
        power = from_bits((counted + 1019) << 52)
        sign = anvl.cond(to_bits(x) > 0, lambda: 2.0, lambda: 3.0)
        order = anp.argsort(anp.stack([to_bits(x), I0]))
        return x * power * sign * anp.stack([1.0 * x, x])[order[0]]

    slope = anvl.grad(scaled)(X).item()
    assert slope == anvl.jvp(scaled, (X,), (np.float64(1),))[1].item() == 2 * 2 * 1.3


def test_bits_that_become_no_float_are_flat():
    def scaled(x):
        exponent = prim.bitcast_convert(x, dtype="i64") >> 52
        return x * exponent.astype("f64") * anp.where(by_hand(x) > 0, 2.0, 1.0)

    assert anvl.grad(scaled)(X).item() == 2 * 1023.0
    assert anvl.grad(lambda x: x * by_hand(anvl.stop_gradient(x)))(X).item() == 10.4
    report = anvl.why_not_differentiable(by_hand, X)
    assert [f.op for f in report] == ["anvl.bitcast_convert"] and not report.zero
