"""`jit`: what makes a new program and what does not, how it is called, what it says of itself."""

import functools

import numpy as np
import pytest

import anvl
import anvl.numpy as anp


def counted(f=lambda *args, **kwargs: (args, kwargs), **options):
    """f, jitted, and the list of its traces."""
    traces = []

    @functools.wraps(f)
    def run(*args, **kwargs):
        traces.append((args, kwargs))
        return f(*args, **kwargs)

    return anvl.jit(run, **options), traces


# What is part of the key


def test_equal_types_run_one_program_whatever_the_values():
    f, traces = counted(lambda x, y: x + y)
    for x, y in [(np.ones(2), 1.0), (np.zeros(2), 2.0), (anp.asarray(np.ones(2)), 3.5)]:
        np.testing.assert_array_equal(np.asarray(f(x, y)), np.asarray(x) + y)
    assert len(traces) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.ones(2), np.ones(3)), (np.ones(2), np.ones((1, 2))), (np.ones(2), np.ones(2, "f4")),
        (1, 1.0), (1, True), (1.0, 1j),
        (1.0, np.float32(1)), (1, np.int32(1)), ([1.0], (1.0,)), ({"a": 1.0}, {"b": 1.0}),
        ([1.0], [1.0, 1.0]), (None, 1.0),
    ],
)  # fmt: skip
def test_dtype_shape_weakness_and_structure_make_another_program(first, second):
    f, traces = counted()
    for x in (first, second, first, second):
        f(x)
    assert len(traces) == 2
    assert f.cache_size() == 2


def test_positions_and_keywords_are_different_calls_of_one_function():
    def f(x, y=10.0):
        return x - y

    g, traces = counted(f)
    assert [g(3.0, 2.0).item(), g(3.0, y=2.0).item(), g(y=2.0, x=3.0).item()] == [1.0] * 3
    assert g(3.0).item() == -7.0
    assert len(traces) == 4
    g(x=5.0, y=1.0), g(y=7.0, x=8.0)
    assert len(traces) == 4


def test_nothing_is_traced_before_the_first_call_and_the_cache_can_be_cleared():
    f, traces = counted(lambda x: x + 1)
    assert (len(traces), f.cache_size()) == (0, 0)
    f(1.0), f(2.0)
    assert (len(traces), f.cache_size()) == (1, 1)
    f.clear_cache()
    assert f.cache_size() == 0
    assert f(3.0).item() == 4.0
    assert len(traces) == 2


def test_lowering_and_tracing_do_not_fill_the_cache():
    f, traces = counted(lambda x: x + 1)
    f.lower(1.0).compile()(2.0)
    assert f.cache_size() == 0
    assert len(traces) == 1


def test_an_error_while_tracing_leaves_nothing_in_the_cache():
    fail = [True]

    @anvl.jit
    def f(x):
        if fail[0]:
            raise ValueError("not now")
        return x

    with pytest.raises(ValueError, match="not now"):
        f(1.0)
    assert f.cache_size() == 0
    fail[0] = False
    assert f(1.0).item() == 1.0


# Static arguments


def test_static_arguments_are_part_of_the_program_by_name_or_position():
    for static in ("n", 1, ("n",), [1], -1):
        f, traces = counted(lambda x, n: x**n, static=static)
        assert [f(2.0, 3).item(), f(3.0, 3).item(), f(2.0, 2).item()] == [8.0, 27.0, 4.0]
        assert f(2.0, n=2).item() == 4.0
        assert [args[1] for args, _ in traces[:2]] == [3, 2]


def test_static_values_are_told_apart_by_type_and_sign():
    f, traces = counted(lambda n: 0.0, static=0)
    for n in (1, 1.0, True, 0.0, -0.0, (1,), (1.0,), "a", b"a", None, frozenset([1])):
        f(n), f(n)
    assert len(traces) == 11


def test_functions_types_enums_and_frozen_values_are_static():
    f = anvl.jit(lambda g, x: g(x), static="g")
    assert f(anp.negative, 2.0).item() == -2.0
    assert f(lambda x: x * 3, 2.0).item() == 6.0
    assert anvl.jit(lambda t, x: x.astype(t), static="t")(np.float64, 2.0).dtype == np.float64


def test_a_static_keyword_only_argument_and_a_default():
    @anvl.jit(static=("mode",))
    def f(x, *, mode="sum"):
        return getattr(anp, mode)(x)

    x = np.asarray([1.0, 2.0, 4.0])
    assert (f(x).item(), f(x, mode="max").item(), f(x, mode="sum").item()) == (7.0, 4.0, 7.0)


def test_static_arguments_of_a_function_that_takes_any():
    f = anvl.jit(lambda *xs, **more: sum(xs[1:]) * xs[0] + more["k"], static=(0, "k"))
    assert f(3, 1.0, 2.0, k=4).item() == 13.0


class Mutable:
    pass


