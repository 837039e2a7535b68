"""`reduce`: combine arrays along axes with a user-defined function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import prim, tree
from anvl.core.arguments import name_of, wrap_plain_leaves
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract, as_tracer, broadcast_to, fitted
from anvl.core.ranges import check_fits
from anvl.core.trace_state import current
from anvl.core.tracing import Program, trace_function
from anvl.dialect.control_flow.call import rule_of
from anvl.numpy.arrays.axes import Axis, axes_of
from anvl.passes.framework.walk import find
from anvl.runtime import hiding_frames
from anvl.transforms.declare import check_callable, run
from anvl.transforms.vmap import vmap

__all__ = ["reduce"]


@hiding_frames
def reduce(f: Callable[..., Any], xs: Any, init: Any, axis: Axis = None) -> Any:
    """Combine the elements of arrays along axes with `f(a, b)`, starting from `init`.

    Differentiable in every mode, also with respect to values that f captures.  f becomes the body
    of one op; if it captures arrays or contains loops, elements are combined in log2(n) rounds.
    Source: StableHLO specification, `reduce`.

    Parameters
    ----------
    f : callable
        An associative function of two elements; an element is a scalar, or a pytree of scalars of
        the structure of `xs`.  Associativity is not checked: without it the result depends on the
        order that XLA takes.
    xs : array or pytree of arrays
        Arrays of one shape.
    init : scalar or pytree of scalars
        The identity of f, as 0 is of the sum (not checked either).
    axis : int or sequence of int, optional
        The axes to reduce; all by default.

    Returns
    -------
    A pytree like `xs` without these axes; `init` where they are empty.

    Raises
    ------
    TypeError
        `init` or a result of f differs in structure or dtype (the message names the paths).
    ValueError
        Arrays of several shapes, no arrays, or an axis that is out of range.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.reduce(lambda a, b: a * b, np.asarray([[1.0, 2.0], [3.0, 4.0]]), 1.0, axis=0))
    [3. 8.]
    """
    check_callable("reduce", f)
    leaves, treedef = tree.flatten(wrap_plain_leaves(xs))
    paths = tree.leaf_paths(treedef, "xs")
    avals = [abstract(x, f"reduce: {path}") for x, path in zip(leaves, paths, strict=True)]
    shape = _shape_of(paths, avals)
    axes = axes_of(axis, len(shape), "reduce")
    elements = [aval(of.dtype) for of in avals]
    starts = _starts(xs, init, elements)
    combiner = _Combiner(f, treedef, elements)

    def in_trace(leaves: list[Any], starts: list[Any]) -> Any:
        arrays = [as_tracer(x) for x in leaves]
        first = [_element(x, of) for x, of in zip(starts, elements, strict=True)]
        if combiner.is_body():
            found = prim.reduce(
                *arrays, *first, dimensions=axes, body=lambda *vs: combiner(*_halves(vs))
            )
        else:
            found = _by_rounds(combiner, arrays, first, axes)
        return tree.unflatten(treedef, list(found))

    in_trace.__name__ = name_of(f)
    return run(in_trace, (leaves, starts), {})


def _shape_of(paths: Sequence[str], avals: Sequence[Aval]) -> tuple[int, ...]:
    """The common shape of the arrays."""
    if not avals:
        raise ValueError("reduce: there are no arrays in xs")
    if len({of.shape for of in avals}) > 1:
        listed = ", ".join(f"{path} is {of}" for path, of in zip(paths, avals, strict=True))
        raise ValueError(f"reduce: the shapes differ: {listed}; broadcast them first")
    return avals[0].shape


def _starts(xs: Any, init: Any, elements: Sequence[Aval]) -> list[Any]:
    """The initial values as scalars of the dtypes of the arrays."""
    init = _without_bools(init)
    difference = tree.structure_difference(wrap_plain_leaves(xs), init, root="init")
    if difference is not None:
        raise TypeError(f"reduce: init and xs differ in structure: {difference}")
    leaves, treedef = tree.flatten(init)
    paths = tree.leaf_paths(treedef, "init")
    found = []
    for x, path, of in zip(leaves, paths, elements, strict=True):
        given = abstract(x, f"reduce: {path}")
        if given.type != of.type and not _takes_dtype_of(given, of):
            raise TypeError(f"reduce: {path} is {given}, but must be {of}; cast it")
        if not hasattr(x, "dtype"):
            check_fits(x, of.dtype)
            if current.trace is None:  # as a program argument it would lose digits
                x = np.asarray(x, of.dtype)
        found.append(x)
    return found


def _without_bools(xs: Any) -> Any:
    """A pytree with NumPy scalars for Python's bools, which elsewhere are plain values."""
    return wrap_plain_leaves(tree.map(lambda x: np.bool_(x) if isinstance(x, bool) else x, xs))


