"""Calls with keywords, static values and defaults: found by generated code, however spelled."""

import functools

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dispatch.call_slots import CallSlots
from anvl.dispatch.jit import Jit

A, B, C = (anp.asarray(np.float32([i, 2 * i])) for i in (1.0, 3.0, 5.0))


def plain(x, y, z=None, n=2, v=None, u=None, *, mode="sum", w=None, a=None):
    found = (x - 2 * y) * n
    for i, more in enumerate((z, w, a, u, v), 3):
        found = found if more is None else found + i * more
    return found if mode == "sum" else -found


JITTED = anvl.jit(plain, static=("n", "mode"))

CALLS = {
    "by position": lambda f: f(A, B),
    "keywords": lambda f: f(x=A, y=B),
    "keywords, reordered": lambda f: f(y=B, x=A),
    "an optional one": lambda f: f(A, B, C),
    "an optional one by name": lambda f: f(A, z=C, y=B),
    "a gap": lambda f: f(A, B, w=C),
    "two behind a gap, not in order of names": lambda f: f(A, B, w=A, a=C),
    "reordered behind a gap": lambda f: f(A, B, a=C, w=A),
    "one array twice": lambda f: f(A, B, a=A, w=A),
    "by position behind a gap": lambda f: f(A, B, v=A, u=C),
    "reordered by position behind a gap": lambda f: f(A, B, u=A, v=C),
    "a gap of a static default": lambda f: f(A, B, C, 2, A, B),
    "all": lambda f: f(A, B, C, 3, B, A, mode="minus", w=A, a=B),
    "a default given": lambda f: f(A, B, n=2),
    "a default given by position": lambda f: f(A, B, None, 2),
    "another static value": lambda f: f(A, B, n=3),
    "static ones, reordered": lambda f: f(A, mode="minus", y=B, n=3),
    "None given": lambda f: f(A, B, z=None, a=None),
}


@pytest.fixture
def known_only(monkeypatch):
    """From `known_only()` on, a call that generated code does not know is an error."""

    def refuse(*_, **__):
        raise AssertionError("generated code did not know the call")

    def begin(*, leaves=False):
        monkeypatch.setattr(Jit, "_slow", refuse)
        if not leaves:
            monkeypatch.setattr(CallSlots, "_run", refuse)

    return begin


@pytest.mark.parametrize("what", CALLS)
def test_each_spelling_has_the_value_of_the_plain_function(what):
    for _ in range(3):
        assert np.array_equal(CALLS[what](JITTED), CALLS[what](plain))


def test_spellings_follow_each_other_in_any_order():
    f = anvl.jit(plain, static=("n", "mode"))
    for names in (list(CALLS), list(reversed(CALLS))):
        for name in names:
            assert np.array_equal(CALLS[name](f), CALLS[name](plain)), name


UNSORTED = (
    "by position behind a gap", "reordered by position behind a gap", "a gap of a static default",
)  # fmt: skip


@pytest.mark.parametrize("what", [name for name in CALLS if name not in (*UNSORTED, "None given")])
def test_known_calls_run_in_generated_code(what, known_only):
    if what == "a default given by position":  # its None is no array
        return
    expected = CALLS[what](JITTED)
    known_only()
    assert np.array_equal(CALLS[what](JITTED), expected)


def test_numbers_numpy_arrays_and_trees_are_found_by_their_structure(known_only):
    f = anvl.jit(
        lambda d, x, y=0.5, *, mode="a": (d["w"] + x * y, float(mode == "a")), static="mode"
    )
    calls = [
        lambda: f({"w": A}, B),
        lambda: f({"w": A}, B, 0.5),
        lambda: f({"w": A}, x=2.0, y=0.25, mode="b"),
        lambda: f({"w": np.ones(2, np.float32)}, x=B, mode="b"),
    ]
    expected = [[np.asarray(y) for y in call()] for call in calls]
    known_only(leaves=True)
    for call, values in zip(calls, expected, strict=True):
        assert all(map(np.array_equal, map(np.asarray, call()), values))


def test_a_tree_of_one_array_is_not_that_array():
    f = anvl.jit(lambda x, *, k: (x, k), static="k")
    g = anvl.jit(lambda x: (x,))
    for x in (A, {"w": A}, [A], A, (A,), {"w": A}) * 2:
        assert type(f(x, k=1)[0]) is type(g(x)[0]) is type(x)


