"""Versions of anvl and of what it is built on, for `--version`."""

import io

from anvl.dialect.core.mlir import ir, stablehlo

__all__ = ["anvl_version", "versions"]


def anvl_version() -> str:
    """The version of anvl."""
    from importlib.metadata import version

    return version("anvl-mlir")


def versions() -> str:
    """A line for each."""
    from importlib.metadata import version  # 20 ms that no other question needs

    buffer = io.BytesIO()
    ir.Module.parse("module {}", ir.Context()).operation.write_bytecode(buffer)
    producer = buffer.getvalue()[5:].partition(b"\0")[0].decode()
    return (
        f"anvl {anvl_version()}\n"
        f"LLVM {producer.removeprefix('MLIR')} (torch-mlir {version('torch-mlir')})\n"
        f"StableHLO {stablehlo.get_current_version()}, reads {stablehlo.get_minimum_version()} on\n"
        f"PJRT of jaxlib {version('jaxlib')}\n"
    )
