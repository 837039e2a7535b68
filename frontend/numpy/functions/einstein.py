"""`einsum`: sums of products, with a letter for each axis.

Operands are contracted in pairs, by default the pair with the smallest result first.  An axis that
both have is a batch axis if the result or another operand needs it, else it is contracted.
"""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from anvl.core.avals import Aval
from anvl.core.promote import abstract, broadcast_to, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.diagonals import diagonal
from anvl.numpy.arrays.shaping import transpose
from anvl.numpy.functions.products import contract
from anvl.numpy.functions.reductions import reduced
from anvl.runtime import hiding_frames

__all__ = ["einsum", "einsum_path"]


class _Term(NamedTuple):
    """An operand and the letters of its axes."""

    x: Tracer
    letters: str


@hiding_frames
def einsum(*operands: Any, precision: str = "DEFAULT", optimize: Any = "greedy") -> Any:
    """Sum products of arrays over named axes: `"ij,jk->ik"` is the matrix product.

    Parameters
    ----------
    *operands : str, then arrays
        The subscripts: a letter for each axis of each operand.  Letters missing in the result are
        summed over; without `->` the result has, sorted, the letters that occur once.  `...` stands
        for further axes, which broadcast.  Or, alternately, arrays and lists of a number for each
        axis (and `...`), then a list for the result.
    precision : {"DEFAULT", "HIGH", "HIGHEST"}
    optimize : {"greedy", "optimal"}, bool or a path
        How to find the order of products: the smallest result first (True, too), or the fewest
        multiplications, for up to 8 operands; False takes them from left to right.  A path is what
        `einsum_path` returns.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        The subscripts are neither a string nor lists.
    ValueError
        The subscripts, or the path, do not fit the operands.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.einsum("ij,j->i", np.ones((2, 3)), np.asarray([1.0, 2.0, 3.0])))
    [6. 6.]
    """
    subscripts, xs = _with_letters(operands)
    return _summed_products(subscripts, *xs, precision=precision, optimize=_checked_way(optimize))


@public("subscripts", "precision", "optimize")
def _summed_products(subscripts: str, *xs: Any, precision: str, optimize: Any) -> Any:
    operands, _ = promoted("einsum", xs, broadcast=False) if xs else ([], False)
    inputs, output = _parsed(subscripts, operands)
    sizes = _sizes(subscripts, inputs, operands)
    pairs = zip(operands, inputs, strict=True)
    terms = [_single(_Term(x, letters), sizes) for x, letters in pairs]
    for places in _path([t.letters for t in terms], output, sizes, optimize):
        chosen = [terms.pop(i) for i in sorted(places, reverse=True)][::-1]
        needed = set(output).union(*(term.letters for term in terms))
        while len(chosen) > 1:
            first, second, *rest = chosen
            is_last = not terms and not rest
            if is_last and _first_in(output, second, first) < _first_in(output, first, second):
                first, second = second, first  # the result then needs no transposition
            still = needed.union(*(term.letters for term in rest))
            chosen = [_contracted(first, second, still, precision), *rest]
        terms += chosen
    return _finished(terms[0], output)


@hiding_frames
def einsum_path(*operands: Any, optimize: Any = "greedy") -> tuple[list[Any], str]:
    """The order of products that `einsum` takes, and a description of it.

    The path is a list of "einsum_path" and of pairs of positions: two operands are taken away and
    their product put behind the others.  Parameters and errors are those of `einsum`; only shapes
    count.  Source: `numpy.einsum_path`.

    >>> import anvl.numpy as np
    >>> x, y, z = np.ones((2, 10)), np.ones((10, 10)), np.ones(10)
    >>> np.einsum_path("ij,jk,k->i", x, y, z, optimize="optimal")[0]
    ['einsum_path', (1, 2), (0, 1)]
    """
    subscripts, xs = _with_letters(operands)
    shapes = [abstract(x, "einsum_path") for x in xs]
    inputs, output = _parsed(subscripts, shapes)
    sizes = _sizes(subscripts, inputs, shapes)
    letters = ["".join(dict.fromkeys(text)) for text in inputs]
    path = _path(letters, output, sizes, _checked_way(optimize))
    return ["einsum_path", *path], _described(subscripts, letters, output, sizes, path)


