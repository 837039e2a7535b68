"""The check on a hit: generated code that compares captured values by identity.

It reads only what reading cannot run the person's code for.  The source depends on the kinds of the
comparisons alone, so that functions of one form share their code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from operator import is_
from types import CodeType
from typing import Any

from anvl.captured.snapshot import Check, is_below

__all__ = ["Guard", "make_guard"]

#: Whether the captured values are the same objects.
Guard = Callable[[], bool]


def make_guard(checks: Sequence[Check], excluded: Sequence[str] = ()) -> Guard | None:
    """The check of these values, except for those below `excluded` paths; None if none is left."""
    kept = [c for c in checks if not is_below(c.path, excluded)]
    kept = [c for c in kept if c.kind != "elements" or not _contains(c.path, excluded)]
    if not kept:
        return None
    names: dict[str, Any] = {"all": all, "is_": is_, "len": len, "map": map, "Exception": Exception}
    terms = tuple(_term(check, str(i), names) for i, check in enumerate(kept))
    exec(_code(terms), names)
    guard: Guard = names.pop("guard")
    return guard


def _contains(path: str, excluded: Sequence[str]) -> bool:
    return any(is_below(e, (path,)) for e in excluded)


def _term(check: Check, n: str, names: dict[str, Any]) -> str:
    """The source of a comparison; its objects are added to `names`."""
    _, kind, holder, key, value = check
    names["h" + n], names["v" + n] = holder, value
    if kind == "attribute":
        return f"h{n}.{key} is v{n}"
    if kind == "cell":
        return f"h{n}.cell_contents is v{n}"
    if kind == "length":
        return f"len(h{n}) == v{n}"
    if kind == "bytes":
        names["h" + n] = holder.tobytes
        return f"h{n}() == v{n}"
    if kind == "item":
        names["k" + n] = key
        index = repr(key) if type(key) in (str, int) else f"k{n}"
        return f"h{n}[{index}] is v{n}"
    if not issubclass(type(holder), dict):
        return f"all(map(is_, h{n}, v{n}))"
    names["k" + n] = key
    return f"all(map(is_, h{n}, k{n})) and all(map(is_, h{n}.values(), v{n}))"


@functools.lru_cache(256)
def _code(terms: tuple[str, ...]) -> CodeType:
    source = f"""\
def guard():
    try:
        return {" and ".join(terms)}
    except Exception:  # a variable is gone
        return False
"""
    return compile(source, "<anvl check of captured values>", "exec")
