"""Print an operation with the flags of MLIR's printer that its bindings for Python leave out.

    print_with(op, PrintOptions(value_users=True))

The printer itself has them, but neither the bindings nor the C API can set them.  They are two bits
of a record that the C API makes, between two bits that it can set: see `_hidden_bits`.
"""

import ctypes
from functools import cache
from typing import Any, NamedTuple

from anvl.dialect.core.mlir import capi, ir
from anvl.tools.io.command_line import UsageError
from anvl.tools.opt.print_options import PrintOptions

__all__ = ["print_with"]

_RECORD_BYTES = 48  # less than MLIR's record has, so that all are there to be read
_CAPSULE = b"torch_mlir.ir.Operation._CAPIPtr"


class _Text(ctypes.Structure):
    """MlirStringRef."""

    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_size_t))


_WRITE = ctypes.CFUNCTYPE(None, _Text, ctypes.c_void_p)


class _Bits(NamedTuple):
    """Positions in the record."""

    value_users: int
    unique_ssa_ids: int


def print_with(op: ir.Operation, options: PrintOptions, *, assume_verified: bool = False) -> str:
    """The text of `op`; raises `UsageError` where this build of MLIR is not as expected."""
    bits = _hidden_bits()
    record = _flags(options)
    for bit, wanted in ((bits.value_users, options.value_users),
                        (bits.unique_ssa_ids, options.unique_ssa_ids)):  # fmt: skip
        if wanted:
            byte = ctypes.c_ubyte.from_address(record + bit // 8)
            byte.value |= 1 << bit % 8
    if assume_verified:
        _library().mlirOpPrintingFlagsAssumeVerified(record)
    pieces: list[bytes] = []

    def write(text: _Text, _: int) -> None:
        pieces.append(ctypes.string_at(text.data, text.length))

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    native: Any = op
    library = _library()
    library.mlirOperationPrintWithFlags(
        pointer(native._CAPIPtr, _CAPSULE), record, _WRITE(write), None
    )
    library.mlirOpPrintingFlagsDestroy(record)
    return b"".join(pieces).decode()


def _flags(options: PrintOptions) -> int:
    """A record with the options that the C API can set."""
    library = _library()
    record: int = library.mlirOpPrintingFlagsCreate()
    if options.debug_info:
        library.mlirOpPrintingFlagsEnableDebugInfo(record, True, options.pretty_debug_info)
    for wanted, name in (
        (options.generic, "PrintGenericOpForm"),
        (options.local_scope, "UseLocalScope"),
        (options.name_locs, "PrintNameLocAsPrefix"),
        (options.skip_regions, "SkipRegions"),
    ):
        if wanted:
            getattr(library, f"mlirOpPrintingFlags{name}")(record)
    if options.large_elements_limit is not None:
        library.mlirOpPrintingFlagsElideLargeElementsAttrs(record, options.large_elements_limit)
    if options.large_resource_limit is not None:
        library.mlirOpPrintingFlagsElideLargeResourceString(record, options.large_resource_limit)
    return record


@cache
def _hidden_bits() -> _Bits:
    """The two flags, as MLIR declares them, follow that of the local scope; then comes another.

    The distance of the two neighbours tells whether this build has them so.
    """
    local_scope = _bit_of("UseLocalScope")
    if _bit_of("PrintNameLocAsPrefix") != local_scope + 3:
        raise UsageError(
            "--mlir-print-value-users and --mlir-print-unique-ssa-ids: this build of MLIR keeps "
            "these flags elsewhere; leave them out"
        )
    return _Bits(local_scope + 1, local_scope + 2)


def _bit_of(name: str) -> int:
    """The position of the bit that a function of the C API sets."""
    library = _library()
    record = library.mlirOpPrintingFlagsCreate()
    before = ctypes.string_at(record, _RECORD_BYTES)
    getattr(library, f"mlirOpPrintingFlags{name}")(record)
    after = ctypes.string_at(record, _RECORD_BYTES)
    library.mlirOpPrintingFlagsDestroy(record)
    changed = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    return changed.bit_length() - 1


@cache
def _library() -> ctypes.PyDLL:
    library = capi()
    flags = "mlirOpPrintingFlags"
    library.mlirOpPrintingFlagsCreate.restype = ctypes.c_void_p
    signatures = {
        f"{flags}Destroy": (),
        f"{flags}EnableDebugInfo": (ctypes.c_bool, ctypes.c_bool),
        f"{flags}PrintGenericOpForm": (),
        f"{flags}UseLocalScope": (),
        f"{flags}AssumeVerified": (),
        f"{flags}PrintNameLocAsPrefix": (),
        f"{flags}SkipRegions": (),
        f"{flags}ElideLargeElementsAttrs": (ctypes.c_ssize_t,),
        f"{flags}ElideLargeResourceString": (ctypes.c_ssize_t,),
        "mlirOperationPrintWithFlags": (ctypes.c_void_p, _WRITE, ctypes.c_void_p),
    }
    for name, arguments in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = None, (ctypes.c_void_p, *arguments)
    return library
