"""`einsum`: sums of products, with a letter for each axis.

Operands are contracted in pairs, the pair with the smallest result first.  An axis that both have
is a batch axis if the result or another operand needs it, else it is contracted.
"""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.core.promote import broadcast_to, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.diagonals import diagonal
from anvl.numpy.arrays.shaping import transpose
from anvl.numpy.functions.products import contract
from anvl.numpy.functions.reductions import reduced

__all__ = ["einsum"]


class _Term(NamedTuple):
    """An operand and the letters of its axes."""

    x: Tracer
    letters: str


@public("subscripts", "precision")
def einsum(subscripts: str, *xs: Any, precision: str = "DEFAULT") -> Any:
    """Sum products of arrays over named axes: `"ij,jk->ik"` is the matrix product.

    Parameters
    ----------
    subscripts : str
        A letter for each axis of each operand.  Letters missing in the result are summed over;
        without `->` the result has, sorted, the letters that occur once.  `...` stands for further
        axes, which broadcast.
    *xs : array
    precision : {"DEFAULT", "HIGH", "HIGHEST"}

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        `subscripts` is not a string.
    ValueError
        `subscripts` does not fit the operands.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.einsum("ij,j->i", np.ones((2, 3)), np.asarray([1.0, 2.0, 3.0])))
    [6. 6.]
    """
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: subscripts are a string such as 'ij,jk->ik', got {subscripts!r}")
    operands, _ = promoted("einsum", xs, broadcast=False) if xs else ([], False)
    inputs, output = _parsed(subscripts, operands)
    sizes = _sizes(subscripts, inputs, operands)
    pairs = zip(operands, inputs, strict=True)
    terms = [_single(_Term(x, letters), sizes) for x, letters in pairs]
    while len(terms) > 1:
        i, j = _cheapest(terms, output, sizes)
        second, first = terms.pop(j), terms.pop(i)
        needed = set(output).union(*(term.letters for term in terms))
        terms.append(_contracted(first, second, needed, precision))
    return _finished(terms[0], output)


def _parsed(subscripts: str, operands: Sequence[Tracer]) -> tuple[list[str], str]:
    """Letters of each operand and of the result, with `...` replaced by unused letters."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(operands):
        raise ValueError(
            f"einsum: {subscripts!r} names {len(inputs)} operands, got {len(operands)}"
        )
    unused = [c for c in string.ascii_letters if c not in text]
    extra = [
        x.ndim - len(letters.replace("...", "")) if "..." in letters else 0
        for letters, x in zip(inputs, operands, strict=True)
    ]
    if min(extra) < 0:
        raise ValueError(f"einsum: {subscripts!r} names more axes than {_listed(operands)} have")
    spare = "".join(unused[: max(extra)])
    inputs = [
        letters.replace("...", spare[len(spare) - n :])
        for letters, n in zip(inputs, extra, strict=True)
    ]
    output = right.replace("...", spare) if arrow else spare + _implicit(inputs, spare)
    _check(subscripts, inputs, output)
    return inputs, output


def _implicit(inputs: Sequence[str], spare: str) -> str:
    every = "".join(inputs)
    return "".join(sorted(c for c in set(every) if every.count(c) == 1 and c not in spare))


def _check(subscripts: str, inputs: Sequence[str], output: str) -> None:
    for c in "".join(inputs) + output:
        if c not in string.ascii_letters:
            raise ValueError(f"einsum: {c!r} in {subscripts!r} is not a letter")
    unknown = set(output) - set("".join(inputs))
    if unknown or len(set(output)) != len(output):
        raise ValueError(
            f"einsum: the result of {subscripts!r} must name letters of the operands, each once"
        )


def _listed(operands: Sequence[Tracer]) -> str:
    return ", ".join(str(x.aval) for x in operands)


def _sizes(subscripts: str, inputs: Sequence[str], operands: Sequence[Tracer]) -> dict[str, int]:
    """Size of each letter; axes of size 1 broadcast."""
    sizes: dict[str, int] = {}
    for letters, x in zip(inputs, operands, strict=True):
        if len(letters) != x.ndim:
            raise ValueError(
                f"einsum: {letters!r} of {subscripts!r} names {len(letters)} axes of {x.aval}"
            )
        for c, n in zip(letters, x.shape, strict=True):
            if sizes.setdefault(c, n) != n and 1 not in (n, sizes[c]):
                raise ValueError(
                    f"einsum: {c!r} of {subscripts!r} is {sizes[c]} and {n} in {_listed(operands)}"
                )
            sizes[c] = n if sizes[c] == 1 else sizes[c]
    return sizes


def _single(term: _Term, sizes: dict[str, int]) -> _Term:
    """An operand with every letter once, in its full size."""
    x, letters = term
    x = broadcast_to(x, tuple(sizes[c] for c in letters))
    for c in dict.fromkeys(letters):
        while letters.count(c) > 1:
            i = letters.index(c)
            j = letters.index(c, i + 1)
            x = diagonal(x, 0, i, j)  # the diagonal becomes the last axis
            letters = letters[:i] + letters[i + 1 : j] + letters[j + 1 :] + c
    return _Term(x, letters)


def _cheapest(terms: Sequence[_Term], output: str, sizes: dict[str, int]) -> tuple[int, int]:
    """Positions of the two terms whose product is smallest."""

    def size(pair: tuple[int, int]) -> int:
        others = [t.letters for k, t in enumerate(terms) if k not in pair]
        needed = set(output).union(*others)
        both = set(terms[pair[0]].letters) | set(terms[pair[1]].letters)
        return math.prod(sizes[c] for c in both & needed)

    return min(itertools.combinations(range(len(terms)), 2), key=size)


def _contracted(first: _Term, second: _Term, needed: set[str], precision: str) -> _Term:
    """Product of two terms, summed over the letters that are no longer needed."""
    first = _summed(first, needed | set(second.letters))
    second = _summed(second, needed | set(first.letters))
    shared = [c for c in first.letters if c in second.letters]
    batch = "".join(c for c in shared if c in needed)
    summed = "".join(c for c in shared if c not in needed)
    z = contract(
        first.x,
        second.x,
        *(tuple(t.letters.index(c) for c in which) for which in (batch, summed)
          for t in (first, second)),
        precision=precision,
    )  # fmt: skip
    free = "".join(c for t in (first, second) for c in t.letters if c not in shared)
    return _Term(z, batch + free)


def _summed(term: _Term, needed: set[str]) -> _Term:
    axes = tuple(i for i, c in enumerate(term.letters) if c not in needed)
    if not axes:
        return term
    kept = "".join(c for c in term.letters if c in needed)
    return _Term(reduced("sum", term.x, axes, False), kept)


def _finished(term: _Term, output: str) -> Tracer:
    x, letters = _summed(term, set(output))
    return transpose(x, tuple(letters.index(c) for c in output))
