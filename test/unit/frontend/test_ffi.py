"""`anvl.ffi`: handlers written in C, compiled here, called from programs."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full_like
from anvl.dialect.core.families import Linear
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Operand, Result, emit
from anvl.dialect.core.params.base import Float
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.ops.calls.ffi_call import foreign_call
from anvl.runtime import disk_cache
from anvl.testing import check_op
from anvl.testing.program import Program

SOURCE = Path(__file__).parent / "native" / "handlers.c"
X = np.arange(3, dtype="float32")
WIDE = np.array([0.5, 1.5])
HANDLERS = ("scale", "sum_and_difference", "count", "describe")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The handlers, compiled and registered."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    compiler = compiler or shutil.which("clang")
    if compiler is None:
        pytest.skip("this machine has no C compiler: no CC, cc, gcc or clang")
    path = tmp_path_factory.mktemp("native") / "handlers.so"
    command = [compiler, "-std=c11", "-O1", "-Wall", "-Werror", "-shared", "-fPIC"]
    command += ["-I", anvl.ffi.include_dir(), str(SOURCE), "-o", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in HANDLERS:
        anvl.ffi.register(f"test.{name}", path, symbol=name)
    return path


def scaled(x, factor, **how):
    return anvl.ffi.call("test.scale", x, x, factor=factor, **how)


# Calling


def test_eagerly_in_jit_and_as_mlir(library):
    assert np.array_equal(scaled(X, 2.0), 2 * X)
    f = anvl.jit(lambda x: scaled(x + 1, 0.5) * 2)
    assert np.array_equal(f(X), X + 1)
    text = f.lower(X).mlir("stablehlo")
    call = next(line for line in text.splitlines() if "custom_call" in line)
    assert "@test.scale" in call and "api_version = 4 : i32" in call
    assert "backend_config = {factor = 5.000000e-01 : f64}" in call


def test_a_program_that_calls_a_handler_is_not_kept_on_disk(library, tmp_path):
    with anvl.config(cache=True, cache_dir=tmp_path):
        assert np.array_equal(anvl.jit(lambda x: scaled(x - 1, 4.0))(X), 4 * (X - 1))
        disk_cache.flush()
    assert not disk_cache.Folder(tmp_path).kept()


def test_a_call_in_a_graph_shows_what_it_was_given():
    (call,) = anvl.trace(lambda x: scaled(x, 2.0), X).calls
    assert str(call) == (
        "%1: f32[3] = custom_call [call_target_name = test.scale, result_types = tensor<3xf32>, "
        "has_side_effect = False, backend_config = {factor = 2.000000e+00 : f64}, "
        "api_version = 4 : i32] (%x1)"
    )


def test_results_are_one_or_several(library):
    x, y = np.array([1.0, 2.0]), np.array([0.5, 5.0])
    like = anvl.aval("f64", (2,))
    found = anvl.ffi.call("test.sum_and_difference", (like, like), x, y)
    assert isinstance(found, tuple)
    assert np.array_equal(found[0], x + y) and np.array_equal(found[1], x - y)
    assert np.array_equal(anvl.ffi.call("test.scale", [X], X, factor=3.0)[0], 3 * X)
    assert np.array_equal(anvl.ffi.call("test.scale", anp.array(X), X, factor=3.0), 3 * X)


def test_scalars_and_nothing(library):
    assert scaled(np.float64(2), 3.0).item() == 6.0
    assert scaled(np.zeros((0, 3)), 3.0).shape == (0, 3)


@pytest.mark.parametrize(
    "value, described",
    [
        (3, "scalar s64 3"),
        (-(2**63), f"scalar s64 {-(2**63)}"),
        (True, "scalar pred 1"),
        (2.5, "scalar f64 2.5"),
        (np.float32(2.5), "scalar f32 2.5"),
        (np.int8(-3), "scalar s8 -3"),
        (np.uint64(2**63), f"scalar u64 {2**63}"),
        ("text", "string text"),
        ((1, 2), "array of 2: s64 1 s64 2"),
        ([0.5, 2.0], "array of 2: f64 0.5 f64 2"),
        ((), "array of 0:"),
        (np.full(3, 7.0, "float32"), "array of 3: f32 7 f32 7 f32 7"),
        (np.arange(6, dtype="uint8")[::2], "array of 3: u8 0 u8 2 u8 4"),
        (np.array([1, -1], "int32"), "array of 2: s32 1 s32 -1"),
        (np.array([1, -1], ">i4"), "array of 2: s32 1 s32 -1"),
        ({"a": 1, "b": {"c": "d"}}, "dictionary of 2"),
    ],
)
def test_attributes_arrive(library, value, described):
    with pytest.raises(anvl.RuntimeFailure, match=f"^execute: {described}$"):
        anvl.ffi.call("test.describe", X, X, what=value)


def test_a_side_effect_happens_even_if_nobody_looks(library):
    number = ctypes.CDLL(str(library)).number_of_calls
    number.restype = ctypes.c_int64

    def calls(**how):
        before = number()
        f = anvl.jit(lambda x: (anvl.ffi.call("test.count", x, x, **how), x + 1)[1])
        np.asarray(f(WIDE))
        return number() - before

    assert (calls(), calls(has_side_effect=True)) == (0, 1)


def test_a_loop_of_ten_thousand_steps_is_gone_through_at_most_three_times_more(library):
    number = ctypes.CDLL(str(library)).number_of_calls
    number.restype = ctypes.c_int64

    @anvl.custom_vjp
    def counted(x):
        return anvl.ffi.call("test.count", x, x)

    counted.defvjp(lambda primals, result, g: (g * result,))  # so each result is needed

    @anvl.jit
    def f(x, n):
        return anp.sum(anvl.fori_loop(0, n, lambda i, y: counted(y) * 0.999, x))

    def calls(g, *args):
        before = number()
        np.asarray(g(*args))
        return number() - before

    n = 10_000
    assert calls(f, WIDE, np.int32(n)) == n
    assert n < calls(anvl.jit(anvl.grad(f, wrt="x")), WIDE, np.int32(n)) <= 4 * n


@pytest.mark.parametrize(
    "batch, effect, wanted",
    [(None, True, 2), ("loop", True, 2), ("select", True, 5), (None, False, 5), ("loop", False, 2)],
)
def test_in_a_batch_of_branches_an_effect_is_of_those_who_choose_it(library, batch, effect, wanted):
    number = ctypes.CDLL(str(library)).number_of_calls
    number.restype = ctypes.c_int64
    count = lambda x: anvl.ffi.call("test.count", x, x, has_side_effect=effect)  # noqa: E731

    @anvl.jit
    @anvl.vmap
    def f(x):
        return anvl.cond(x > 1, count, lambda x: -x, x, batch=batch)

    x = np.array([0.5, 1.5, 0.25, 2.5, 1.0])
    before = number()
    assert np.array_equal(f(x), np.where(x > 1, x, -x))
    assert number() - before == wanted


@pytest.mark.parametrize(("first", "expected"), [(0, 2), (1, 1), (5, 1)])
def test_an_effect_in_a_condition_stays(library, first, expected):
    number = ctypes.CDLL(str(library)).number_of_calls
    number.restype = ctypes.c_int64

    def counted(x, first):
        def goes_on(carry):
            anvl.ffi.call("test.count", x, x, has_side_effect=True)
            return carry[0] < 1

        return anvl.while_loop(goes_on, lambda carry: (carry[0] + 1, carry[1] * 2.0), (first, x))[1]

    before = number()
    np.asarray(anvl.jit(counted)(WIDE, first))
    assert number() - before == expected
    # XLA itself drops it where it knows how many steps there are; the program that it gets has it.
    assert "test.count" in anvl.jit(counted, static="first").lower(WIDE, first).mlir()


# An op with a derivative


def define_scale():
    class ScaleOp(Linear, name="native.scale"):
        """factor x, by the handler on the CPU."""

        x: Operand
        factor: Float
        y: Result

        @classmethod
        def result_type(cls, x, factor):
            if x.element_type not in (element_type("f32"), element_type("f64")):
                raise TypeError(f"native.scale: takes f32 or f64, got {x}")
            return x

        @classmethod
        def adjoint(cls, g, xs, y, factor):
            return [emit.native.scale(g, factor=factor)]

        @classmethod
        def batch(cls, xs, batched, factor):
            return emit.native.scale(xs[0], factor=factor)

        @classmethod
        def lower(cls, hlo, x, factor):
            if hlo.platform != "cpu":
                return emit.mul(x, full_like(x, factor))
            return foreign_call("test.scale", [x.type], x, factor=factor)[0]


def test_an_op_that_calls_a_handler(library, own_ops):
    define_scale()

    def f(x):
        return anp.sum(prim.native.scale(x, factor=3.0) ** 2)

    assert np.allclose(anvl.jit(anvl.grad(f))(WIDE), 18 * WIDE)
    assert np.allclose(anvl.grad(lambda x: anp.sum(anvl.grad(f)(x)))(WIDE), 18)
    check_op("native.scale", ([WIDE], {"factor": -2.0}), reference=lambda x, factor: factor * x)


def test_a_bare_call_has_no_derivative(library):
    with pytest.raises(anvl.MissingRule, match=r"of the routine 'test.scale'.*op of your own"):
        anvl.grad(lambda x: anp.sum(scaled(x, 2.0)))(WIDE)


# Batching


@pytest.mark.parametrize("batch, n_calls", [("loop", 3), ("broadcast", 1)])
def test_batching(library, batch, n_calls):
    """A call for each member, or one with the batch as first axis; the numbers are the same."""
    many = np.arange(6.0).reshape(3, 2)
    program = Program()

    def body(x):
        with context(), ir.Location.unknown():
            one = tensor((2,), element_type("f64"))
            (y,) = foreign_call("test.scale", [one], _first(x), batch=batch, factor=2.0)
            call = y.owner
            rules = type(call)
            return rules.batch([x], [True], **rules.read(call.operation))

    program.add([many], body)
    program.finish()
    assert str(program.module).count("@test.scale") == n_calls
    assert str(program.module).count('batching = "broadcast"') == (1 if batch == "broadcast" else 0)
    program.compile()
    assert "batching" not in str(program.module)
    assert np.array_equal(program.run()[0][0], 2 * many)


def _first(x):
    cut = emit.slice(x, start_indices=(0, 0), limit_indices=(1, 2), strides=(1, 1))
    return emit.reshape(cut, shape=(2,))


# What is refused


@pytest.mark.parametrize(
    "result, factor, message",
    [
        (anvl.aval("f32", (4,)), 2.0, "the result is not like the operand"),
        (anvl.aval("f64", (3,)), 2.0, "the result is not like the operand"),
        (anvl.aval("f32", (3,)), 2, "factor must be an f64"),
        (anvl.aval("f32", (3,)), "two", "needs a factor"),
    ],
)
def test_what_a_handler_refuses_is_our_error_with_its_words(library, result, factor, message):
    def call(x):
        return anvl.ffi.call("test.scale", result, x, factor=factor)

    for f in (call, anvl.jit(call)):
        with pytest.raises(anvl.RuntimeFailure, match=f"^execute: scale: {message}$"):
            np.asarray(f(X))


def test_a_handler_that_is_not_there(library):
    message = "^compile: no handler is registered under 'test.nobody'; register it with anvl.ffi"
    for f in (lambda x: anvl.ffi.call("test.nobody", x, x), anvl.jit(_nobody)):
        with pytest.raises(anvl.RuntimeFailure, match=message):
            f(X)


def _nobody(x):
    return anvl.ffi.call("test.nobody", x, x)


def test_a_handler_of_another_platform(library):
    anvl.ffi.register("test.elsewhere", library, symbol="scale", platform="cuda")
    assert anvl.ffi.registered()["test.elsewhere"] == ("cuda",)
    message = "^compile: the handler 'test.elsewhere' is registered for cuda, not for cpu$"
    with pytest.raises(anvl.RuntimeFailure, match=message):
        anvl.ffi.call("test.elsewhere", X, X, factor=2.0)


def test_a_handler_may_come_after_the_first_attempt(library):
    f = anvl.jit(lambda x: anvl.ffi.call("test.late", x, x, factor=4.0))
    with pytest.raises(anvl.RuntimeFailure, match=r"no handler is registered under 'test\.late'"):
        f(X)
    anvl.ffi.register("test.late", library, symbol="scale")
    assert np.array_equal(f(X), 4 * X)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: anvl.ffi.call(3, X, X), TypeError, "target is 3; it must be the name"),
        (lambda: anvl.ffi.call("", X, X), ValueError, "target is empty"),
        (lambda: anvl.ffi.call("f", 3, X), TypeError, "a result is 3 of type int; give avals"),
        (lambda: anvl.ffi.call("f", X, 3.0), TypeError, "f: operand 0 is 3.0 of type float"),
        (lambda: anvl.ffi.call("f", X, X, batch="all"), ValueError, "batch is 'all'"),
        (lambda: anvl.ffi.call("f", X, X, has_side_effect=1), TypeError, "has_side_effect is 1"),
        (lambda: anvl.ffi.call("f", X, X, a=None), TypeError, "f: a is None of type NoneType"),
        (lambda: anvl.ffi.call("f", X, X, a={"b": 1j}), TypeError, r"f: a\['b'\] is 1j"),
        (lambda: anvl.ffi.call("f", X, X, a=2**63), ValueError, "which does not fit i64"),
        (lambda: anvl.ffi.call("f", X, X, a=(1, 2**63)), ValueError, "which does not fit i64"),
        (lambda: anvl.ffi.call("f", X, X, a=np.float16(1)), TypeError, "of dtype f16; XLA takes"),
        (lambda: anvl.ffi.call("f", X, X, a=np.complex64(1)), TypeError, "of dtype c64; XLA takes"),
        (lambda: anvl.ffi.call("f", X, X, a=np.ones((2, 2))), TypeError, "has one dimension"),
        (lambda: anvl.ffi.call("f", X, X, a=[True]), TypeError, "elements of f32, f64, i8"),
        (lambda: anvl.ffi.call("f", X, X, a=["x"]), TypeError, "elements of f32, f64, i8"),
        (lambda: anvl.ffi.call("f", X, X, a=np.ones(5000)), ValueError, "pass it as an operand"),
    ],
)
def test_calls_that_make_no_sense(call, error, message):
    with pytest.raises(error, match=message) as raised:
        call()
    assert str(raised.value).startswith("ffi.call: ")


def _null():
    return ctypes.cast(None, ctypes.CFUNCTYPE(None))


@pytest.mark.parametrize(
    "name, handler, error, message",
    [
        ("f", len, TypeError, "handler of 'f' is <built-in function len> of type builtin_function"),
        ("f", 42, TypeError, "handler of 'f' is 42 of type int; give a function of a ctypes"),
        ("f", _null(), ValueError, "handler of 'f' is a null pointer"),
        ("", len, ValueError, "name is empty"),
        (b"f", len, TypeError, "name must be text, got b'f' of type bytes"),
        ("f", "/no/such/library.so", anvl.RuntimeFailure, "there is no library /no/such/library"),
        ("f", __file__, anvl.RuntimeFailure, "cannot be opened"),
    ],
)
def test_handlers_that_are_none(name, handler, error, message):
    with pytest.raises(error, match=f"^ffi.register: .*{message}"):
        anvl.ffi.register(name, handler)
    assert "f" not in anvl.ffi.registered()


def test_a_symbol_that_the_library_lacks(library):
    with pytest.raises(ValueError, match=r"handlers\.so has no function 'no_such'; name it with"):
        anvl.ffi.register("test.no_such", library, symbol="no_such")


def test_names_are_for_good(library):
    opened = ctypes.CDLL(str(library))
    anvl.ffi.register("test.scale", opened.scale)  # the same again
    anvl.ffi.register("test.scale", _capsule(opened.scale))
    with pytest.raises(ValueError, match=r"'test\.scale' is registered with another handler"):
        anvl.ffi.register("test.scale", opened.count)


def _capsule(function):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    return new(ctypes.cast(function, ctypes.c_void_p), None, None)


def test_the_headers_are_there():
    folder = Path(anvl.ffi.include_dir())
    assert (folder / "xla" / "ffi" / "api" / "ffi.h").is_file()


def test_without_headers(monkeypatch, tmp_path):
    monkeypatch.setattr("anvl.runtime.lazy.compat.include_dir", lambda: tmp_path)
    with pytest.raises(anvl.RuntimeFailure, match=r"jaxlib .* has no headers in"):
        anvl.ffi.include_dir()