class HashedList(list):
    __hash__ = object.__hash__


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], r"static argument 0 is \[1\] of type list, which cannot be hashed; use a tuple"),
        ({"a": 1}, "of type dict, which cannot be hashed"),
        ({1}, "of type set, which cannot be hashed"),
        (([1],), "of type tuple, which cannot be hashed"),
        (np.ones(2), "static argument 0 is an array .*pass arrays as ordinary arguments"),
        (Mutable(), "compares by identity, so changing it would go unnoticed"),
        (HashedList([1]), "of type HashedList, whose elements can change; use a tuple"),
    ],
)
def test_static_values_that_can_change_are_refused(value, message):
    with pytest.raises(TypeError, match=message):
        anvl.jit(lambda n, x: x, static=0)(value, 1.0)


def test_a_static_traced_value_is_refused():
    inner = anvl.jit(lambda n: n, static=0)
    with pytest.raises(TypeError, match="static argument 0 is an array"):
        anvl.jit(lambda x: inner(x))(1.0)


@pytest.mark.parametrize(
    ("static", "kind", "message"),
    [
        ("z", ValueError, "static: f has no argument 'z'; it has 0 x, 1 n"),
        (2, ValueError, "static: f has no argument 2; it has 0 x, 1 n"),
        (-3, ValueError, "static: f has no argument -3"),
        (1.5, TypeError, "static: 1.5 is neither the name of an argument nor its position"),
        (True, TypeError, "static: True is neither"),
    ],
)
def test_a_static_argument_that_is_not_there_is_refused(static, kind, message):
    def f(x, n):
        return x

    with pytest.raises(kind, match=message):
        anvl.jit(f, static=static)


def test_a_negative_position_among_any_number_of_arguments_is_refused():
    with pytest.raises(ValueError, match=r"takes \*args, so position -1 is not defined"):
        anvl.jit(lambda *xs: xs, static=-1)


# How it is called


def test_as_a_decorator_with_and_without_arguments():
    @anvl.jit
    def f(x):
        """Says what it is."""
        return x + 1

    @anvl.jit(static="n")
    def g(x, n):
        return x * n

    assert (f(1.0).item(), g(2.0, 3).item()) == (2.0, 6.0)
    assert (f.__name__, f.__doc__) == ("f", "Says what it is.")


def test_a_method_is_bound_to_its_object():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        def __eq__(self, other):
            return self.scale == other.scale

        def __hash__(self):
            return hash(self.scale)

        @functools.partial(anvl.jit, static="self")
        def scaled(self, x):
            return x * self.scale

        @staticmethod
        @anvl.jit
        def twice(x):
            return x * 2

    assert Model(3).scaled(2.0).item() == 6.0
    assert Model(4).scaled(x=2.0).item() == 8.0
    assert Model.scaled(Model(5), 2.0).item() == 10.0
    assert Model.twice(2.0).item() == Model(1).twice(2.0).item() == 4.0


def test_a_method_on_a_registered_class_takes_its_object_as_a_tree():
    class Layer:
        def __init__(self, w):
            self.w = w

        @anvl.jit
        def __call__(self, x):
            return x @ self.w

    anvl.tree.register_node(Layer, lambda m: ((m.w,), None), lambda _, ws: Layer(*ws))
    assert Layer(np.ones((2, 3)))(np.ones(2)).tolist() == [2.0] * 3


def test_partials_callables_and_builtins_can_be_jitted():
    class Adder:
        def __call__(self, x, y):
            return x + y

    assert anvl.jit(Adder())(1.0, 2.0).item() == 3.0
    assert anvl.jit(functools.partial(Adder(), 5.0))(2.0).item() == 7.0
    assert anvl.jit(anp.sin)(0.0).item() == 0.0
    assert anvl.jit(anvl.jit(lambda x: x + 1))(1.0).item() == 2.0
    assert anvl.jit(abs)(-2.0).item() == 2.0


@pytest.mark.sweep(keep=0)
def test_many_arguments():
    f = anvl.jit(lambda *xs: sum(xs))
    assert f(*range(200)).item() == sum(range(200))
    assert f(*[np.ones(2)] * 300).tolist() == [300.0] * 2


def test_what_is_no_function_is_refused():
    for bad in (3, "f", None.__class__()):
        if bad is None:
            continue
        with pytest.raises(TypeError, match="jit: takes a function, got"):
            anvl.jit(bad)


def test_arguments_that_do_not_fit_are_pythons_own_errors():
    f = anvl.jit(lambda x, y=1.0: x)
    for call in (lambda: f(), lambda: f(1.0, 2.0, 3.0), lambda: f(1.0, z=2.0)):
        with pytest.raises(TypeError, match="argument"):
            call()


def test_a_jitted_function_is_not_copied_by_its_parts():
    f = anvl.jit(lambda *xs: xs)
    with pytest.raises(TypeError, match="cannot be pickled once jitted; pickle"):
        f.__reduce__()


