"""Versions of PJRT's extension for handlers, and of XLA's FFI, that plugins may have."""

import ctypes
from typing import Any

import pytest

from anvl.runtime.client import HANDLER
from anvl.runtime.handlers.call_frames import handler_address
from anvl.runtime.plugins.ffi_extension import _Arguments, _Extension, _OlderArguments
from anvl.runtime.plugins.ffi_extension import register_with_plugin as register
from anvl.runtime.plugins.pjrt_api import Api

POINTER = ctypes.sizeof(ctypes.c_void_p)
_Register = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class Plugin:
    """A plugin that reads arguments of a struct, and of no smaller one."""

    def __init__(self, arguments: Any, kind: int = 5, size: int = 6 * POINTER) -> None:
        self.taken: list[Any] = []
        self.errors: list[int] = []

        def take(address: int) -> int:
            given = arguments.from_address(address)
            if given.struct_size < arguments.traits.offset + arguments.traits.size:
                self.errors.append(1)
                return 99
            name = ctypes.string_at(given.name, given.name_size)
            self.taken.append((name, given.handler, given.platform[: given.platform_size]))
            return 0

        def destroy(_: int) -> int:
            self.errors.pop()
            return 0

        self._kept = [_Register(take), _Register(destroy)]
        take_at, destroy_at = (ctypes.cast(f, ctypes.c_void_p).value or 0 for f in self._kept)
        self._extension = _Extension(size, kind, None, None, None, take_at)
        self.api = Api((0, 81), None, ctypes.addressof(self._extension), destroy_at, 0)


@pytest.mark.parametrize("arguments", [_Arguments, _OlderArguments])
def test_a_handler_is_registered_with_the_arguments_that_a_plugin_reads(arguments: Any) -> None:
    plugin = Plugin(arguments)
    assert register(plugin.api, HANDLER, 1234, "cpu")
    assert plugin.taken == [(HANDLER.encode(), 1234, b"cpu")]
    assert plugin.errors == []  # each was destroyed


def test_a_plugin_that_reads_more_or_has_no_such_extension_takes_none() -> None:
    class Later(ctypes.Structure):
        _fields_ = (
            *_OlderArguments._fields_[:-1],
            ("more", ctypes.c_void_p),
            ("traits", ctypes.c_int),
        )

    later = Plugin(Later)
    assert not register(later.api, HANDLER, 1234, "cpu") and later.errors == []
    assert not register(Plugin(_Arguments, kind=4).api, HANDLER, 1234, "cpu")
    assert not register(Plugin(_Arguments, size=5 * POINTER).api, HANDLER, 1234, "cpu")
    assert not register(Api((0, 81), None, 0, 0, 0), HANDLER, 1234, "cpu")


@pytest.mark.parametrize(
    ("theirs", "declared"), [((0, 1), (0, 1)), ((0, 2), (0, 2)), ((0, 9), (0, 3)), ((1, 0), (0, 3))]
)
def test_the_handler_declares_the_version_of_the_plugin_up_to_its_own(
    theirs: tuple[int, int], declared: tuple[int, int]
) -> None:
    version = (ctypes.c_size_t * 3)(24, 0, theirs[0] | theirs[1] << 32)
    api = (ctypes.c_size_t * 7)(0, 0, *version, 0, 0)
    metadata = (ctypes.c_size_t * 5)(36, 24, 0, 0, 0)
    query = (ctypes.c_size_t * 4)(32, 1, 0, ctypes.addressof(metadata))
    frame = (ctypes.c_size_t * 21)(168, ctypes.addressof(query), ctypes.addressof(api))
    handler = _Register(handler_address())
    assert handler(ctypes.addressof(frame)) is None
    assert (metadata[3] & 0xFFFFFFFF, metadata[3] >> 32) == declared
