"""Merge one axis into another and split it off again, for batches carried in group axes."""

from anvl.dialect.core.op import Value
from anvl.dialect.core.shape import permuted, reshaped

__all__ = ["merged", "taken_out"]


def merged(x: Value, axis: int, groups: int = 1) -> Value:
    """Merge the first axis of x into `axis`, which is counted without the first.

    In the merged axis the groups vary slowest, then the former first axis, then the rest of a
    group.
    """
    count, *shape = x.type.shape
    size = shape[axis] // groups
    before, after = shape[:axis], shape[axis + 1 :]
    split = reshaped(x, (count, *before, groups, size, *after))
    rank = split.type.rank
    order = [*range(1, axis + 2), 0, *range(axis + 2, rank)]
    return reshaped(permuted(split, order), (*before, groups * count * size, *after))


def taken_out(x: Value, axis: int, count: int, groups: int = 1) -> Value:
    """Split a first axis of size `count` off `axis`: the inverse of `merged`."""
    shape = list(x.type.shape)
    size = shape[axis] // (groups * count)
    before, after = shape[:axis], shape[axis + 1 :]
    split = reshaped(x, (*before, groups, count, size, *after))
    rank = split.type.rank
    order = [axis + 1, *range(axis + 1), *range(axis + 2, rank)]
    return reshaped(permuted(split, order), (count, *before, groups * size, *after))
