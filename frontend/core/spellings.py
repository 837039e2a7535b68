"""Parameters with two spellings: anvl's, and that of JAX's programs."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from anvl.core.arguments import no_keyword, positions_of

__all__ = ["ArgumentSpellings", "argument_choice", "united"]


class ArgumentSpellings(TypedDict, total=False):
    """JAX's parameters for `static` and `donate`, which take positions and names alike."""

    static_argnums: int | Sequence[int]
    static_argnames: str | Sequence[str]
    donate_argnums: int | Sequence[int]
    donate_argnames: str | Sequence[str]


def argument_choice(function: str, f: Callable[..., Any] | None, wrt: Any, argnums: Any) -> Any:
    """The arguments of f that `wrt` or, as in JAX, `argnums` names; 0 is the default of `wrt`.

    Raises `TypeError` if both are given, or if `argnums` is anything but positions, and
    `ValueError` for a position that f does not have.
    """
    if argnums is None:
        return wrt
    if wrt != 0:
        raise TypeError(
            f"{function}: wrt={wrt!r} and argnums={argnums!r} are two spellings of one parameter; "
            "give one of them"
        )
    _check(f"{function}: argnums", argnums, int, "wrt takes names and paths, too")
    if f is not None and callable(f):
        positions_of(f, argnums, f"{function}: argnums")
    return argnums


def united(
    function: str, f: Callable[..., Any], static: Any, donate: Any, spelled: ArgumentSpellings
) -> tuple[Any, Any]:
    """The static and the donated arguments, however they are spelled.

    Raises `TypeError` if one is spelled both ways, if `argnums` is anything but positions or
    `argnames` anything but names, and for a keyword that is neither.
    """
    known = list(ArgumentSpellings.__annotations__)
    for keyword in spelled.keys() - set(known):
        raise TypeError(no_keyword(function, keyword, [*_OWN, *known]))
    return (
        _united(function, f, "static", static, spelled),
        _united(function, f, "donate", donate, spelled),
    )


# Parameters of `jit`, for messages.
_OWN = (
    "static", "donate", "device", "inline", "cache_size", "compiler_options", "backend",
    "debug_nans", "on_stale_closure", "bucket", "roll", "in_shardings", "out_shardings",
)  # fmt: skip


def _united(
    function: str, f: Callable[..., Any], name: str, given: Any, spelled: ArgumentSpellings
) -> Any:
    parts = []
    for suffix, of in (("argnums", int), ("argnames", str)):
        keyword = f"{name}_{suffix}"
        items: Any = spelled.get(keyword)
        if items is None:
            continue
        if given is not None:
            raise TypeError(
                f"{function}: {name}={given!r} and {keyword}={items!r} are two spellings of one "
                f"parameter; give one of them: {name} takes positions and names"
            )
        _check(f"{function}: {keyword}", items, of, f"{name} takes both")
        positions_of(f, items, f"{function}: {keyword}")
        parts.append(_listed(items))
    return sum(parts, ()) if parts else given


def _check(what: str, given: Any, of: type, remedy: str) -> None:
    if not all(isinstance(item, of) and not isinstance(item, bool) for item in _listed(given)):
        wanted = "positions, such as 0 or (0, 2)" if of is int else "names, such as ('n', 'mode')"
        raise TypeError(f"{what}={given!r} must be {wanted}; {remedy}")


def _listed(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, list | tuple) else (given,)
