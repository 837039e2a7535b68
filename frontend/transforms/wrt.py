"""`wrt`: the variables of differentiation, as users name them.

An entry is the position or the name of an argument, a path to a part of one (`"params.w"`,
`"params['w'][0]"`), or, in reverse mode, the name of a value tagged by `anvl.tag`.
"""

from __future__ import annotations

import functools
import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from anvl import tree
from anvl.core.arguments import name_of, parameters_of, positions_of
from anvl.core.avals import Aval
from anvl.core.importing import load_module
from anvl.core.promote import hint
from anvl.transforms.declare import Position, argument_name, argument_of

if TYPE_CHECKING:
    from anvl.core.traced import Traced

__all__ = ["Chosen", "Wrt"]

_MOST = 12  # names of a kind listed in a message


class Wrt:
    """The entries of a `wrt`, for calls of f.

    `accepts` tells which avals have the derivative, `why` explains others in messages; tags are
    searched for if `has_tags`.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        wrt: Any,
        transform: str,
        *,
        accepts: Callable[[Aval], bool],
        why: str,
        has_tags: bool,
    ) -> None:
        self.f = f
        self.name = name_of(f)
        self.transform = transform
        self.given = wrt
        self.accepts = accepts
        self.why = why
        self.has_tags = has_tags
        self.several = isinstance(wrt, list | tuple)
        #: Each with the position or name of its argument if that is certain, else its path.
        self.entries: list[tuple[Any, int | str | tuple[str, ...]]] = []
        for entry in wrt if self.several else (wrt,):
            which = self._which(entry)
            if any(which == other for _, other in self.entries):
                what = repr(entry) if isinstance(which, tuple) else "an argument"
                raise ValueError(f"{transform}: wrt {wrt!r} names {what} of {self.name} twice")
            self.entries.append((entry, which))
        if not self.entries:
            raise ValueError(f"{transform}: wrt names no argument of {self.name}")

    def _which(self, entry: Any) -> int | str | tuple[str, ...]:
        """The argument or path that an entry names; refuses entries that no call can have."""
        if not isinstance(entry, str):
            return positions_of(self.f, entry, f"{self.transform}: wrt")[0]
        names, path = parameters_of(self.f), _parsed(entry)
        is_known = path[0] in names.known
        if not (is_known or self.has_tags or names.any_name or names.any_position):
            self.refuse(entry, names.known, [], [])
        if not is_known or len(path) > 1:
            return path
        return positions_of(self.f, path[0], f"{self.transform}: wrt")[0]

    def of_call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Chosen:
        """Resolve the entries in a call, given with each leaf replaced by its position."""
        return Chosen(self, args, kwargs)

    def refuse(
        self, entry: str, arguments: Iterable[str], paths: Iterable[str], tags: Iterable[str]
    ) -> NoReturn:
        """Raise an error that lists the names available, the closest ones first."""
        names = [*arguments, *paths, *tags]
        spelled = {_dotted(name): name for name in names} | {name: name for name in names}
        matches = import_module("difflib").get_close_matches(entry, spelled, 3, 0.6)  # costs 2 ms
        close = dict.fromkeys(spelled[n] for n in matches)
        hint = f"; did you mean {' or '.join(close)}?" if close else ";"
        kinds = {"arguments": arguments, "paths": paths, "tags": tags}
        listed = "; ".join(
            f"{kind} {_listed(list(of))}" for kind, of in kinds.items() if self.has_tags or of
        )
        only = "" if self.has_tags else "; tags are for reverse mode: grad and jacrev"
        raise ValueError(
            f"{self.transform}: wrt {entry!r} names nothing of {self.name}{hint} there are the "
            f"{listed}{only}"
        )


class _Part(NamedTuple):
    """The value that one entry names: `positions` is the tree of its leaf positions, None for a
    tag.

    `at` is a path, or the position of an argument.
    """

    given: Any
    at: int | str
    positions: Any
    is_tag: bool


class Chosen:
    """The values that the entries of a `wrt` name in one call."""

    def __init__(self, wrt: Wrt, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        self._wrt = wrt
        self._args = args
        self._kwargs = kwargs
        self._parts = [self._part(*entry) for entry in wrt.entries]
        for i, part in enumerate(self._parts):
            for other in self._parts[:i]:
                self._check_apart(part, other)

    @functools.cached_property
    def _roots(self) -> dict[str, Any]:
        """Arguments by their names in messages."""
        f = self._wrt.f
        return {argument_name(f, i): x for i, x in enumerate(self._args)} | self._kwargs

    def _part(self, entry: Any, which: int | str | tuple[str, ...]) -> _Part:
        """Resolve an entry; one that is no part of the arguments is a tag until the trace shows
        otherwise."""
        wrt = self._wrt
        if isinstance(which, int | str):
            argument = argument_of(wrt.f, wrt.transform, which, self._args, self._kwargs)
            return _Part(entry, which, argument, False)
        root, *steps = which
        if root in self._roots:
            below = _subtree(self._roots[root], root, steps)
            if below is not None:
                return _Part(entry, *below, False)
        elif root in parameters_of(wrt.f).known:  # raises that it was not passed
            argument_of(wrt.f, wrt.transform, root, self._args, self._kwargs)
        if not wrt.has_tags:
            self._refuse(entry, [])
        return _Part(entry, entry, None, True)

    def _check_apart(self, part: _Part, other: _Part) -> None:
        if part.is_tag or other.is_tag:
            return
        sides = [(self._path(p), p.given) for p in (part, other)]
        (outer, one), (inner, another) = sorted(sides, key=lambda side: len(side[0]))
        rest = inner.removeprefix(outer)
        if inner == outer or (rest != inner and rest[0] in ".["):
            raise ValueError(
                f"{self._wrt.transform}: wrt {self._wrt.given!r} names {inner} of "
                f"{self._wrt.name} twice, by {one!r} and by {another!r}; leave one out"
            )

    def _path(self, part: _Part) -> str:
        """Python expression for a part, only for messages, as it takes 2 us."""
        return argument_name(self._wrt.f, part.at)

    def _refuse(self, entry: str, tags: Iterable[str]) -> NoReturn:
        paths = [p for name, x in self._roots.items() for p in tree.leaf_paths(x, name)]
        self._wrt.refuse(entry, self._roots, [p for p in paths if p not in self._roots], tags)

    def paths(self) -> list[str]:
        """Python expression for each part of the arguments that is named."""
        return [self._path(part) for part in self._parts if not part.is_tag]

    def by_path(self) -> dict[str, Any]:
        """Leaf positions of these parts, by path; other leaves are not arrays."""
        return {
            path: leaf
            for part in self._parts
            if not part.is_tag
            for path, leaf in zip(
                tree.leaf_paths(part.positions, self._path(part)),
                tree.leaves(part.positions),
                strict=True,
            )
        }

    def leaves(self, avals: Sequence[Aval]) -> list[int]:
        """Positions of the leaves; raises `TypeError` for one without a derivative."""
        found: list[int] = []
        accepts = self._wrt.accepts
        for part in self._parts:
            leaves = tree.leaves(part.positions)
            for k, i in enumerate(leaves):
                if not isinstance(i, Position) or not accepts(avals[i]):
                    self._refuse_leaf(part, k, avals[i] if isinstance(i, Position) else i)
            found += leaves
        return found

    def _refuse_leaf(self, part: _Part, k: int, what: Any) -> NoReturn:
        path = tree.leaf_paths(part.positions, self._path(part))[k]
        raise TypeError(
            f"{self._wrt.transform}: {path} of {self._wrt.name} is {what!r}{hint(what)}; "
            f"{self._wrt.why}: leave it out of wrt, or cast it"
        )

    # -- tags ------------------------------------------------------------------------------------

    def tags(self, nested: Traced) -> dict[str, Aval]:
        """Tags and their avals in the traced function."""
        wanted = [part for part in self._parts if part.is_tag]
        if not wanted:
            return {}
        # It imports the passes, which programs without tags need not load.
        known = load_module("anvl.transforms.tag_search").tags_in(nested)
        found: dict[str, Aval] = {}
        for part in wanted:
            label = self._label(part, known)
            if label in found:
                raise ValueError(
                    f"{self._wrt.transform}: wrt {self._wrt.given!r} names the tag {label!r} of "
                    f"{self._wrt.name} twice; leave one out"
                )
            found[label] = self._aval_of_tag(label, known[label])
        return found

    def _label(self, part: _Part, known: dict[str, Any]) -> str:
        if part.given in known:
            return str(part.given)
        for label in known:
            if _parsed(label) == _parsed(part.given):
                return label
        self._refuse(part.given, known)

    def _aval_of_tag(self, label: str, values: Sequence[Any]) -> Aval:
        head = f"{self._wrt.transform}: tag {label!r} of {self._wrt.name}"
        if len(values) > 1:
            lines = ", ".join(value.line for value in values)
            raise ValueError(f"{head} is on {len(values)} values, at {lines}; give each its own")
        of, line, is_used = values[0]
        if not self._wrt.accepts(of):
            raise TypeError(
                f"{head} is {of}, at {line}; {self._wrt.why}: cast it before it is tagged"
            )
        if not is_used:
            raise ValueError(
                f"{head}, at {line}, is on an unused value; use the result of anvl.tag"
            )
        return of

    # -- results ---------------------------------------------------------------------------------

    def in_order(self, of_leaves: Iterable[Any], of_tags: Iterable[Any]) -> list[Any]:
        """Merge items of all leaves and tags in the order of the entries."""
        if not any(part.is_tag for part in self._parts):
            return list(of_leaves)
        leaves, tags = iter(of_leaves), iter(of_tags)
        found: list[Any] = []
        for part in self._parts:
            n = len(tree.leaves(part.positions))
            found += [next(tags)] if part.is_tag else [next(leaves) for _ in range(n)]
        return found

    @property
    def structure(self) -> Any:
        """Structure of a result: that of the named part, or a tuple of several."""
        trees = [0 if part.is_tag else part.positions for part in self._parts]
        return tree.structure(tuple(trees) if self._wrt.several else trees[0])


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return (", ".join(names[:_MOST]) or "none") + more


# -- paths -----------------------------------------------------------------------------------------

# Compiled on first use: few programs have paths.
_ROOT = r"[^\W\d]\w*"
_STEP = r"""\.(\w+)|\[((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\]'"])*)\]"""


def _parsed(path: str) -> tuple[str, ...]:
    """Split a path into its first name and normalized steps.

    `p.w`, `p['w']` and `p["w"]` are one path, and so are `p.0` and `p[0]`.  A malformed path is a
    name as a whole.
    """
    root = re.match(_ROOT, path)
    if root is None:
        return (path,)
    steps, at = [], root.end()
    while at < len(path):
        step = re.compile(_STEP).match(path, at)
        if step is None:
            return (path,)
        steps.append(step[1] if step[1] is not None else _key(step[2]))
        at = step.end()
    return root[0], *steps


def _key(text: str) -> str:
    """A bracketed key; quotes are removed."""
    text = text.strip()
    if text[:1] not in ("'", '"'):
        return text
    try:
        return str(literal_eval(text))
    except (SyntaxError, ValueError):
        return text


def _subtree(node: Any, path: str, steps: Sequence[str]) -> tuple[str, Any] | None:
    """The path and the subtree that the steps lead to."""
    for step in steps:
        held = tree.children(node, path)
        found = [(p, child) for p, child in held if _parsed(f"_{p[len(path) :]}")[1:] == (step,)]
        if not found and re.fullmatch(r"-\d+", step) and isinstance(node, list | tuple):
            found = held[int(step) :][:1] if -int(step) <= len(held) else []
        if not found:
            return None
        path, node = found[0]
    return path, node


def _dotted(path: str) -> str:
    """`params.w.0` for `params['w'][0]`."""
    return ".".join(_parsed(path))