def _described(
    subscripts: str, letters: list[str], output: str, sizes: dict[str, int], path: _Path
) -> str:
    """The steps of a path, with the number of multiplications of each."""
    left, lines, total = list(letters), [], 0
    for places in path:
        chosen = [left.pop(i) for i in sorted(places, reverse=True)][::-1]
        every = dict.fromkeys("".join(chosen))
        needed = set(output).union(*left)
        result = "".join(c for c in every if c in needed)
        count = math.prod(sizes[c] for c in every)
        left.append(result)
        total += count
        lines.append(f"  {','.join(chosen)}->{result}: {count}")
    every = dict.fromkeys("".join(letters))
    naive = math.prod(sizes[c] for c in every) * max(len(letters) - 1, 1)
    head = f"{subscripts}: {total} multiplications, {naive} at once"
    return "\n".join([head, *lines])


# -- operands --------------------------------------------------------------------------------------


def _with_letters(operands: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """The subscripts and the arrays, of either form."""
    if not operands:
        raise ValueError("einsum: takes subscripts and arrays, got nothing")
    if isinstance(operands[0], str):
        return operands[0], operands[1:]
    xs, lists = list(operands[0::2]), list(operands[1::2])
    result = xs.pop() if len(operands) % 2 else None
    if not lists or not all(isinstance(of, list | tuple) for of in lists):
        raise TypeError(
            f"einsum: subscripts are a string such as 'ij,jk->ik', got {operands[0]!r}; or arrays "
            "and lists of integers, alternately"
        )
    return _as_text(lists, result), xs


def _as_text(lists: Sequence[Sequence[Any]], result: Sequence[Any] | None) -> str:
    """Lists of numbers of axes as subscripts."""
    numbers = sorted({n for of in (*lists, result or []) for n in of if n is not Ellipsis})
    if len(numbers) > len(string.ascii_letters) or not all(isinstance(n, int) for n in numbers):
        raise ValueError(f"einsum: the subscripts {numbers} must be integers, at most 52 of them")
    letter = dict(zip(numbers, string.ascii_letters, strict=False))

    def text(of: Sequence[Any]) -> str:
        return "".join("..." if n is Ellipsis else letter[n] for n in of)

    left = ",".join(map(text, lists))
    return left if result is None else f"{left}->{text(result)}"


# -- paths -----------------------------------------------------------------------------------------

_Path: TypeAlias = list[tuple[int, ...]]
_MOST_OPTIMAL = 8  # operands; the number of orders grows faster than their factorial


def _checked_way(optimize: Any) -> Any:
    """ "greedy", "optimal", False or a path, as a hashable value."""
    if isinstance(optimize, bool | None):
        return "greedy" if optimize else False
    if optimize in ("greedy", "optimal", "auto"):
        return "greedy" if optimize == "auto" else optimize
    steps = optimize[0] if isinstance(optimize, tuple) and len(optimize) == 2 else optimize
    if isinstance(steps, list | tuple) and steps and steps[0] == "einsum_path":
        return tuple(tuple(map(int, places)) for places in steps[1:])
    raise ValueError(
        f"einsum: optimize {optimize!r} is neither 'greedy' nor 'optimal', a bool or a path of "
        "einsum_path"
    )


def _path(letters: Sequence[str], output: str, sizes: dict[str, int], way: Any) -> _Path:
    """Which operands to multiply in each step; their product comes behind the others."""
    if isinstance(way, tuple):
        _check_path(way, len(letters))
        return list(way)
    if way is False:
        n = len(letters)
        return [(0, 1) if k == 0 else (0, n - k - 1) for k in range(n - 1)]
    if way == "optimal" and len(letters) <= _MOST_OPTIMAL:
        return _optimal(tuple(letters), output, sizes)[1]
    left = list(letters)
    path: _Path = []
    while len(left) > 1:
        i, j = _cheapest(left, output, sizes)
        path.append((i, j))
        second, first = left.pop(j), left.pop(i)
        left.append(_letters_of(first, second, {*output, *"".join(left)}))
    return path


def _check_path(path: Sequence[tuple[int, ...]], count: int) -> None:
    for places in path:
        if len(set(places)) != len(places) or not all(0 <= i < count for i in places):
            raise ValueError(f"einsum: step {places} of the path does not fit {count} operands")
        count += 1 - len(places)
    if count != 1:
        raise ValueError(f"einsum: the path leaves {count} operands; one must be left")


def _letters_of(first: str, second: str, needed: set[str]) -> str:
    return "".join(c for c in dict.fromkeys(first + second) if c in needed)


def _optimal(letters: tuple[str, ...], output: str, sizes: dict[str, int]) -> tuple[int, _Path]:
    """The path with the fewest multiplications, and their number: all orders are tried."""
    known: dict[tuple[str, ...], tuple[int, _Path]] = {}

    def best(left: tuple[str, ...]) -> tuple[int, _Path]:
        if len(left) == 1:
            return 0, []
        if left not in known:
            options = [step(left, i, j) for i, j in itertools.combinations(range(len(left)), 2)]
            known[left] = min(options, key=lambda option: option[0])
        return known[left]

    def step(left: tuple[str, ...], i: int, j: int) -> tuple[int, _Path]:
        others = left[:i] + left[i + 1 : j] + left[j + 1 :]
        cost = math.prod(sizes[c] for c in {*left[i], *left[j]})
        product = _letters_of(left[i], left[j], {*output, *"".join(others)})
        more, path = best((*others, product))
        return cost + more, [(i, j), *path]

    return best(letters)


# -- letters ---------------------------------------------------------------------------------------


def _parsed(subscripts: str, operands: Sequence[Tracer | Aval]) -> tuple[list[str], str]:
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


def _listed(operands: Sequence[Tracer | Aval]) -> str:
    return ", ".join(str(getattr(x, "aval", x)) for x in operands)


def _sizes(
    subscripts: str, inputs: Sequence[str], operands: Sequence[Tracer | Aval]
) -> dict[str, int]:
    """Size of each letter; axes of size 1 broadcast."""
    sizes: dict[str, int] = {}
    for letters, x in zip(inputs, operands, strict=True):
        if len(letters) != x.ndim:
            raise ValueError(
                f"einsum: {letters!r} of {subscripts!r} names {len(letters)} axes of {_listed([x])}"
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


def _cheapest(letters: Sequence[str], output: str, sizes: dict[str, int]) -> tuple[int, int]:
    """Positions of the two terms whose product is smallest."""

    def size(pair: tuple[int, int]) -> int:
        others = [text for k, text in enumerate(letters) if k not in pair]
        needed = set(output).union(*others)
        return math.prod(sizes[c] for c in {*letters[pair[0]], *letters[pair[1]]} & needed)

    return min(itertools.combinations(range(len(letters)), 2), key=size)


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


def _first_in(output: str, term: _Term, other: _Term) -> int:
    """The first place in the result of a letter that a product of two has from this term alone."""
    own = [output.find(c) for c in term.letters if c not in other.letters]
    return min((at for at in own if at >= 0), default=len(output))


def _summed(term: _Term, needed: set[str]) -> _Term:
    axes = tuple(i for i, c in enumerate(term.letters) if c not in needed)
    if not axes:
        return term
    kept = "".join(c for c in term.letters if c in needed)
    return _Term(reduced("sum", term.x, axes, False), kept)


def _finished(term: _Term, output: str) -> Tracer:
    x, letters = _summed(term, set(output))
    return transpose(x, tuple(letters.index(c) for c in output))
