"""Calls of Python from programs of plugins: one handler of XLA's FFI, written with ctypes.

jaxlib's own client takes Python functions with a program; a plugin takes the handler
`anvl.runtime.client.HANDLER` once, and its programs name the functions by numbers, unique in the
process.  Note [Python in C].

Source: `c_api.h` of XLA's FFI, whose structs only grow at their end,
https://github.com/openxla/xla/blob/main/xla/ffi/api/c_api.h
"""

from __future__ import annotations

import contextvars
import ctypes
import functools
import itertools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import ml_dtypes
import numpy as np

from anvl.runtime.handlers.packing import SUB_BYTE_BITS, packed, unpacked

__all__ = ["handler_address", "number_functions", "off_main_thread"]

# Note [Python in C]
#
# What XLA gets for a raised exception is an error that it owns, made with its own functions.  An
# exception that left the function that ctypes calls would leave any number in place of that, which
# XLA takes for a pointer.  All of that function is inside of `try`, but where it begins Python
# handles signals, of which Ctrl-C raises an exception.  Signals are handled in the main thread
# alone, and XLA runs small programs in the thread that calls it: so a program that calls Python is
# never run in the main thread (`off_main_thread`).
#
# Operands and results lie in memory that is XLA's until the call returns: they are copied.

_NEWEST = (0, 3)  # the version of the FFI that is written here
_METADATA, _SCALAR = 1, 3
_INTERNAL = 13
# XLA's `PrimitiveType`, by the names of NumPy and ml_dtypes.
_DTYPES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32",
    9: "uint64", 10: "float16", 11: "float32", 12: "float64", 15: "complex64", 16: "bfloat16",
    18: "complex128", 19: "float8_e5m2", 20: "float8_e4m3fn", 21: "int4", 22: "uint4",
    23: "float8_e4m3b11fnuz", 24: "float8_e5m2fnuz", 25: "float8_e4m3fnuz", 26: "int2", 27: "uint2",
    28: "float8_e4m3", 29: "float8_e3m4", 32: "float4_e2m1fn", 33: "float8_e8m0fnu",
}  # fmt: skip

_numbers = itertools.count()
_functions: WeakValueDictionary[int, Callable[..., Any]] = WeakValueDictionary()
_stopped: set[int] = set()  # the identities of functions of programs that are interrupted


def number_functions(functions: Sequence[Callable[..., Any]]) -> list[int]:
    """Numbers by which programs call these functions, for as long as somebody holds them."""
    numbers = [next(_numbers) for _ in functions]
    _functions.update(zip(numbers, functions, strict=True))
    return numbers


def off_main_thread(
    run: Callable[..., Any], functions: Sequence[Callable[..., Any]]
) -> Callable[..., Any]:
    """The execution of a program in another thread than the main one: Note [Python in C].

    It holds the functions that the program calls.  An interrupt ends the program at its next call.
    """

    def run_elsewhere(buffers: list[Any]) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return run(buffers)
        running = _Running(run, buffers, functions)
        try:
            running.start()
            # Not for ever at once: a signal that another thread gets does not wake this one, which
            # handles it.
            while not running.done.wait(0.1):
                pass
        except BaseException:  # KeyboardInterrupt, or another that a handler of a signal raises
            running.stop()
            raise
        return running.result()

    return run_elsewhere


class _Running(threading.Thread):
    """A thread that runs a program, and holds the functions that this calls."""

    def __init__(
        self,
        run: Callable[..., Any],
        buffers: list[Any],
        functions: Sequence[Callable[..., Any]],
    ) -> None:
        super().__init__(name="anvl: a program that calls Python")
        self.done = threading.Event()
        self._program, self._buffers, self._functions = run, buffers, functions
        self._context = contextvars.copy_context()  # settings of the thread that calls
        self._is_stopped = False
        self._found: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            if not self._is_stopped:
                self._found = self._context.run(self._program, self._buffers)
        except BaseException as error:
            self._error = error
        finally:
            self.done.set()

    def result(self) -> Any:
        error, self._error = self._error, None  # whose traceback would hold this thread
        if error is not None:
            raise error
        return self._found

    def stop(self) -> None:
        """Wait until the program has ended, at its next call at the latest."""
        self._is_stopped = True
        _stopped.update(map(id, self._functions))
        try:
            while not self.done.wait(0.1) and self.ident is not None:
                pass
        finally:
            _stopped.difference_update(map(id, self._functions))


# -- the layout of a call --------------------------------------------------------------------------


class _Base(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("next", ctypes.c_void_p),
    )


class _Version(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    )


class _Metadata(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("version", _Version),
        ("traits", ctypes.c_uint32),
    )


