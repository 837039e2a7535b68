"""The check on a hit: generated code that compares captured values by identity.

It reads only what reading cannot run the person's code for.  The source depends on the kinds of the
comparisons alone, so that functions of one form share their code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from operator import is_
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from anvl.captured.record import Check, is_below
from anvl.captured.storage import container_of, reads_storage
from anvl.captured.values import LARGEST_COMPARED

__all__ = ["Guard", "make_guard"]

_LARGEST_BASE = 4 * LARGEST_COMPARED  # bytes of the memory that a small array with steps is part of

_NAMES = {
    "Exception": Exception, "all": all, "attribute": object.__getattribute__, "is_": is_,
    "len": len, "map": map, "type": type,
}  # fmt: skip

# By kind: the source of comparisons of one number `n`.
_TERMS = {
    "absent": "{key!r} not in h{n}",
    "attribute": "h{n}.{key} is v{n}",
    "cell": "c{n} is v{n}",
    "class": "type(h{n}) is v{n}",
    "own": "attribute(h{n}, '__dict__') is v{n}",
}

#: Whether the captured values are the same objects.
Guard = Callable[[], bool]


def make_guard(checks: Sequence[Check], excluded: Sequence[str] = ()) -> Guard | None:
    """The check of these values, except for those below `excluded` paths; None if none is left."""
    kept = [c for c in checks if not is_below(c.path, excluded)]
    kept = [c for c in kept if c.kind != "elements" or not _contains(c.path, excluded)]
    if not kept:
        return None
    names: dict[str, Any] = dict(_NAMES)
    terms = tuple(_term(check, str(i), names) for i, check in enumerate(kept))
    # The check shares the variables of the closures, which it reads faster than as attributes.
    cells = {f"c{i}": check.holder for i, check in enumerate(kept) if check.kind == "cell"}
    code = _code(terms, tuple(cells))
    return FunctionType(code, names, "guard", None, tuple(map(cells.__getitem__, code.co_freevars)))


def _contains(path: str, excluded: Sequence[str]) -> bool:
    return any(is_below(e, (path,)) for e in excluded)


def _term(check: Check, n: str, names: dict[str, Any]) -> str:
    """The source of a comparison; its objects are added to `names`."""
    _, kind, holder, key, value = check
    names["h" + n], names["v" + n] = holder, value
    if kind in _TERMS:
        return _TERMS[kind].format(n=n, key=key)
    if kind == "length":
        return f"{_length(type(holder), n, names)}(h{n}) == v{n}"
    if kind == "array":
        return _array_term(holder, value, n, names)
    if kind == "item":
        names["k" + n] = key
        index = repr(key) if type(key) in (str, int) else f"k{n}"
        return f"h{n}[{index}] is v{n}"
    return _elements_term(type(holder), key, n, names)


def _length(of: type, n: str, names: dict[str, Any]) -> str:
    """The name of the function that gives the length of an object of a class."""
    base = container_of(of)
    if reads_storage(of, base):
        return "len"
    names["l" + n] = base.__len__
    return "l" + n


def _elements_term(of: type, keys: Any, n: str, names: dict[str, Any]) -> str:
    """The source of the comparison of a container of a class, element by element."""
    base = container_of(of)
    elements, values = "h" + n, f"h{n}.values()"
    if not reads_storage(of, base):  # the methods of the class are the person's code
        names["i" + n], names["e" + n] = base.__iter__, getattr(base, "values", None)
        elements, values = f"i{n}(h{n})", f"e{n}(h{n})"
    if not issubclass(base, dict):
        return f"all(map(is_, {elements}, v{n}))"
    names["k" + n] = keys
    return f"all(map(is_, {elements}, k{n})) and all(map(is_, {values}, v{n}))"


def _array_term(x: np.ndarray, content: bytes, n: str, names: dict[str, Any]) -> str:
    """The source of the comparison of an array with its content, in C order: dtype, shape, bytes.

    A bytearray compares itself with the memory of a contiguous array without copying it, in half of
    the time of `tobytes`.  No view is kept, as `resize` would leave it without its memory.

    Just after a program has run, the check of three arrays of 4 kB takes 1.0 us: the call 0.1, the
    contents 0.6, dtypes and dimensions 0.25; that of three of 32 bytes 0.65, of which the contents
    are 0.3.  As long, within 0.05, take all dtypes first, tuples compared at once, arrays that are
    constants of the code, and a comparison with the memory that the program reads anyway.  The same
    alignment of both saves 0.03.  Longer takes to join the contents, which copies them, 0.1; to
    read dtypes and dimensions all at once, by an `attrgetter` or `map`, 0.1 to 0.5; a checksum,
    3.  To compare the words of NumPy's object, read by address, in place of both saves a sixth of
    the whole check, and as much as a kept view of the memory would: not worth a dependence on how
    NumPy lays them out.
    """
    names["v" + n] = bytearray(content)
    names["d" + n], names["s" + n] = _OF_ARRAYS["dtype"](x), _OF_ARRAYS["shape"](x)
    if type(x) is not np.ndarray:  # its attributes may be the person's code
        names.update(_OF_ARRAYS)
        return f"tobytes(h{n}) == v{n} and dtype(h{n}) is d{n} and shape(h{n}) == s{n}"
    same = f"h{n}.tobytes() == v{n}"
    base = x.base
    if _is_comparable(x):
        same = f"v{n} == h{n}"
    elif _is_comparable(x.T):
        names["v" + n] = bytearray(x.tobytes("F"))
        same = f"v{n} == h{n}.T"
    elif type(base) is np.ndarray and base.nbytes <= _LARGEST_BASE and _is_comparable(base):
        # Copying each element takes longer than looking at the whole memory.
        names["b" + n], names["w" + n], names["t" + n] = base, bytearray(base.tobytes()), x.strides
        unmoved = f"h{n}.base is b{n} and h{n}.strides == t{n}"
        same = f"(w{n} == b{n} and {unmoved} or {same})"
    shape = f"h{n}.shape == s{n}" if x.ndim > 1 else f"h{n}.ndim == {x.ndim}"
    return f"{same} and h{n}.dtype is d{n} and {shape}"


def _is_comparable(x: np.ndarray) -> bool:
    """Whether a bytearray can compare itself with the memory of an array."""
    return bytearray(x.tobytes()).__eq__(x) is True


_OF_ARRAYS: dict[str, Callable[..., Any]] = {
    "tobytes": np.ndarray.tobytes,
    "dtype": np.ndarray.dtype.__get__,
    "shape": np.ndarray.shape.__get__,
}


@functools.lru_cache(256)
def _code(terms: tuple[str, ...], variables: tuple[str, ...]) -> CodeType:
    """The code of a function of no arguments that reads these variables of an outer function."""
    source = f"""\
def outer({", ".join(variables)}):
    def guard():
        try:
            return {" and ".join(terms)}
        except Exception:  # a variable is gone
            return False
"""
    code = compile(source, "<anvl check of captured values>", "exec")
    for _ in range(2):  # of the module, of `outer`
        code = next(x for x in code.co_consts if isinstance(x, CodeType))
    return code