def test_a_number_that_equals_its_default_is_a_part_of_the_function():
    """Also where a program for other numbers is known."""
    f = anvl.jit(lambda x, n=2: x + (0 if isinstance(n, int) else 10 + n))
    assert f(A, 3)[0] == 14 and f(A, 2)[0] == f(A)[0] == f(A, n=2)[0] == 1
    assert f(A, True)[0] == 12 and f(A, 2.0)[0] == 13 and f(A, n=4)[0] == 15
    assert f.cache_size() == 4


VALUES = (
    1, True, 1.0, 0.0, -0.0, "1", b"1", None, (1,), (True,), (1.0,), ((1,), "a"), np.int32(1), int,
)  # fmt: skip


def test_static_values_that_python_finds_equal_are_told_apart(known_only):
    numbers = {f"{type(k)}{k!r}": float(i) for i, k in enumerate(VALUES)}
    f = anvl.jit(lambda x, k: x * 0 + numbers[f"{type(k)}{k!r}"], static="k")
    for _ in range(2):
        assert [float(np.asarray(f(A, k))[0]) for k in VALUES] == list(range(len(VALUES)))
        assert [float(np.asarray(f(k=k, x=A))[0]) for k in VALUES] == list(range(len(VALUES)))
        known_only()
    assert f.cache_size() == len(VALUES)


@pytest.mark.parametrize("value", [[1], {"a": 1}, A, np.ones(2), ([],)])
def test_a_static_value_without_a_hash_is_refused_each_time(value):
    f = anvl.jit(lambda x, k=1: x, static="k")
    f(A)
    for call in (lambda: f(A, value), lambda: f(A, k=value), lambda: f({"w": A}, k=value)) * 2:
        with pytest.raises(TypeError, match=r"static argument (1|k) is"):
            call()


def test_names_that_generated_code_uses_itself():
    def f(new, array, cache, results, *, slow, missing, constants, rebuild, a0=None, simple="s"):
        return new - array * 2 + cache * 3 - results * 4 + slow * 5 - missing, constants, rebuild

    jitted = anvl.jit(f, static="simple")
    for _ in range(2):
        found = jitted(A, B, results=C, cache=A, missing=B, slow=C, rebuild=A, constants=B)
        expected = f(A, B, results=C, cache=A, missing=B, slow=C, rebuild=A, constants=B)
        assert all(map(np.array_equal, found, expected))


WRONG = [
    lambda f: f(),
    lambda f: f(A),
    lambda f: f(A, B, C, 2, A, B, C),
    lambda f: f(A, B, x=A),
    lambda f: f(A, B, unknown=A),
]


@pytest.mark.parametrize("call", WRONG)
def test_errors_of_a_call_are_those_of_the_plain_function(call):
    with pytest.raises(TypeError) as expected:
        call(plain)
    with pytest.raises(TypeError) as found:
        call(JITTED)
    assert str(found.value) == str(expected.value)


def test_a_setting_of_a_block_has_programs_of_its_own():
    f = anvl.jit(lambda x, *, k: x * 1.5 + k, static="k")
    for _ in range(2):
        assert f(2, k=1).dtype == np.float32
        with anvl.defaults(float="f64"):
            assert f(2, k=1).dtype == np.float64 and f(A, k=1).dtype == np.float32
        assert f(A, k=1)[0] == 2.5


def test_dropped_programs_are_not_found():
    f = anvl.jit(lambda x, *, k: x + k, static="k", cache_size=2)
    for _ in range(2):
        assert [f(A, k=k)[0] for k in range(5)] == [1, 2, 3, 4, 5]
    assert f.cache_size() == 2
    f.clear_cache()
    assert f(A, k=1)[0] == 2 and f.cache_size() == 1


def test_deleted_and_twice_donated_arrays_are_named():
    f = anvl.jit(lambda x, y=None, *, k: x + (0 if y is None else y) + k, static="k", donate="y")
    x, y = anp.asarray(np.ones(2)), anp.asarray(np.ones(2))
    f(x, k=1), f(x, y=y.copy(), k=1)
    for argument in ("x", "y"):
        gone = anp.asarray(np.ones(2))
        gone.delete()
        with pytest.raises(anvl.RuntimeFailure, match=f"argument {argument}: array"):
            f(**{"x": x, "y": y.copy(), argument: gone}, k=1)
    with pytest.raises(anvl.RuntimeFailure, match="arguments x and y are the same array"):
        f(x, k=1, y=x)
    g = anvl.jit(lambda x, y=None, z=None, *, w: x + w)
    g(x, w=y)
    y.delete()
    with pytest.raises(anvl.RuntimeFailure, match="argument w: array"):
        g(x, w=y)