# Numbers and arrays


def test_python_numbers_are_dynamic_and_weak():
    f, traces = counted(lambda x, n: x * n)
    assert f(np.ones(2, "f2"), 3).dtype == np.float16
    assert f(np.ones(2, "f2"), 4).tolist() == [4, 4]
    assert len(traces) == 1
    assert f(np.ones(2, "int8"), 2.5).dtype == np.float32


def test_a_number_too_large_for_its_default_is_refused():
    with pytest.raises(OverflowError, match=r"argument x: .*1099511627776 does not fit int32"):
        anvl.jit(lambda x: x)(2**40)
    assert anvl.jit(lambda x: x)(np.int64(2**40)).item() == 2**40


@pytest.mark.parametrize(
    "number, advice",
    [
        (2**40, r"pass np\.int64\(1099511627776\)"),
        (2**63, r"pass np\.uint64\(9223372036854775808\)"),
        (-(2**63) - 1, "pass a float: no integer dtype holds it"),
        (2**64, "pass a float: no integer dtype holds it"),
        pytest.param(10**5000, "an integer of 16610 bits does not .*; pass a float", id="huge"),
        (1e300, r"pass np\.float64\(1e\+300\)"),
        (1e300j, r"pass np\.complex128\(1e\+300j\)"),
    ],
)
def test_a_number_too_large_for_its_default_is_refused_with_a_dtype_that_holds_it(number, advice):
    with pytest.raises(OverflowError, match=f"argument x: .*{advice}"):
        anvl.jit(lambda x: x)(number)


def test_zero_minus_zero_nan_and_infinity_keep_their_bits():
    f = anvl.jit(lambda x: 1 / x)
    assert (f(0.0).item(), f(-0.0).item()) == (np.inf, -np.inf)
    assert np.isnan(f(float("nan")).item())
    assert f(float("inf")).item() == 0.0


def test_literals_keep_the_sign_of_the_zero_in_a_complex_number():
    x = np.complex64(0)
    signs = [
        np.signbit(anvl.jit(lambda _, c=c: anp.full((), c, "complex64"))(x).numpy().imag)
        for c in (complex(1, 0.0), complex(1, -0.0), complex(1, 0.0))
    ]
    assert signs == [False, True, False]


def test_numpy_arrays_of_any_layout_are_taken():
    x = np.arange(12.0).reshape(3, 4)
    f = anvl.jit(lambda x: x * 1)
    for given in (
        x.T,
        x[::2, ::-1],
        np.asfortranarray(x),
        x.astype(">f8"),
        np.broadcast_to(x[0], (2, 4)),
    ):
        np.testing.assert_array_equal(np.asarray(f(given)), given)


def test_numpy_arguments_may_change_after_the_call():
    x = np.ones(4)
    y = anvl.jit(lambda x: x + 1)(x)
    x[:] = 9
    assert y.tolist() == [2.0] * 4


def test_a_deleted_array_is_refused_by_name():
    x = anp.asarray([1.0, 2.0])
    f = anvl.jit(lambda weights: weights + 1)
    f(x)
    x.delete()
    with pytest.raises(anvl.RuntimeFailure, match="was deleted or donated"):
        f(x)


def test_a_deleted_constant_is_refused():
    w = anp.asarray([1.0, 2.0])
    f = anvl.jit(lambda x: x + w)
    f(1.0)
    w.delete()
    with pytest.raises(anvl.RuntimeFailure, match=r"execute: w f32\[2\] was deleted or donated"):
        f(1.0)


# jit in jit


def test_a_nested_jit_is_traced_once_a_signature():
    inner, traces = counted(lambda x: anp.sin(x) * 2)

    @anvl.jit
    def outer(x, y):
        return inner(x) + inner(x + 1) + inner(y)

    x, y = np.ones(3), np.float32(2)
    expected = np.sin(x) * 2 + np.sin(x + 1) * 2 + np.sin(y) * 2
    np.testing.assert_allclose(np.asarray(outer(x, y)), expected, rtol=1e-6)
    assert len(traces) == 2
    text = outer.lower(x, y).mlir("anvl")
    assert text.count("func.func private") == 2
    assert text.count("call @") == 3


def test_nested_jits_with_static_arguments_and_trees():
    @anvl.jit(static="n")
    def inner(params, n):
        return {"y": params["x"] ** n}

    f = anvl.jit(lambda x: inner({"x": x}, 2)["y"] + inner({"x": x}, n=3)["y"])
    assert f(2.0).item() == 12.0


def test_a_function_in_two_programs():
    inner = anvl.jit(lambda x: x * 2)
    assert anvl.jit(lambda x: inner(x) + 1)(1.0).item() == 3.0
    assert anvl.jit(lambda x: inner(x) - 1)(1.0).item() == 1.0
    assert inner(5.0).item() == 10.0
