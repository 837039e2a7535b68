"""Products of all other elements: the derivative of a product, exact where elements are 0."""

from math import prod

from anvl.dialect.core.create import full
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import tensor
from anvl.dialect.ops.reduction.last_axis import concatenated, part

__all__ = ["times_others"]

# Note [Products of others]
#
# The products of all other elements are a tree: what belongs to two sides is passed down to both,
# each time multiplied by the other side.  As concatenations of sides, each level is a kernel, which
# XLA compiles for 0.1 s and more.  As multiplications by reversed pairs, all levels are one loop,
# but there each element computes the products of its level anew, n of them in all.  So elements are
# taken in groups of eight, three levels each: the products of groups are reductions, which XLA
# computes once, and what comes down to many groups is behind a barrier.
#
# The gradient of 1,000 products of 64 compiles in a fifth of the time (XLA:CPU of jaxlib 0.10.2),
# its derivative in a seventh.  A run takes twice as long, 0.35 ms.  For larger arrays that would
# count, and each level is a concatenation.

_GROUP = 8
_MOST_IN_GROUPS = 2**16  # elements


def times_others(x: Value, root: Value) -> Value:
    """`root` times the products of the other elements along the last axis."""
    return (_by_groups if prod(x.type.shape) <= _MOST_IN_GROUPS else _by_sides)(x, root)


def _by_sides(x: Value, root: Value) -> Value:
    """Multiply pairs up a tree, then pass `root` down: each side is scaled by the other."""
    count = x.type.shape[-1]
    if count == 1:
        return root
    half = count // 2
    left, right = part(x, 0, half), part(x, half, 2 * half)
    rest = [part(x, 2 * half, count)] if count % 2 else []
    g = _by_sides(concatenated(emit.mul(left, right), *rest), root)
    g_pair = part(g, 0, half)
    g_rest = [part(g, half, half + 1)] if rest else []
    return concatenated(emit.mul(g_pair, right), emit.mul(g_pair, left), *g_rest)


def _by_groups(x: Value, root: Value) -> Value:
    """Multiply groups up a tree, then pass `root` down through the pairs of each."""
    *outer, count = x.type.shape
    if count == 1:
        return root
    size = _GROUP if count > _GROUP // 2 else 2 if count == 2 else 4
    groups = -(-count // size)
    members = reshaped(_padded(x, size * groups), (*outer, size, groups))
    if groups > 1:
        root = _by_groups(emit.prod(members, axes=(len(outer),)), root)
    if groups > _GROUP:
        (root,) = emit.optimization_barrier(root)
    found = _to_members(members, root)
    return part(reshaped(found, (*outer, size * groups)), 0, count)


def _to_members(x: Value, root: Value) -> Value:
    """`root` times the products of the other elements along the last axis but one."""
    *outer, size, groups = x.type.shape
    if size == 1:
        return reshaped(root, x.type.shape)
    axis, shape = len(outer), (*outer, 2, size // 2, groups)
    pairs = reshaped(x, shape)
    root = _to_members(emit.mul(_side(pairs, 0), _side(pairs, 1)), root)
    dims = (*range(axis), axis + 1, axis + 2)
    to_both = emit.broadcast_in_dim(root, shape=shape, broadcast_dimensions=dims)
    return reshaped(emit.mul(to_both, emit.reverse(pairs, dimensions=(axis,))), x.type.shape)


def _side(pairs: Value, i: int) -> Value:
    """Side i of the pairs along the last axis but two."""
    *outer, _, size, groups = pairs.type.shape
    side = emit.slice(
        pairs,
        start_indices=(*(0 for _ in outer), i, 0, 0),
        limit_indices=(*outer, i + 1, size, groups),
        strides=(1,) * pairs.type.rank,
    )
    return reshaped(side, (*outer, size, groups))


def _padded(x: Value, count: int) -> Value:
    """x with ones behind the elements of its last axis, `count` of them in all."""
    *outer, n = x.type.shape
    if n == count:
        return x
    ones = full(tensor((*outer, count - n), x.type.element_type), 1)
    return concatenated(x, ones)
