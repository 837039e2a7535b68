"""How operations are printed: by the instruments, and as the output of the tool."""

import os
from dataclasses import dataclass
from typing import Any, BinaryIO

from anvl.dialect.core.mlir import ir

__all__ = ["PrintOptions", "asm", "print_asm"]


@dataclass(frozen=True)
class PrintOptions:
    """Printing options, as the flags of MLIR's printer."""

    generic: bool = False
    debug_info: bool = False
    local_scope: bool = False
    name_locs: bool = False
    large_elements_limit: int | None = None
    large_resource_limit: int | None = None
    pretty_debug_info: bool = False
    skip_regions: bool = False
    value_users: bool = False
    unique_ssa_ids: bool = False


def asm(op: ir.Operation, options: PrintOptions, *, assume_verified: bool = False) -> str:
    """The text of `op`."""
    if options.value_users or options.unique_ssa_ids:
        from anvl.tools.opt.native_printing import print_with

        return print_with(op, options, assume_verified=assume_verified).rstrip("\n")
    return op.get_asm(**_flags(options), assume_verified=assume_verified).rstrip("\n")


def print_asm(
    file: BinaryIO, op: ir.Operation, options: PrintOptions, *, assume_verified: bool = False
) -> None:
    """Write the text of `op`, and a newline at its end, to an empty file, as it is printed."""
    if options.value_users or options.unique_ssa_ids:
        file.write(asm(op, options, assume_verified=assume_verified).encode() + b"\n")
        return
    op.print(**_flags(options), assume_verified=assume_verified, file=file, binary=True)
    file.seek(-1, os.SEEK_END)
    if file.read(1) != b"\n":
        file.write(b"\n")


def _flags(options: PrintOptions) -> dict[str, Any]:
    return {
        "print_generic_op_form": options.generic,
        "enable_debug_info": options.debug_info,
        "use_local_scope": options.local_scope,
        "use_name_loc_as_prefix": options.name_locs,
        "large_elements_limit": options.large_elements_limit,
        "large_resource_limit": options.large_resource_limit,
        "pretty_debug_info": options.pretty_debug_info,
        "skip_regions": options.skip_regions,
    }