class Model:
    rate = 2.0

    def f(self, x, *, n=1):
        return x * self.rate * n

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return isinstance(other, Model) and self.rate == other.rate


def test_methods_partials_and_positional_only_parameters():
    model = Model()
    f, g = anvl.jit(model.f, static="n"), anvl.jit(Model.f, static=("self", "n"))
    h = anvl.jit(functools.partial(plain, n=3), static="n")
    p = anvl.jit(lambda x, /, y=2.0, *, x_=None: x * y, static="x_")
    for _ in range(2):
        assert f(A, n=2)[0] == f(n=2, x=A)[0] == g(model, n=2, x=A)[0] == 4
        assert np.array_equal(h(A, y=B), plain(A, B, n=3))
        assert np.array_equal(h(A, B, n=2), plain(A, B))
        assert p(A)[1] == 4 and p(A, y=B)[1] == 12 and p(A, x_=1)[0] == 2


def test_a_jitted_function_in_a_trace_takes_keywords():
    f = anvl.jit(lambda x, *, k, y=1.0: x * k + y, static="k")
    g = anvl.jit(lambda x: f(y=x, k=2, x=x) + f(x, k=3))
    assert g(A)[0] == 1 * 2 + 1 + 1 * 3 + 1
    assert anvl.grad(lambda x: f(x, k=2, y=x * x))(3.0) == 2 + 6


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "i1", "?"])
def test_numbers_in_functions_of_anvl_take_dtypes_from_arrays(dtype, known_only):
    x, values = anp.asarray(np.asarray([1, 0], dtype)), (0.5, 2.5, -0.0, True, 0.5)
    ways = [lambda y: anp.minimum(x, y), lambda y: anp.minimum(y, x), lambda y: anp.minimum(x, x)]
    expected = [repr(way(y)) for way in ways for y in values]
    for _ in range(4):
        assert [repr(way(y)) for way in ways for y in values] == expected
    known_only()
    assert [repr(way(y)) for way in ways for y in values] == expected


@pytest.mark.parametrize(
    "of", [float, np.float64, np.float32, np.float16, anp.bfloat16, np.complex64]
)
@pytest.mark.parametrize("within", [lambda n: n, lambda n: (n,), lambda n: frozenset([n])])
def test_static_zeros_of_both_signs_are_two_values(of, within):
    f = anvl.jit(lambda x, n: np.signbit(np.asarray(np.real(*n))) + x, static="n")
    g = anvl.jit(lambda x, n: f(x, n if isinstance(n, tuple) else (*n,)), static="n")
    for _ in range(2):
        for zero, sign in ((of(0.0), 0), (of(-0.0), 1)):
            given = within(zero)
            h = g if isinstance(given, frozenset) else f
            assert h(0, given if isinstance(given, tuple | frozenset) else (given,)) == sign


X = anp.asarray(np.arange(24.0).reshape(2, 3, 4))
CHANGED = {
    "reshape": (lambda s: anp.reshape(X, s), [6, 4], [4, 6]),
    "a method": (lambda s: X.transpose(s), [1, 0, 2], [2, 1, 0]),
    "an array": (lambda s: anp.roll(X, s, axis=(0, 1)), np.asarray([1, 2]), np.asarray([1, 1])),
    "an array of one": (lambda s: anp.roll(X, s), np.asarray(1), np.asarray(2)),
    "lists in a list": (lambda s: anp.tensordot(X, X, axes=s), [[0], [0]], [[1], [1]]),
    "pairs": (lambda s: anp.pad(X, s), [[0, 1], [0, 0], [0, 0]], [[0, 0], [1, 0], [0, 0]]),
    "a shape": (anp.ones, [2, 3], [3, 2]),
    "of lax": (lambda s: anvl.lax.transpose(X, s), [1, 0, 2], [0, 2, 1]),
    "a start": (
        lambda s: anvl.windows.reduce_window(X, anp.add, s, 2),
        np.asarray(0.0),
        np.asarray(1.0),
    ),
    "beside a tree": (lambda s: anvl.random.normal(anvl.random.key(0), s), [2, 3], [3, 2]),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_list_or_array_that_decides_the_program_is_read_at_each_call(name):
    """A known call is found by the numbers in a list, not by the list, which may have changed."""
    f, before, after = CHANGED[name]
    given = before.copy() if isinstance(before, np.ndarray) else [*before]
    for _ in range(3):
        f(given)
    given[... if isinstance(given, np.ndarray) else slice(None)] = after
    expected = anvl.jit(lambda: f(after))()
    assert f(given).shape == expected.shape and np.array_equal(f(given), expected)
