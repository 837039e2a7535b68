"""StableHLO's `einsum` of one or two operands: diagonals, sums, one contraction, a transposition.

Source: NumPy's manual, `einsum`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import DotDims, Precision
from anvl.dialect.core.types import dtype_name

__all__ = ["einsum"]


class _Labelled(NamedTuple):
    """An array and the label of each axis."""

    x: Value
    labels: tuple[str, ...]


def einsum(
    config: str, xs: Sequence[Value], element: ir.Type, precision: ir.Attribute | None
) -> Value | None:
    """Emit the `einsum` of `config`, such as "ab,bc->ac"; None if it has no such form.

    `element` is the element type of the result.  Raises `TypeError` for a precision that anvl
    lacks, or an element type that the contraction cannot have.
    """
    parsed = _parsed(config, xs)
    if parsed is None:
        return None
    named, out = parsed
    named = [_without_repeated(one) for one in named]
    if len(named) == 1:
        (y,) = named
    else:
        params = {
            "precision_config": "DEFAULT" if precision is None else Precision.decode(precision)
        }
        y = _contracted(*_of_one_size(*named), out, params | {"dtype": dtype_name(element)})
    y = _summed(y, set(out))
    return _ordered(y, out)


def _parsed(config: str, xs: Sequence[Value]) -> tuple[list[_Labelled], tuple[str, ...]] | None:
    """The operands with the labels of their axes, and those of the result; None if wrong."""
    taken, arrow, given = config.replace(" ", "").partition("->")
    words = taken.split(",")
    if not arrow or len(words) != len(xs):
        return None
    named = [_Labelled(x, _labels(word, x.type.rank)) for x, word in zip(xs, words, strict=True)]
    if any(len(one.labels) != one.x.type.rank for one in named):
        return None
    every = {label for one in named for label in one.labels}
    n_more = max((len([c for c in one.labels if len(c) > 1]) for one in named), default=0)
    out = _expanded(given, n_more)
    return (named, out) if len(set(out)) == len(out) and set(out) <= every else None


def _labels(word: str, rank: int) -> tuple[str, ...]:
    named = len(word.replace("...", ""))
    return _expanded(word, rank - named if "..." in word else 0)


def _expanded(word: str, n_more: int) -> tuple[str, ...]:
    """Labels of a word; the axes of an ellipsis are numbered from the last."""
    first, dots, last = word.partition("...")
    more = [f"...{i}" for i in range(n_more, 0, -1)] if dots else []
    return (*first, *more, *last)


def _without_repeated(one: _Labelled) -> _Labelled:
    """Take the diagonal along axes with equal labels."""
    x, labels = one
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            again = labels.index(label, first + 1)
            shape = tuple(x.type.shape)
            at = [emit.iota(shape=shape, dtype="i32", iota_dimension=i) for i in (first, again)]
            same = emit.compare(*at, comparison_direction="EQ")
            x = emit.sum(emit.select(same, x, zeros_like(x)), axes=(again,))
            labels = (*labels[:again], *labels[again + 1 :])
    return _Labelled(x, labels)


def _of_one_size(x: _Labelled, y: _Labelled) -> tuple[_Labelled, _Labelled]:
    """Sum out axes of size 1 that are longer in the other operand."""
    return _without_ones(x, y), _without_ones(y, x)


def _without_ones(one: _Labelled, other: _Labelled) -> _Labelled:
    sizes = dict(zip(other.labels, other.x.type.shape, strict=True))
    axes = [
        i
        for i, (label, n) in enumerate(zip(one.labels, one.x.type.shape, strict=True))
        if n == 1 and sizes.get(label, 1) != 1
    ]
    return _summed(one, {label for i, label in enumerate(one.labels) if i not in axes})


def _summed(one: _Labelled, kept: set[str]) -> _Labelled:
    axes = tuple(i for i, label in enumerate(one.labels) if label not in kept)
    if not axes:
        return one
    return _Labelled(emit.sum(one.x, axes=axes), tuple(c for c in one.labels if c in kept))


def _contracted(
    x: _Labelled, y: _Labelled, out: Sequence[str], params: dict[str, Any]
) -> _Labelled:
    both = [label for label in x.labels if label in y.labels]
    x, y = _summed(x, {*both, *out}), _summed(y, {*both, *out})
    batching = [label for label in both if label in out]
    summed = [label for label in both if label not in out]
    dims = DotDims(
        *(tuple(map(one.labels.index, labels)) for labels in (batching, summed) for one in (x, y))
    )
    z = emit.dot_general(x.x, y.x, dot_dimension_numbers=dims, **params)
    left = [label for one in (x, y) for label in one.labels if label not in both]
    return _Labelled(z, (*batching, *left))


def _ordered(one: _Labelled, out: Sequence[str]) -> Value:
    order = tuple(map(one.labels.index, out))
    if order == tuple(range(len(order))):
        return one.x
    return emit.transpose(one.x, permutation=order)