class _MetadataQuery(ctypes.Structure):
    _fields_ = (("base", _Base), ("metadata", ctypes.POINTER(_Metadata)))


class _Api(ctypes.Structure):
    """The first fields of `XLA_FFI_Api`."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("version", _Version),
        ("internal", ctypes.c_void_p),
        ("create_error", ctypes.c_void_p),
    )


class _Error(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    )


class _Buffer(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    )


class _Buffers(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("kinds", ctypes.POINTER(ctypes.c_int)),
        ("items", ctypes.POINTER(ctypes.POINTER(_Buffer))),
    )


class _Scalar(ctypes.Structure):
    _fields_ = (("dtype", ctypes.c_int), ("value", ctypes.POINTER(ctypes.c_uint64)))


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("kinds", ctypes.POINTER(ctypes.c_int)),
        ("names", ctypes.c_void_p),
        ("items", ctypes.POINTER(ctypes.POINTER(_Scalar))),
    )


class _Frame(ctypes.Structure):
    """The first fields of `XLA_FFI_CallFrame`."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extensions", ctypes.POINTER(_MetadataQuery)),
        ("api", ctypes.POINTER(_Api)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("operands", _Buffers),
        ("results", _Buffers),
        ("attributes", _Attributes),
    )


_Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))
_CreateError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Error))


@functools.cache
def handler_address() -> int:
    """The address of the handler, which stays until the process ends."""
    kept = _Handler(_handle)
    _kept.append(kept)
    address = ctypes.cast(kept, ctypes.c_void_p).value
    assert address is not None
    return address


_kept: list[Any] = []


def _handle(frame: Any) -> Any:
    try:
        return _answer(frame.contents)
    except BaseException as error:
        return _error(frame.contents, str(error))


def _answer(frame: _Frame) -> None:
    """Say which version of the FFI this is, if asked, or make the call."""
    if frame.extensions and frame.extensions.contents.base.kind == _METADATA:
        version = frame.extensions.contents.metadata.contents.version
        theirs = frame.api.contents.version if frame.api else None
        version.major, version.minor = _NEWEST
        if theirs is not None and theirs.major == _NEWEST[0]:
            version.minor = min(theirs.minor, _NEWEST[1])
        return
    number = _number(frame.attributes)
    function = _functions.get(number)
    if function is None:
        raise LookupError(f"the Python function {number} of a program is not there any more")
    if id(function) in _stopped:
        raise InterruptedError("the program was interrupted")
    _write(frame.results, function(*_read(frame.operands)))


def _number(attributes: _Attributes) -> int:
    assert attributes.count == 1 and attributes.kinds[0] == _SCALAR
    return int(attributes.items[0].contents.value[0])


def _read(operands: _Buffers) -> list[np.ndarray[Any, Any]]:
    """Copies of the operands, read-only."""
    made = []
    for i in range(operands.count):
        array, bits = _view(operands.items[i].contents)
        if bits:
            fields = array.reshape(-1).view(np.uint8)
            array = unpacked(fields, array.size, array.dtype).reshape(array.shape)
        else:
            array = array.copy()
        array.flags.writeable = False
        made.append(array)
    return made


def _write(results: _Buffers, arrays: Sequence[np.ndarray[Any, Any]]) -> None:
    assert len(arrays) == results.count
    for i, array in enumerate(arrays):
        view, bits = _view(results.items[i].contents)
        assert (array.dtype, array.shape) == (view.dtype, view.shape), (array, view)
        if bits:
            fields = packed(array)
            view.reshape(-1).view(np.uint8)[: fields.size] = fields
        else:
            view[...] = array


def _view(buffer: _Buffer) -> tuple[np.ndarray[Any, Any], int]:
    """The memory of a buffer as an array, and the bits of an element that is packed, else 0.

    Memory for elements of less than a byte has a byte for each, of which the first are used.
    """
    dtype, bits = _dtype(buffer.dtype)
    shape = tuple(buffer.dims[: buffer.rank])
    n_bytes = math.prod(shape) * dtype.itemsize
    if not n_bytes:
        return np.empty(shape, dtype), 0
    memory = (ctypes.c_char * n_bytes).from_address(buffer.data)
    return np.ndarray(shape, dtype, memory), bits


@functools.cache
def _dtype(number: int) -> tuple[np.dtype[Any], int]:
    name = _DTYPES[number]
    return np.dtype(getattr(ml_dtypes, name, name)), SUB_BYTE_BITS.get(name, 0)


def _error(frame: _Frame, message: str) -> Any:
    api = frame.api.contents
    made = _Error(ctypes.sizeof(_Error), None, message.encode(), _INTERNAL)
    return _CreateError(api.create_error)(ctypes.byref(made))
