"""The `anvl` dialect.  Ops join it by subclassing `anvl.dialect.op.AnvlOp`."""

from anvl.dialect.context import context, on_new_context
from anvl.dialect.mlir import ext

__all__ = ["Anvl", "irdl_text"]


class Anvl(ext.Dialect, name="anvl"):  # type: ignore[misc,call-arg]
    """Array programs as traced from Python, before StableHLO."""


on_new_context(Anvl.load)


def irdl_text() -> str:
    """The dialect as IRDL text, which `mlir-opt --irdl-file=` of any MLIR can read."""
    context()
    return str(Anvl._mlir_module)
