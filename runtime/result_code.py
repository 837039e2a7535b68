"""The source of the end of a call: the results as arrays, in the structure that is returned.

For few results it is written out, with the containers as literals: three arrays in a dict take
0.6 us so, and 1.7 by a loop and the registry of containers.  Many in one dict become the values of
a copied dict in one loop: 200 take 26 us so, and 32 by a list and the registry.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import repeat, starmap
from types import CodeType
from typing import Any, NamedTuple

from anvl.runtime.array import Array, blank
from anvl.runtime.types import ArrayType

__all__ = ["Building", "Finish", "Rebuild", "Values", "finisher"]

_MOST_WRITTEN_OUT = 16  # results

#: Makes the return value from the buffers that a program returns.
Finish = Callable[[Sequence[Any]], Any]


class Building(NamedTuple):
    """The source of a return value: an expression of the results `a0`, `a1`, ...

    `names` are the objects that it names.
    """

    source: str
    names: dict[str, Any]


class Values(NamedTuple):
    """A return value that is a dict with these keys, and the results as its values."""

    keys: tuple[Any, ...]


#: Maps the list of results to the return value, or describes that.
Rebuild = Callable[[list[Array]], Any] | Building | Values


def finisher(types: Sequence[ArrayType], rebuild: Rebuild | None = None) -> Finish:
    """The function that makes the return value of a program whose results are of these types.

    Without `rebuild` that is one result as it is, or a tuple.
    """
    names: dict[str, Any] = {"types": tuple(types), "blank": blank}
    if isinstance(rebuild, Building):
        code = _written_out(len(types), rebuild.source)
        names |= rebuild.names
    elif isinstance(rebuild, Values):
        code = _values()
        names |= _LOOP | {"keys": rebuild.keys, "count": len(types)}
        names["copy"] = dict.fromkeys(rebuild.keys).copy
    elif len(types) <= _MOST_WRITTEN_OUT:
        code = _written_out(len(types), "" if rebuild is None else "rebuild")
    else:
        code = _in_loop("tuple" if rebuild is None else "rebuild")
        names |= _LOOP | {"count": len(types)}
    names["rebuild"] = rebuild
    exec(code, names)
    finish: Finish = names.pop("finish")
    return finish


_LOOP: dict[str, Any] = {"repeat": repeat, "starmap": starmap}


@functools.lru_cache(256)
def _written_out(n: int, value: str) -> CodeType:
    arrays = [f"a{i}" for i in range(n)]
    listed = ", ".join(arrays)
    if not value:
        value = listed if n == 1 else f"({listed})"
    elif value == "rebuild":
        value = f"rebuild([{listed}])"
    buffers = ", ".join(f"b{i}" for i in range(n))
    lines = [f"[{buffers}] = results"]
    for i, array in enumerate(arrays):
        lines.append(f"{array} = blank()")
        lines.append(f"{array}.buffer = b{i}")
        lines.append(f"{array}.aval = types[{i}]")
    return _compiled([*lines, f"return {value}"])


@functools.lru_cache(2)
def _in_loop(value: str) -> CodeType:
    # All at once: one by one 200 take a tenth longer.
    return _compiled(
        [
            "arrays = list(starmap(blank, repeat((), count)))",
            "for array, array.buffer, array.aval in zip(arrays, results, types):",
            "    pass",
            f"return {value}(arrays)",
        ]
    )


@functools.lru_cache(1)
def _values() -> CodeType:
    return _compiled(
        [
            "values, blanks = copy(), starmap(blank, repeat((), count))",
            "for key, array, array.buffer, array.aval in zip(keys, blanks, results, types):",
            "    values[key] = array",
            "return values",
        ]
    )


def _compiled(lines: Sequence[str]) -> CodeType:
    body = "".join(f"    {line}\n" for line in lines)
    return compile(f"def finish(results):\n{body}", "<anvl results of a call>", "exec")
