"""Programs as notebooks show them: the page of `anvl-viz`, in a frame."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Sequence

from anvl.core.trace_state import passes_lock
from anvl.dialect.core.mlir import ir
from anvl.dialect.view.page import in_notebook, page
from anvl.dialect.view.record import recorded

__all__ = ["notebook_html"]


def notebook_html(
    title: str, stages: Iterable[tuple[str, ir.Module]], *, with_source: bool = True
) -> str:
    """A program at its stages; `with_source` shows the files that its ops come from.

    A program that was read from elsewhere may name any file, so it is shown without.
    """
    with passes_lock:
        records = [(name, recorded(module)) for name, module in stages]
    return in_notebook(page(title, records, _lines if with_source else lambda name: None))


def _lines(name: str) -> Sequence[str] | None:
    """The lines of a file, or of a cell of a notebook."""
    return linecache.getlines(name) or None
