"""Arrays and tracers as notebooks show them: shape, dtype and device above the values.

The values are cut as NumPy's printing options say.  All text is escaped.
"""

from __future__ import annotations

from typing import Any

from anvl.core.locations import describe
from anvl.core.tracer import Tracer
from anvl.runtime import Array, ShardedPlacement, device_text
from anvl.sharding.pictures import picture_html

__all__ = ["array_html"]


def array_html(x: Any) -> str:
    """An array or a tracer as HTML, for `_repr_html_`."""
    return _tracer_html(x) if isinstance(x, Tracer) else _array_html(x)


def _array_html(x: Array) -> str:
    place = x.aval.placement
    facts = {**_type_facts(x), "device": device_text(place)}
    if x.is_deleted():
        return _page("Array", facts, "deleted, or donated to a program")
    page = _page("Array", {**facts, "memory": _size(x.nbytes)}, str(x))
    return page + picture_html(place, x.shape) if isinstance(place, ShardedPlacement) else page


def _tracer_html(x: Tracer) -> str:
    facts = {**_type_facts(x), "from": describe(x.location)}
    return _page("Tracer", facts, "no values: the function is being traced")


def _type_facts(x: Any) -> dict[str, str]:
    weak = " (weak)" if x.weak_type else ""
    return {"shape": str(x.shape), "dtype": f"{x.dtype.name}{weak}"}


def _page(kind: str, facts: dict[str, str], body: str) -> str:
    from html import escape  # with its table of names, 2 ms: for notebooks

    cells = "".join(
        f"<th style='text-align:left'>{name}</th><td style='text-align:left'>{escape(value)}</td>"
        for name, value in facts.items()
    )
    return (
        f"<div class='anvl-array'><table><tr><th>{kind}</th>{cells}</tr></table>"
        f"<pre style='margin:0'>{escape(body)}</pre></div>"
    )


def _size(count: int) -> str:
    """A number of bytes, in a unit that a person reads."""
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count} bytes"
