"""XLA's options of one backend, which it keeps in a map, and not among its flags."""

from collections.abc import Mapping
from typing import Any

__all__ = ["BACKEND_OPTIONS", "with_backend_options"]

#: Names of the options of XLA:CPU that are entries of the map (`cpu_options.h` of XLA).
BACKEND_OPTIONS = frozenset(
    {
        "xla_cpu_disable_loop_unrolling",
        "xla_cpu_disable_slp_vectorizer",
        "xla_cpu_fold_all_constants",
        "xla_cpu_optimize_for_size",
        "xla_cpu_small_while_loop_byte_threshold",
        "xla_force_enable_experimental_llvm_ir_gemm",
        "xla_llvm_dot_tiling_factor",
        "xla_llvm_ir_gemm_tile_size",
    }
)

# Fields of XLA's messages: `CompileOptionsProto.executable_build_options`, its `debug_options`, and
# their `xla_backend_extra_options`, a map of text to text.
_BUILD, _DEBUG, _EXTRA = 3, 3, 500
_KEY, _VALUE = 1, 2
_OF_BYTES = 2  # the wire type of text and of messages


def with_backend_options(options: Any, flags: Mapping[str, object]) -> Any:
    """The client's options with those among `flags` that are of one backend.

    jaxlib takes overrides of flags, but of no entry of a map.  So the entries are appended to the
    serialized options: of a message that comes twice, the parts are merged (the wire format of
    Protocol Buffers, "Last One Wins").  An option that is False is left out, since XLA asks of most
    whether they are there.
    """
    entries = b"".join(
        _field(_EXTRA, _field(_KEY, name.encode()) + _field(_VALUE, _text(flags[name]).encode()))
        for name in sorted(BACKEND_OPTIONS.intersection(flags))
        if flags[name] is not False
    )
    if not entries:
        return options
    added = _field(_BUILD, _field(_DEBUG, entries))
    return type(options).ParseFromString(options.SerializeAsString() + added)


def _text(value: object) -> str:
    return "true" if value is True else str(value)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _OF_BYTES) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    """Seven bits a byte, lowest first; the eighth says that more follow."""
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])
