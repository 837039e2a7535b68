"""Tracers: what they know, and typed errors for what they do not, saying where they were born."""

import copy
import re

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.core.tracer import Tracer

HERE = re.escape(__file__)


def traced(f, *args):
    """What f does with tracers."""
    found = []

    def run(*tracers):
        found.append(f(*tracers))
        return 0

    anvl.trace(run, *args)
    return found[0]


def test_a_tracer_knows_its_type():
    x = np.ones((2, 3), "f4")
    assert traced(lambda x: (x.shape, x.dtype, x.ndim, x.size, len(x)), x) == (
        (2, 3), np.float32, 2, 6, 2,
    )  # fmt: skip
    assert traced(lambda x: x.aval, x) == anvl.aval("f32", (2, 3))
    assert traced(lambda x: x.weak_type, 1.0)
    assert not traced(lambda x: x.weak_type, x)


def test_its_text_says_its_type_and_where_it_was_born():
    text = traced(lambda x: repr(x * 2), np.float32(1))
    assert re.fullmatch(rf"Tracer\(f32\[\], from {HERE}:\d+:\d+\)", text)
    assert traced(lambda x: f"{x}", np.float32(1)).startswith("Tracer(f32[]")


REFUSED = {
    "bool": (
        lambda x: bool(x),
        r"use anvl.numpy.where or logical_and, or mark the argument static",
    ),
    "if": (lambda x: 1 if x > 0 else 2, "use anvl.numpy.where"),
    "and": (lambda x: x > 0 and x < 1, "use anvl.numpy.where or logical_and"),
    "not": (lambda x: not x, "use anvl.numpy.where"),
    "in": (lambda x: 1 in [x], "use anvl.numpy.where"),
    "int": (lambda x: int(x), r"use .astype\('i32'\), or mark the argument static"),
    "float": (lambda x: float(x), r"use .astype\('f32'\)"),
    "complex": (lambda x: complex(x), r"use .astype\('c64'\)"),
    "range": (lambda x: range(x), "mark the argument static, or use its .shape"),
    "index": (lambda x: [1, 2][x], "index anvl.numpy.asarray(x)[i], mark the argument static"),
    "repeat a list": (lambda x: [1] * int(x), "mark the argument static"),
    "asarray": (lambda x: np.asarray(x), "use the function of the same name in anvl.numpy"),
    "np.sum": (lambda x: np.sum([x]), "use the function of the same name in anvl.numpy"),
    "item": (lambda x: x.item(), "return the array and call .item() on the result"),
    "tolist": (lambda x: x.tolist(), "return the array and call .tolist() on the result"),
    "numpy": (lambda x: x.numpy(), "return the array and call .numpy() on the result"),
    "format": (lambda x: f"{x:.3f}", "format with '.3f' needs the value"),
    "pickle": (lambda x: x.__reduce__(), "return the array and pickle the result"),
    "math": (lambda x: __import__("math").sin(x), "use .astype"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_needs_a_value_is_refused_with_the_birthplace_and_a_remedy(what):
    use, remedy = REFUSED[what]

    def f(x):
        born = x * 2
        return use(born)

    with pytest.raises(anvl.TraceError) as caught:
        anvl.trace(f, 1.0)
    message = str(caught.value)
    assert remedy.replace("\\", "") in message or re.search(remedy, message)
    line = f.__code__.co_firstlineno + 1
    if what not in ("if", "and", "in"):  # there the comparison is what was asked
        assert re.search(rf"f32\?\[\] from {HERE}:{line}:\d+", message)


@pytest.mark.parametrize("i", [0, [1, 0], [True, False]])
def test_a_numpy_array_indexed_by_a_traced_array_says_how_to_index(i):
    with pytest.raises(anvl.TraceError, match=r"index anvl\.numpy\.asarray\(x\)\[i\]"):
        anvl.trace(lambda i: np.arange(2.0)[i], np.asarray(i))


def test_an_argument_is_born_where_its_function_is_called():
    with pytest.raises(anvl.TraceError, match=r"f32\?\[\] from .*test_tracer.py:\d+"):
        anvl.trace(lambda x: bool(x), 1.0)


def test_a_numpy_function_of_a_tracer_is_refused():
    for use in (np.sin, np.add.reduce, lambda x: np.add(x, 1), np.concatenate, np.linalg.inv):
        with pytest.raises(anvl.TraceError, match=r"needs the value .* f64\[2?\] from .*; use "):
            anvl.trace(use, np.ones(2))


def test_a_numpy_array_on_the_left_defers_to_the_tracer():
    w = np.asarray([1.0, 2.0])
    for f in (
        lambda x: w + x,
        lambda x: w @ x,
        lambda x: w[0] * x,
        lambda x: w > x,
        lambda x: w**x,
    ):
        assert type(traced(f, w)) is Tracer


def test_a_tracer_cannot_be_a_key():
    for use in (hash, lambda x: {x: 1}, lambda x: {x}, lambda x: x in {1: 2}):
        with pytest.raises(TypeError, match=r"a traced value f32\?\[\] cannot be hashed"):
            anvl.trace(use, 1.0)


def test_len_and_iteration_need_an_axis():
    with pytest.raises(TypeError, match=r"len\(\) of an array without axes"):
        anvl.trace(len, 1.0)
    with pytest.raises(TypeError, match=r"iteration over an array without axes, .*x.item"):
        anvl.trace(lambda x: [*x], 1.0)
    assert traced(lambda x: [row.shape for row in x], np.ones((2, 3))) == [(3,), (3,)]


def test_unpacking_a_tracer_unpacks_its_first_axis():
    assert anvl.jit(lambda x: (lambda a, b: a - b)(*x))(np.asarray([5.0, 3.0])).item() == 2.0


def test_copies_of_a_tracer_are_itself():
    assert traced(lambda x: (copy.copy(x) is x, copy.deepcopy([x])[0] is x), 1.0) == (True, True)


def test_attributes_and_items_cannot_be_set():
    def assign(x):
        x[0] = 1

    with pytest.raises(TypeError, match="arrays are never changed in place"):
        anvl.trace(assign, np.ones(2))
    with pytest.raises(AttributeError):
        anvl.trace(lambda x: setattr(x, "name", 1), 1.0)


def test_comparing_with_none_or_text_is_not_an_array():
    assert traced(lambda x: (x is None, x == None, x != "a"), 1.0) == (False, False, True)  # noqa: E711
    with pytest.raises(TypeError, match="unsupported operand"):
        anvl.trace(lambda x: x + "a", 1.0)
    with pytest.raises(TypeError, match="not an array of numbers"):
        anvl.trace(lambda x: ["a"] + x, 1.0)  # noqa: RUF005


@pytest.mark.sweep(keep=18)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + 1, lambda x: 1 - x, lambda x: x * x, lambda x: 2 / x, lambda x: x // 2,
        lambda x: 7 // x,
        lambda x: x % 2, lambda x: 7 % x, lambda x: x**2, lambda x: 2**x, lambda x: x**-1.0,
        lambda x: -x,
        lambda x: +x, lambda x: abs(x), lambda x: x < 2, lambda x: 2 >= x, lambda x: x == 2,
        lambda x: x != 2,
        lambda x: divmod(x, 2)[0], lambda x: divmod(7, x)[1], lambda x: x @ x,
        lambda x: x.sum(), lambda x: x.mean(axis=0), lambda x: x.T,
        lambda x: x.reshape(3, 1), lambda x: x.reshape((1, 3)),
        lambda x: x.reshape(-1), lambda x: x.transpose(), lambda x: x.astype("i32"),
        lambda x: x.max(), lambda x: x.std(),
        lambda x: x.ravel(), lambda x: x.flatten(), lambda x: x.clip(1, 2),
        lambda x: x.dot(x), lambda x: x.round(1),
        lambda x: x.repeat(2), lambda x: x.argmax(), lambda x: x.conj(), lambda x: x.real,
        lambda x: x.imag, lambda x: x.prod(),
        lambda x: x.any(), lambda x: x.all(), lambda x: x.var(), lambda x: x.min(),
        lambda x: x.argmin(), lambda x: x.squeeze(),
        lambda x: x.ptp() if hasattr(x, "aval") else np.ptp(x), lambda x: x[1:],
        lambda x: x[None].swapaxes(0, 1), lambda x: x.sort() if hasattr(x, "aval") else np.sort(x),
        lambda x: x.argsort(), lambda x: x.argpartition(0)[:1], lambda x: x.searchsorted(1.5),
        lambda x: x.compress([True, False, True]), lambda x: x.view("int64"), lambda x: x.copy(),
        lambda x: x.view("uint8"), lambda x: x.view("uint8").view("float32"),
    ],
)  # fmt: skip
def test_operators_and_methods_agree_with_numpy_eagerly_and_traced(f):
    x = np.asarray([1.25, 2.0, -3.5])
    astype = f.__code__.co_consts
    expected = x.astype("int32") if "i32" in astype else f(x)
    for found in (f(anp.asarray(x)), anvl.jit(f)(x)):
        places = {"arg", "searchsorted"}  # those are i32
        is_place = any(name in str(f.__code__.co_names) for name in places)
        assert is_place or found.dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(np.asarray(found), expected, rtol=rounding(PROGRAM))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x & 3, lambda x: 3 | x, lambda x: x ^ 5, lambda x: x << 2, lambda x: x >> 1,
        lambda x: ~x, lambda x: 9 >> x,
    ],
)  # fmt: skip
def test_operators_on_bits(f):
    x = np.asarray([1, 2, 5], "int32")
    np.testing.assert_array_equal(np.asarray(f(anp.asarray(x))), f(x))
    np.testing.assert_array_equal(np.asarray(anvl.jit(f)(x)), f(x))


def test_mt_is_the_transpose_of_matrices():
    x = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(np.asarray(anp.asarray(x).mT), x.mT)
