"""Sets of elements for each operand, and unions of them: `dependence` rules work with these."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.sparsity.index_sets import EMPTY, IndexSets

__all__ = ["Dependence", "NotAMove", "Ran", "moved"]

# Note [Dependence]
#
# The rule `dependence` of an op says which elements of the argument each element of its result may
# depend on, for all values that the operands can have.  It gets, for each operand, an integer array
# of the operand's shape: the number of a set (Note [Index sets]) for each element, 0 where the
# element depends on nothing.  It returns such an array for the result, or a sequence of them for
# several results.  To move elements, a rule indexes, transposes and joins these arrays as NumPy
# arrays; to combine them, it asks `deps` for unions.  Too large a set costs time; one that lacks an
# element gives wrong derivatives.  The default, that each element depends on all elements of all
# operands, is always right.


class Ran(NamedTuple):
    """Results of a body: their sets, and a function of a position to the known values, or None."""

    ids: list[Any]
    known: Callable[[int], Any]


class Dependence(NamedTuple):
    """The services for the rule of one op."""

    sets: IndexSets
    op: ir.Operation
    #: The value of an operand, by position, where it is known before the program runs, or None.
    known: Callable[[int], Any]
    #: Runs a body on sets and known values of its arguments.
    run: Callable[[Any, Sequence[Any], Sequence[Any]], Ran]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the results."""
        return [shape_of(y) for y in self.op.results]

    def union(self, *xs: Any) -> Any:
        """The unions of arrays, element by element; they broadcast."""
        return self.sets.union(*xs)

    def reduced(self, x: Any, axes: Sequence[int]) -> Any:
        """The unions along `axes`, which the result has no more."""
        return self.sets.reduced(x, axes)

    def along(self, x: Any, axes: Sequence[int]) -> Any:
        """The unions along `axes`, for each element there."""
        kept = [1 if a in axes else n for a, n in enumerate(x.shape)]
        return np.broadcast_to(self.reduced(x, axes).reshape(kept), x.shape)

    def running(self, x: Any, axis: int, reverse: bool = False) -> Any:
        """The unions of the elements up to each one along `axis`; from each one with `reverse`."""
        x = np.moveaxis(x, axis, 0)
        x = x[::-1] if reverse else x
        step = 1
        while step < len(x):
            x = np.concatenate([x[:step], self.union(x[step:], x[:-step])])
            step *= 2
        return np.moveaxis(x[::-1] if reverse else x, 0, axis)

    def all_of(self, xs: Sequence[Any]) -> Any:
        """The union of all elements of all arrays."""
        flat = np.concatenate([np.unique(x) for x in xs]) if xs else np.zeros(0, np.int64)
        return self.reduced(flat, (0,))

    def placed(self, x: Any, positions: Any, ids: Any) -> Any:
        """x with sets added at flat positions of it, which may repeat."""
        count = x.size
        groups = np.concatenate([np.arange(count), positions.reshape(-1)])
        joined = np.concatenate([x.reshape(-1), ids.reshape(-1)])
        return self.sets.grouped(groups, joined, count).reshape(x.shape)

    def everything(self, xs: Sequence[Any]) -> list[Any]:
        """For each result: all elements depend on all elements of all operands."""
        union = self.all_of(xs)
        return [np.broadcast_to(union, shape) for shape in self.shapes]

    def run_function(self, body: Any, xs: Sequence[Any]) -> list[Any]:
        """For each result of a function that is called on all operands."""
        return self.run(body, xs, [self.known(i) for i in range(len(xs))]).ids

    def batched(self, xs: Sequence[Any], axes: int) -> list[Any]:
        """For results that have the first axes of the operands, all but their last `axes`.

        An element depends on all of the operands' elements at the same place in these.
        """
        first = self.union(*(self.reduced(x, range(x.ndim - axes, x.ndim)) for x in xs))
        padded = (first.reshape((*first.shape, *[1] * (len(s) - first.ndim))) for s in self.shapes)
        return [np.broadcast_to(y, shape) for y, shape in zip(padded, self.shapes, strict=True)]


class NotAMove(Exception):
    """A rule combines elements, and does not only move them."""


class _Moves(Dependence):
    """The services that move elements; the others refuse."""

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise NotAMove

    union = reduced = along = running = all_of = placed = everything = batched = _refuse


def moved(op: ir.Operation, rules: Any, params: dict[str, Any], xs: Sequence[Any]) -> Any:
    """The value of an op that only moves elements of known arrays, by its rule; else None.

    The rule gets the positions of all elements in place of sets.
    """
    flat = np.concatenate([x.reshape(-1) for x in xs])
    ends = np.cumsum([x.size for x in xs])
    positions = [
        np.arange(end - x.size + 1, end + 1).reshape(x.shape)
        for x, end in zip(xs, ends, strict=True)
    ]
    none = IndexSets(0)
    services = _Moves(none, op, lambda i: xs[i], lambda *_: Ran([], lambda _: None))
    try:
        found = rules.dependence(services, positions, **params)
    except NotAMove:
        return None
    found = np.asarray(found)
    return None if (found == EMPTY).any() else flat[found - 1]


def shape_of(x: Value) -> tuple[int, ...]:
    """The shape of a value; () for what is no array, such as a token."""
    return tuple(x.type.shape) if isinstance(x.type, ir.RankedTensorType) else ()
