"""Handlers of custom calls: user-defined native functions that compiled programs call.

A handler is written against XLA's FFI, whose headers come with jaxlib (`include_dir`), in C, C++
or any language that makes a shared library.  Handler names are global to the process, and stay
until it ends: XLA cannot unregister one.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

from anvl.runtime.client import EMBEDDED
from anvl.runtime.errors import RuntimeFailure, readable
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock
from anvl.runtime.tracebacks import hiding_frames

__all__ = ["include_dir", "register_handler", "registered_handlers"]

_FunctionPointer: Any = ctypes._CFuncPtr  # type: ignore[attr-defined]
_CAPSULE = "PyCapsule"

_lock = fresh_lock()
_addresses: dict[tuple[str, str], int] = {}
_kept: list[Any] = []  # libraries and Python callbacks must stay alive


@hiding_frames
def register_handler(
    name: str, handler: Any, *, platform: str = "cpu", symbol: str | None = None
) -> None:
    """Register a handler with the compiler of a platform.

    Parameters
    ----------
    name
        The name by which programs call it.
    handler
        A function of a library that `ctypes` has opened, a `PyCapsule` of its address, or the path
        of a shared library, in which it is the function `symbol`.
    platform
        Where it can run, by PJRT's name.
    symbol
        The name of the function in the library; `name`, if None.

    Raises
    ------
    TypeError
        `handler` is none of these, or `name` or `platform` is not a string.
    ValueError
        An empty name, a null pointer, a symbol that the library does not have, or a name that is
        registered with another handler.
    RuntimeFailure
        The library cannot be opened, or XLA refuses the handler.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.register_handler("f", len)
    Traceback (most recent call last):
    ...
    TypeError: ...ffi.register: handler of 'f' is <built-in function len> of type ...
    """
    for what, text in (("name", name), ("platform", platform)):
        if not isinstance(text, str):
            raise TypeError(
                f"ffi.register: {what} must be text, got {text!r} of type {type(text).__name__}"
            )
        if not text:
            raise ValueError(f"ffi.register: {what} is empty")
    if isinstance(handler, str | os.PathLike):
        handler = _function_of(Path(handler), symbol or name)
    address = _address(name, handler)
    with _lock:
        known = _addresses.get((name, platform))
        if known == address:
            return
        if known is not None:
            raise ValueError(
                f"ffi.register: {name!r} is registered with another handler, and XLA keeps names "
                "until the process ends; choose another name"
            )
        try:
            compat.register_handler(name, _capsule(address), platform)
        except compat.Failure as error:
            raise RuntimeFailure(f"ffi.register: {name!r}: {readable(error)}") from error
        _addresses[name, platform] = address
        _kept.append(handler)


def registered_handlers() -> dict[str, tuple[str, ...]]:
    """The platforms that each name was registered for.

    Returns
    -------
    dict of str to tuple of str

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> "no_such_handler" in rt.registered_handlers()
    False
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, platform in _addresses:
        found[name] = (*found.get(name, ()), platform)
    return found


def include_dir() -> str:
    """The folder for a compiler's `-I`, of the headers `xla/ffi/api/c_api.h` and `ffi.h`.

    Returns
    -------
    str

    Raises
    ------
    RuntimeFailure
        This jaxlib comes without them.

    Examples
    --------
    >>> import anvl.runtime as rt, os
    >>> os.path.exists(os.path.join(rt.include_dir(), "xla", "ffi", "api", "c_api.h"))
    True
    """
    folder = compat.include_dir()
    if not (folder / "xla" / "ffi" / "api" / "c_api.h").is_file():
        raise RuntimeFailure(
            f"ffi.include_dir: jaxlib {compat.JAXLIB_VERSION} has no headers in {folder}; "
            "install it from its wheel"
        )
    return str(folder)


def missing_handler(name: str, client: str) -> str:
    """The message for a program that calls a handler that its client does not have."""
    able = registered_handlers().get(name)
    if able is not None:
        what = client if client == EMBEDDED else f"the plugin {client}"
        return f"the handler {name!r} is registered for {', '.join(able)}, not for {what}"
    if client != EMBEDDED:
        return f"the plugin {client} has no handler {name!r}; run the program on another device"
    return (
        f"no handler is registered under {name!r}; register it with anvl.ffi.register before "
        "the program is compiled"
    )


def _function_of(path: Path, symbol: str) -> Any:
    if not path.exists():
        raise RuntimeFailure(f"ffi.register: there is no library {path}")
    try:
        library = ctypes.CDLL(str(path.resolve()))
    except OSError as error:
        raise RuntimeFailure(f"ffi.register: {path} cannot be opened: {error}") from error
    try:
        return getattr(library, symbol)
    except AttributeError:
        raise ValueError(
            f"ffi.register: {path} has no function {symbol!r}; name it with symbol=, and see that "
            'it is exported (`extern "C"` in C++)'
        ) from None


def _address(name: str, handler: Any) -> int:
    if isinstance(handler, _FunctionPointer):
        address = ctypes.cast(handler, ctypes.c_void_p).value
    elif type(handler).__name__ == _CAPSULE:
        address = _pointer_in(handler)
    else:
        raise TypeError(
            f"ffi.register: handler of {name!r} is {handler!r} of type {type(handler).__name__}; "
            "give a function of a ctypes library, a PyCapsule, or the path of a shared library"
        )
    if not address:
        raise ValueError(f"ffi.register: handler of {name!r} is a null pointer")
    return address


def _pointer_in(capsule: Any) -> int | None:
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = (
        ctypes.c_char_p,
        [ctypes.py_object],
    )
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


def _capsule(address: int) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(address, None, None)
