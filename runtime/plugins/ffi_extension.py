"""PJRT's extension for XLA's FFI: registering a handler with a plugin, which jaxlib does not.

Source: `pjrt_c_api_ffi_extension.h` of OpenXLA; the arguments had one more field for a while,
https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api_ffi_extension.h
"""

from __future__ import annotations

import ctypes

from anvl.runtime.plugins.pjrt_api import Api, destroy_error, extensions

__all__ = ["register_with_plugin"]

_FFI = 5  # the number of the extension
_TYPED = 1


class _Extension(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("register_type", ctypes.c_void_p),
        ("add_user_data", ctypes.c_void_p),
        ("register_handler", ctypes.c_void_p),
    )


class _Arguments(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("name_size", ctypes.c_size_t),
        ("handler", ctypes.c_void_p),
        ("platform", ctypes.c_char_p),
        ("platform_size", ctypes.c_size_t),
        ("traits", ctypes.c_int),
    )


class _OlderArguments(ctypes.Structure):
    _fields_ = (
        *_Arguments._fields_[:3],
        ("api_version", ctypes.c_int),
        *_Arguments._fields_[3:],
    )


def register_with_plugin(api: Api, name: str, address: int, platform: str) -> bool:
    """Register the handler at an address; returns whether the plugin took it."""
    at = extensions(api).get(_FFI)
    if at is None:
        return False
    extension = _Extension.from_address(at)
    if extension.struct_size < ctypes.sizeof(_Extension) or not extension.register_handler:
        return False
    of, on = name.encode(), platform.encode()
    # The smaller ones first: a plugin refuses fewer bytes than it reads, and not more.
    for arguments in (
        _Arguments(0, of, len(of), address, on, len(on)),
        _OlderArguments(0, of, len(of), _TYPED, address, on, len(on)),
    ):
        last = type(arguments).traits
        arguments.struct_size = last.offset + last.size
        register = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(type(arguments)))
        error = register(extension.register_handler)(ctypes.byref(arguments))
        if not error:
            return True
        destroy_error(api, error)
    return False