def _element(x: Any, of: Aval) -> Any:
    """x in the dtype of the arrays: a weak number is converted, an array stays."""
    return fitted(x, of.dtype)


def _takes_dtype_of(a: Aval, of: Aval) -> bool:
    """Whether a is a weak number that takes the dtype of `of`."""
    return a.shape == of.shape and a.weak_type and a.level <= of.level


def _halves(values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    n = len(values) // 2
    return list(values[:n]), list(values[n:])


class _Combiner:
    """f as a function of flat lists of elements, with its results checked."""

    def __init__(self, f: Callable[..., Any], treedef: Any, elements: Sequence[Aval]) -> None:
        self.f = f
        self.treedef = treedef
        self.elements = list(elements)
        self.name = name_of(f)

    def __call__(self, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        pair = [tree.unflatten(self.treedef, x) for x in (a, b)]
        found = _without_bools(self.f(*pair))
        leaves, treedef = tree.flatten(found)
        difference = tree.structure_difference(self.treedef, treedef, root="result")
        if difference is not None:
            raise TypeError(
                f"reduce: {self.name} returns another structure than its operands: {difference}"
            )
        paths = tree.leaf_paths(treedef, "result")
        rows = zip(leaves, paths, self.elements, strict=True)
        return [self._checked(*row) for row in rows]

    def _checked(self, z: Any, path: str, of: Aval) -> Any:
        found = abstract(z, f"reduce: {path} of {self.name}")
        if found.type == of.type:
            return as_tracer(z)
        if not _takes_dtype_of(found, of):
            raise TypeError(
                f"reduce: {path} of {self.name} is {found}, but its operands are {of}; return "
                "scalars of the dtype of the operands"
            )
        return _element(z, of)

    def is_body(self) -> bool:
        """Whether f can be the body of an op: it captures nothing and contains no loop."""
        program = Program()
        paths = [path for name in "ab" for path in tree.leaf_paths(self.treedef, name)]
        trace, _ = trace_function(
            lambda vs: self(*_halves(vs)), self.name, self.elements * 2, paths, program
        )
        functions = (op.operation for op in program.module.body.operations)
        rules = [rule_of(function) for function in functions]
        has_loops = any(rule is not None and rule.declares for rule in rules)
        has_loops = has_loops or bool(find(program.module.operation, "stablehlo.while"))
        return not (trace.closed_over or program.captured or has_loops)


def _by_rounds(
    f: _Combiner, arrays: Sequence[Any], starts: Sequence[Any], axes: tuple[int, ...]
) -> list[Any]:
    """Combine neighbours, all pairs at once, until one is left; keeps the order, for any f."""
    ndim = arrays[0].ndim
    kept = [i for i in range(ndim) if i not in axes]
    shape = tuple(arrays[0].shape[i] for i in kept)
    count = math.prod(arrays[0].shape[i] for i in axes)
    rows = [anp.reshape(anp.transpose(x, (*axes, *kept)), (count, *shape)) for x in arrays]
    firsts = [broadcast_to(x, (1, *shape)) for x in starts]
    while count > 1:
        rows, count = _round(f, rows, count), (count + 1) // 2
    found = _combine(f, firsts, rows) if count else firsts
    return [x[0] for x in found]


def _round(f: _Combiner, rows: Sequence[Any], count: int) -> list[Any]:
    """Combine pairs of neighbours; a last row without one stays."""
    n = count // 2
    pairs = _combine(f, [x[: 2 * n : 2] for x in rows], [x[1 : 2 * n : 2] for x in rows])
    if count % 2 == 0:
        return pairs
    return [anp.concatenate([y, x[2 * n :]]) for x, y in zip(rows, pairs, strict=True)]


def _combine(f: _Combiner, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Apply f to each pair of elements."""
    shape = a[0].shape
    flat = [anp.ravel(x) for x in (*a, *b)]
    found = vmap(lambda *vs: f(*_halves(vs)))(*flat)
    return [anp.reshape(y, shape) for y in found]
