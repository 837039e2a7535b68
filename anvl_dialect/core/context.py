"""The one MLIR context of this process, with every dialect that anvl reads or writes.

One context, because encoded attributes and types are cached in dictionaries (an attribute of one
context used in another crashes MLIR), and because all tracing shares its uniqued types.
"""

from collections.abc import Callable

from anvl.dialect.core.forking import lock_over_forks
from anvl.dialect.core.mlir import ir, load_stablehlo

__all__ = ["context", "is_created", "on_new_context", "parse"]

# Loading the 50 dialects of upstream costs 12 ms; the others load when a text names them.
_DIALECTS = ["builtin", "func", "irdl", "pdl"]

_lock = lock_over_forks()  # concurrent loads of one dialect crash (notes: hazard 12)
_context: ir.Context | None = None
_loaders: list[Callable[[], None]] = []


def on_new_context(load: Callable[[], None]) -> None:
    """Call `load`, with the context entered, once the context exists: now if it already does."""
    with _lock:
        _loaders.append(load)
        made = _context
    if made is not None:
        with made, ir.Location.unknown():
            load()


def is_created() -> bool:
    """Whether the context exists: from then on the dialect is complete."""
    return _context is not None


def context() -> ir.Context:
    """The process's MLIR context, made on first use.

    Returns
    -------
    ir.Context

    Examples
    --------
    >>> from anvl.dialect import context
    >>> context() is context()
    True
    """
    return _context if _context is not None else _make()


def _make() -> ir.Context:
    global _context
    with _lock:
        if _context is None:
            made = ir.Context(load_on_create_dialects=[])
            for name in _DIALECTS:  # without the modules of their views, which take 5 ms
                made.get_dialect_descriptor(name)
            load_stablehlo(made)
            with made, ir.Location.unknown():
                for load in _loaders:
                    load()
            _context = made
    return _context


def parse(text: str | bytes) -> ir.Module:
    """Parse MLIR text or bytecode into the process's context.

    Raises `ir.MLIRError`, whose `error_diagnostics` carry the positions.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    ir.Module

    Examples
    --------
    >>> from anvl.dialect import parse
    >>> parse("func.func @f() { return }").body.operations[0].name.value
    'f'
    """
    with context(), ir.Location.unknown():
        return ir.Module.parse(text)
