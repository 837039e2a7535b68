"""`map` and `associative_scan`: loops without a carry, and parallel prefix combinations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.control_flow.function_regions import length_of
from anvl.control_flow.loops import scan
from anvl.core.arguments import name_of, wrap_plain_leaves
from anvl.core.promote import as_tracer
from anvl.runtime import hiding_frames
from anvl.transforms.declare import check_callable, run
from anvl.transforms.vmap import vmap

__all__ = ["associative_scan", "map"]


@hiding_frames
def map(f: Callable[..., Any], xs: Any, *, batch_size: int | None = None) -> Any:
    """Apply f to each element along the leading axis of `xs`, one after the other.

    Parameters
    ----------
    f : callable
        Maps an element (a pytree like `xs` without the leading axis) to any pytree of arrays.
    xs : pytree of arrays
        Arrays with leading axes of one size.
    batch_size : int, optional
        Elements that run at once, as under `vmap`: more memory, less time.

    Returns
    -------
    The results of f, stacked along a new leading axis.

    Raises
    ------
    ValueError
        The leading axes differ in size, or `batch_size` is not an integer of at least 1.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.map(lambda x: x * x, np.asarray([1.0, 2.0, 3.0]), batch_size=2))
    [1. 4. 9.]
    """
    check_callable("map", f)
    if batch_size is None:
        return _each("map", f, xs)
    is_whole = isinstance(batch_size, int | np.integer) and not isinstance(batch_size, bool)
    if not is_whole or batch_size < 1:
        raise ValueError(f"map: batch_size is {batch_size!r}; it must be an integer of at least 1")

    def in_trace(xs: Any) -> Any:
        count = length_of("map", xs)
        size = min(int(batch_size), max(1, count))
        whole = count - count % size
        many = vmap(f)
        parts = []
        if whole or not count:
            groups = tree.map(lambda x: _grouped(as_tracer(x), whole, size), xs)
            found = _each("map", many, groups)
            parts.append(tree.map(lambda y: anp.reshape(y, (whole, *y.shape[2:])), found))
        if whole < count:
            parts.append(many(tree.map(lambda x: as_tracer(x)[whole:], xs)))
        if len(parts) == 1:
            return parts[0]
        return tree.map(lambda *ys: anp.concatenate(ys), *parts)

    in_trace.__name__ = name_of(f)
    return run(in_trace, (xs,), {})


def _grouped(x: Any, whole: int, size: int) -> Any:
    return anp.reshape(x[:whole], (whole // size, size, *x.shape[1:]))


def _each(role: str, f: Callable[..., Any], xs: Any) -> Any:
    def step(_: Any, x: Any) -> Any:
        return None, f(x)

    step.__name__ = name_of(f)
    length_of(role, xs)
    return scan(step, None, xs)[1]


@hiding_frames
def associative_scan(f: Callable[..., Any], xs: Any, *, reverse: bool = False) -> Any:
    """Compute the prefix combinations x0, f(x0, x1), f(f(x0, x1), x2), ... in parallel.

    f is called at most 2 log2(n) - 1 times, each time on many pairs at once.

    Parameters
    ----------
    f : callable
        An associative function `f(a, b)` of two pytrees like `xs`, of any leading size, that
        combines them elementwise along the leading axis.
    xs : pytree of arrays
        Arrays with leading axes of one size n.
    reverse : bool
        Whether to begin at the last element: `f(x[n-1], x[n-2])`, ....

    Returns
    -------
    A pytree like `xs`.

    Raises
    ------
    ValueError
        The leading axes differ in size.
    TypeError
        f changes the structure, a dtype or a shape (the message names the paths).

    Notes
    -----
    Source: G. Blelloch, Prefix Sums and Their Applications (CMU-CS-90-190, 1990).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.associative_scan(np.add, np.asarray([1.0, 2.0, 3.0, 4.0])))
    [ 1.  3.  6. 10.]
    """
    check_callable("associative_scan", f)
    length_of("associative_scan", xs)

    def in_trace(xs: Any) -> Any:
        leaves, treedef = tree.flatten(wrap_plain_leaves(xs))
        arrays = [as_tracer(x) for x in leaves]
        turned = [anp.flip(x, axis=0) if reverse else x for x in arrays]
        found = _prefixes(_Combiner(f, treedef), turned)
        return tree.unflatten(treedef, [anp.flip(y, axis=0) if reverse else y for y in found])

    in_trace.__name__ = name_of(f)
    return run(in_trace, (xs,), {})


class _Combiner:
    """f as a function of flat lists of arrays, with its results checked."""

    def __init__(self, f: Callable[..., Any], treedef: Any) -> None:
        self._f = f
        self._treedef = treedef
        self._paths = tree.leaf_paths(treedef, "xs")

    def __call__(self, xs: list[Any], ys: list[Any]) -> list[Any]:
        found = self._f(tree.unflatten(self._treedef, xs), tree.unflatten(self._treedef, ys))
        difference = tree.structure_difference(
            tree.unflatten(self._treedef, xs), wrap_plain_leaves(found)
        )
        if difference is not None:
            raise TypeError(
                f"associative_scan: {name_of(self._f)} returns another structure than that "
                f"of its operands: {difference}"
            )
        zs = [as_tracer(z) for z in tree.leaves(wrap_plain_leaves(found))]
        for path, x, z in zip(self._paths, xs, zs, strict=True):
            if x.aval.type != z.aval.type:
                raise TypeError(
                    f"associative_scan: {path} is {x.aval}, but {name_of(self._f)} returns "
                    f"{z.aval} for it; return the same dtype and shape"
                )
        return zs


def _prefixes(f: _Combiner, xs: list[Any]) -> list[Any]:
    """Combine adjacent pairs, scan the half-length result, then fill in the elements between."""
    count = xs[0].shape[0]
    if count < 2:
        return xs
    pairs = f([x[: count - 1 : 2] for x in xs], [x[1::2] for x in xs])
    odd = _prefixes(f, pairs)
    n_odd = count // 2
    rest = [x[2::2] for x in xs]
    if rest[0].shape[0]:
        n_rest = rest[0].shape[0]
        between = f([y[:n_rest] for y in odd], rest)
        even = [anp.concatenate([x[:1], y]) for x, y in zip(xs, between, strict=True)]
    else:
        even = [x[:1] for x in xs]
    return [_interleave(a, b, n_odd) for a, b in zip(even, odd, strict=True)]


def _interleave(even: Any, odd: Any, n_odd: int) -> Any:
    """Interleave two arrays, beginning with `even`."""
    both = anp.stack([even[:n_odd], odd], axis=1)
    woven = anp.reshape(both, (2 * n_odd, *odd.shape[1:]))
    return woven if even.shape[0] == n_odd else anp.concatenate([woven, even[n_odd:]])
