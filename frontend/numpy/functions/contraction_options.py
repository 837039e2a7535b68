"""`precision` of products, in the values that JAX takes."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from anvl.core.config import config

__all__ = ["precision_name", "with_precision"]

_PRECISIONS = {
    "DEFAULT": "DEFAULT", "FASTEST": "DEFAULT", "BFLOAT16": "DEFAULT", "HIGH": "HIGH",
    "BFLOAT16_3X": "HIGH", "TENSORFLOAT32": "HIGH", "HIGHEST": "HIGHEST", "FLOAT32": "HIGHEST",
}  # fmt: skip


def precision_name(function: str, precision: Any) -> str:
    """The name of a precision: of None, a name in either case, a member of an enumeration, a pair.

    Raises `ValueError` for another one, and for a pair that differs: one holds for both operands.
    """
    if isinstance(precision, tuple | list) and len(set(precision)) == 1:
        precision = precision[0]
    name = "DEFAULT" if precision is None else getattr(precision, "name", precision)
    found = _PRECISIONS.get(name.upper()) if isinstance(name, str) else None
    if found is None:
        raise ValueError(
            f"{function}: precision is {precision!r}; it must be None, 'default', 'high' or "
            "'highest', for both operands"
        )
    return found


def with_precision(function: str, precision: Any) -> AbstractContextManager[Any]:
    """A context in which products and convolutions have a precision; raises as `precision_name`."""
    name = precision_name(function, precision)
    return nullcontext() if name == "DEFAULT" else config(matmul_precision=name)
