"""Keys of the paths of leaves, as JAX has them: what leads from a container to a child."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

__all__ = [
    "DictKey", "FlattenedIndexKey", "GetAttrKey", "KeyedParts", "SequenceKey", "plain_name",
]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class DictKey:
    """A key of a dict in the path of a leaf.

    Attributes
    ----------
    key
        The key; str() gives `['key']`.

    Examples
    --------
    >>> from anvl.tree_util import DictKey
    >>> str(DictKey("w"))
    "['w']"
    """

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """A position in a list or a tuple in the path of a leaf.

    Attributes
    ----------
    idx : int
        The position; str() gives `[idx]`.

    Examples
    --------
    >>> from anvl.tree_util import SequenceKey
    >>> str(SequenceKey(2))
    '[2]'
    """

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx}]"


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """A field of an object in the path of a leaf: of a dataclass or a named tuple.

    Attributes
    ----------
    name : str
        The field; str() gives `.name`.

    Examples
    --------
    >>> from anvl.tree_util import GetAttrKey
    >>> str(GetAttrKey("w"))
    '.w'
    """

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclasses.dataclass(frozen=True)
class FlattenedIndexKey:
    """A position among the children of an object without names for them, in the path of a leaf.

    Attributes
    ----------
    key : int
        The position; str() gives `[<flat index key>]`.

    Examples
    --------
    >>> from anvl.tree_util import FlattenedIndexKey
    >>> str(FlattenedIndexKey(0))
    '[<flat index 0>]'
    """

    key: int

    def __str__(self) -> str:
        return f"[<flat index {self.key}>]"


@dataclasses.dataclass(frozen=True)
class KeyedParts:
    """The rest of an object of a class that gives keys for its children, and these keys.

    It is in the structure, so that paths can be read off it.
    """

    rest: Any
    keys: tuple[Any, ...]

    @classmethod
    def of(cls, rest: Any, keys: Iterable[Any]) -> KeyedParts:
        return cls(rest, tuple(keys))

    def __repr__(self) -> str:
        return repr(self.rest)


def plain_name(key: Any) -> str:
    """A key as text without brackets or a dot: `w` of `['w']`, `0` of `[0]`, `w` of `.w`.

    Examples
    --------
    >>> from anvl.tree.path_keys import DictKey, GetAttrKey, plain_name
    >>> plain_name(DictKey("w")), plain_name(GetAttrKey("b"))
    ('w', 'b')
    """
    if isinstance(key, DictKey | FlattenedIndexKey):
        return str(key.key)
    if isinstance(key, SequenceKey):
        return str(key.idx)
    return str(key.name if isinstance(key, GetAttrKey) else key)
