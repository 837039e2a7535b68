"""`jit(bucket=...)`: which axes of the arguments are padded, and to which size.

Note [Buckets]
A size belongs to the bucket of the next power of two.  Every call is traced at its true sizes, once
for each: so the person's program is what it is without buckets, whatever Python does with a size.
`anvl-pad` then pads the traced program.  Only an argument has the true size, so the programs of all
sizes of a bucket compute the same ops, and XLA compiles one: they are found by what they compute
(`structural_digest.py`).  This is also how a read of a size is found: the first size of a bucket is
compared with another one of it, and they differ.  Sizes 0, 1 and 2 are alone in their buckets, so
nothing is padded there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.core.argument_roots import roots_of_leaves
from anvl.core.arguments import (
    Arguments,
    StaticArguments,
    input_names,
    name_of,
    parameters_of,
    positions_of,
)
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract
from anvl.dialect.core.errors import nearest
from anvl.runtime import ArrayType, array_type

__all__ = [
    "Bucket",
    "PaddedAxis",
    "PaddingPlan",
    "bucketed",
    "buckets_of",
    "padded_types",
    "plan_of",
]

_ALONE = 2  # up to this size, a size is alone in its bucket


class Bucket(NamedTuple):
    """An entry of `bucket`: a path, the argument it leads to, the steps below that, the axes."""

    path: str
    root: int | str
    steps: tuple[str, ...]
    axes: tuple[int, ...]


class PaddedAxis(NamedTuple):
    """An axis of a leaf, its sizes, and the number of its true size among the lengths."""

    position: int
    axis: int
    true: int
    padded: int
    length: int


class PaddingPlan(NamedTuple):
    """Padding for arguments of some sizes.

    Attributes
    ----------
    axes : tuple of PaddedAxis
    lengths : tuple of int
        The true sizes, each an argument of the program.
    names : tuple of str
        How messages call these arguments.
    """

    axes: tuple[PaddedAxis, ...]
    lengths: tuple[int, ...]
    names: tuple[str, ...]

    def shape(self, position: int, shape: Sequence[int]) -> tuple[int, ...]:
        """The padded shape of a leaf."""
        sizes = list(shape)
        for axis in self.axes:
            if axis.position == position:
                sizes[axis.axis] = axis.padded
        return tuple(sizes)

    def other_sizes(self) -> dict[int, int]:
        """For each true size another one of its bucket, all different."""
        return {
            axis.true: axis.true + 1 if axis.true < axis.padded else axis.padded // 2 + 1
            for axis in self.axes
        }

    def other_lengths(self) -> tuple[int, ...]:
        """Other sizes of the same buckets, one for each length."""
        other = self.other_sizes()
        return tuple(other[n] for n in self.lengths)

    def at_other_sizes(self, avals: Sequence[Aval]) -> list[Aval]:
        """The leaves with other sizes of the same buckets."""
        other, found = self.other_sizes(), list(avals)
        for axis in self.axes:
            of = found[axis.position]
            sizes = list(of.shape)
            sizes[axis.axis] = other[axis.true]
            found[axis.position] = aval(of.dtype, tuple(sizes), of.weak_type)
        return found

    def sizes_text(self, sizes: Mapping[int, int] | None = None) -> str:
        """The padded arguments with their sizes, or those that `sizes` has in their place."""
        parts = [
            f"{name} has {n if sizes is None else sizes[n]}"
            for name, n in zip(self.names, self.lengths, strict=True)
        ]
        return " and ".join(parts)


def buckets_of(f: Callable[..., Any], static: StaticArguments, given: Any) -> tuple[Bucket, ...]:
    """Check the option `bucket` of `jit`; its errors are those of `jit`."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise TypeError(
            f"jit: bucket must map arguments to axes, as {{'x': 0}}, got {given!r} of type "
            f"{type(given).__name__}"
        )
    return tuple(_bucket(f, static, entry, axes) for entry, axes in given.items())


