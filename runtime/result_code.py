"""The source of the end of a call: the results as arrays, in the structure that is returned.

For few results it is written out, with the containers as literals: three arrays in a dict take
0.6 us so, and 1.7 by a loop and the registry of containers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import repeat, starmap
from types import CodeType
from typing import Any, NamedTuple

from anvl.runtime.array import Array, blank
from anvl.runtime.types import ArrayType

__all__ = ["Building", "Finish", "Rebuild", "finisher"]

_MOST_WRITTEN_OUT = 16  # results

#: Makes the return value from the buffers that a program returns.
Finish = Callable[[Sequence[Any]], Any]


class Building(NamedTuple):
    """The source of a return value: an expression of the results `a0`, `a1`, ...

    `names` are the objects that it names.
    """

    source: str
    names: dict[str, Any]


#: Maps the list of results to the return value, or is its source.
Rebuild = Callable[[list[Array]], Any] | Building


def finisher(types: Sequence[ArrayType], rebuild: Rebuild | None = None) -> Finish:
    """The function that makes the return value of a program whose results are of these types.

    Without `rebuild` that is one result as it is, or a tuple.
    """
    names: dict[str, Any] = {"types": tuple(types), "blank": blank}
    if isinstance(rebuild, Building):
        code = _written_out(len(types), rebuild.source)
        names |= rebuild.names
    elif len(types) <= _MOST_WRITTEN_OUT:
        code = _written_out(len(types), "" if rebuild is None else "rebuild")
    else:
        code = _in_loop("tuple" if rebuild is None else "rebuild")
        names |= {"repeat": repeat, "starmap": starmap, "count": len(types)}
    names["rebuild"] = rebuild
    exec(code, names)
    finish: Finish = names.pop("finish")
    return finish


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
            "for array, buffer, aval in zip(arrays, results, types):",
            "    array.buffer = buffer",
            "    array.aval = aval",
            f"return {value}(arrays)",
        ]
    )


def _compiled(lines: Sequence[str]) -> CodeType:
    body = "".join(f"    {line}\n" for line in lines)
    return compile(f"def finish(results):\n{body}", "<anvl results of a call>", "exec")