def _bucket(f: Callable[..., Any], static: StaticArguments, entry: Any, axes: Any) -> Bucket:
    several = axes if isinstance(axes, tuple | list) else (axes,)
    if not several or any(type(a) is not int for a in several):
        raise TypeError(
            f"jit: bucket: {entry!r} is to be padded along {axes!r}; give the number of an axis, "
            "or a tuple of them"
        )
    first, *steps = _steps(entry) if isinstance(entry, str) else [entry]
    known = parameters_of(f)
    if isinstance(first, str) and first not in known.known and not known.any_name:
        raise ValueError(
            f"jit: bucket: {name_of(f)} has no argument {first!r}"
            f"{nearest(first, known.known)}; it has {known}"
        )
    (root,) = positions_of(f, first, "bucket")
    if root in static.positions or root in static.names or first in static.names:
        raise ValueError(
            f"jit: {name_of(f)}: argument {first} is both static and bucketed; a static argument "
            "is no array and has no axes: name it in one of them"
        )
    return Bucket(str(entry), root, tuple(steps), tuple(several))


def _steps(path: str) -> list[str]:
    """The steps of a path: `params['w']`, `params["w"]` and `params.w` have the same."""
    return [step.strip("'\"") for step in re.split(r"\.|\[|\]\.?", path) if step]


def plan_of(
    f: Callable[..., Any], buckets: Sequence[Bucket], arguments: Arguments
) -> PaddingPlan | None:
    """What is padded for these arguments; None if nothing is.

    Raises `ValueError` for a path that leads to no array, and for an axis that an array lacks.
    """
    found: dict[tuple[int, int], PaddedAxis] = {}
    numbers: dict[tuple[str, int], int] = {}
    names = input_names(f, arguments)
    for bucket, position, name in _leaves(f, buckets, arguments, names):
        leaf = arguments.leaves[position]
        shape = leaf.shape if isinstance(leaf, Aval) else abstract(leaf).shape
        for given in bucket.axes:
            axis = _axis(f, bucket, given, name, shape)
            size = shape[axis]
            if size <= _ALONE:
                continue
            number = numbers.setdefault((bucket.path, size), len(numbers))
            padded = 1 << (size - 1).bit_length()
            found.setdefault((position, axis), PaddedAxis(position, axis, size, padded, number))
    if not found:
        return None
    sizes = tuple(size for _, size in numbers)
    return PaddingPlan(tuple(found.values()), sizes, tuple(path for path, _ in numbers))


def _leaves(
    f: Callable[..., Any],
    buckets: Sequence[Bucket],
    arguments: Arguments,
    names: Sequence[str],
) -> Iterator[tuple[Bucket, int, str]]:
    """Each bucket with the positions and paths of the leaves that it is for."""
    roots = roots_of_leaves(f, arguments)
    for bucket in buckets:
        below = [i for i, root in enumerate(roots) if root == bucket.root]
        n = len(bucket.steps)
        of = [i for i in below if tuple(_steps(names[i])[1 : n + 1]) == bucket.steps]
        if below and not of:
            listed = [names[i] for i in below]
            raise ValueError(
                f"jit: bucket: {name_of(f)} has no array at {bucket.path!r} in this call"
                f"{nearest(bucket.path, listed)}; it has {', '.join(listed)}"
            )
        for i in of:
            yield bucket, i, names[i]


def _axis(
    f: Callable[..., Any], bucket: Bucket, given: int, name: str, shape: Sequence[int]
) -> int:
    rank = len(shape)
    if not -rank <= given < rank:
        has = f"axes 0 to {rank - 1}" if rank > 1 else "only axis 0" if rank else "no axes"
        hint = "" if name == bucket.path else f"; {bucket.path!r} means all arrays in it"
        raise ValueError(
            f"jit: bucket: {name_of(f)}: argument {name} has shape {list(shape)}, which has {has}, "
            f"and is to be padded along axis {given}{hint}"
        )
    return given % rank


def bucketed(
    f: Callable[..., Any],
    buckets: Sequence[Bucket],
    arguments: Arguments,
    types: tuple[ArrayType, ...],
) -> tuple[ArrayType, ...]:
    """Types of the leaves of a call at the sizes of their buckets."""
    avals = [aval(of.dtype, of.shape, of.weak_type) for of in types]
    plan = plan_of(f, buckets, arguments._replace(leaves=avals))
    return types if plan is None else tuple(padded_types(plan, types)[: len(types)])


def padded_types(plan: PaddingPlan, key: Sequence[ArrayType]) -> list[ArrayType]:
    """The types of the arguments of a padded program, given those of the call."""
    place = key[0].placement.whole
    types = [
        array_type(plan.shape(i, of.shape), of.dtype, place, of.weak_type)
        for i, of in enumerate(key)
    ]
    return types + [array_type((), np.dtype(np.int32), place)] * len(plan.lengths)
