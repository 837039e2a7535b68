"""`reduce`: arrays combined along axes by a function of a person's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import prim, tree
from anvl.core.arguments import name_of, plain_aside
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
    """The elements of arrays along axes, combined by `f(a, b)`, beginning with `init`.

    Arguments: `f` takes two elements and returns one; it is associative, and `init` is its
    identity, as 0 is of the sum.  Nothing checks that: of others the result depends on how XLA goes
    about it.  `xs` is an array, or a tree of arrays of one shape; an element then is a tree of
    scalars of this structure, and so are what f returns, with the same dtypes, and `init`.  `axis`
    is an axis, several, or None for all.
    Returns what `xs` is, without these axes; `init` where there is nothing along them.
    Differentiable in every mode, with respect to what f closes over too.  f becomes the body of one
    op, unless it closes over arrays or loops: then elements are combined in log2(n) rounds.
    Raises `TypeError` where f returns another structure or dtype, or `init` has one (paths are
    named); `ValueError` for arrays of several shapes, or none, and axes that are out of range.
    Source: StableHLO specification, `reduce`.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.reduce(lambda a, b: a * b, np.asarray([[1.0, 2.0], [3.0, 4.0]]), 1.0, axis=0))
    [3. 8.]
    """
    check_callable("reduce", f)
    leaves, treedef = tree.flatten(plain_aside(xs))
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
    """The shape that arrays have."""
    if not avals:
        raise ValueError("reduce: there are no arrays in xs")
    if len({of.shape for of in avals}) > 1:
        listed = ", ".join(f"{path} is {of}" for path, of in zip(paths, avals, strict=True))
        raise ValueError(f"reduce: the shapes differ: {listed}; broadcast them first")
    return avals[0].shape


def _starts(xs: Any, init: Any, elements: Sequence[Aval]) -> list[Any]:
    """The initial values: scalars of the dtypes of the arrays."""
    init = _without_bools(init)
    difference = tree.structure_difference(plain_aside(xs), init, root="init")
    if difference is not None:
        raise TypeError(f"reduce: init has another structure than xs: {difference}")
    leaves, treedef = tree.flatten(init)
    paths = tree.leaf_paths(treedef, "init")
    found = []
    for x, path, of in zip(leaves, paths, elements, strict=True):
        given = abstract(x, f"reduce: {path}")
        if given.type != of.type and not _gives_way(given, of):
            raise TypeError(f"reduce: {path} is {given}, but must be {of}; cast it")
        if not hasattr(x, "dtype"):
            check_fits(x, of.dtype)
            if current.trace is None:  # as an argument it would lose its digits
                x = np.asarray(x, of.dtype)
        found.append(x)
    return found


def _without_bools(xs: Any) -> Any:
    """A tree with scalars for Python's bools, which elsewhere are no arrays."""
    return plain_aside(tree.map(lambda x: np.bool_(x) if isinstance(x, bool) else x, xs))


def _element(x: Any, of: Aval) -> Any:
    """A number, or what is an array already, in the dtype of arrays that it meets."""
    return fitted(x, of.dtype)


def _gives_way(a: Aval, of: Aval) -> bool:
    """Whether a is a number that takes the dtype of `of`."""
    return a.shape == of.shape and a.weak_type and a.level <= of.level


def _halves(values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    n = len(values) // 2
    return list(values[:n]), list(values[n:])


class _Combiner:
    """f as a function of flat lists of elements, which checks what it gets."""

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
                f"reduce: {self.name} returns another structure than it takes: {difference}"
            )
        paths = tree.leaf_paths(treedef, "result")
        rows = zip(leaves, paths, self.elements, strict=True)
        return [self._checked(*row) for row in rows]

    def _checked(self, z: Any, path: str, of: Aval) -> Any:
        found = abstract(z, f"reduce: {path} of {self.name}")
        if found.type == of.type:
            return as_tracer(z)
        if not _gives_way(found, of):
            raise TypeError(
                f"reduce: {path} of {self.name} is {found}, but it takes {of}; return the dtype "
                "that it takes, and scalars"
            )
        return _element(z, of)

    def is_body(self) -> bool:
        """Whether f can be the body of an op: that has no operands of its own, and no loops."""
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
    """Neighbours combined, all pairs at once, until one is left: in order, as f may need it."""
    ndim = arrays[0].ndim
    kept = [i for i in range(ndim) if i not in axes]
    shape = tuple(arrays[0].shape[i] for i in kept)
    count = 1
    for i in axes:
        count *= arrays[0].shape[i]
    rows = [anp.reshape(anp.transpose(x, (*axes, *kept)), (count, *shape)) for x in arrays]
    firsts = [broadcast_to(x, (1, *shape)) for x in starts]
    while count > 1:
        n = count // 2
        pairs = _each(f, [x[: 2 * n : 2] for x in rows], [x[1 : 2 * n : 2] for x in rows])
        if count % 2:
            pairs = [anp.concatenate([y, x[2 * n :]]) for x, y in zip(rows, pairs, strict=True)]
        rows, count = pairs, n + count % 2
    found = _each(f, firsts, rows) if count else firsts
    return [x[0] for x in found]


def _each(f: _Combiner, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """f of each pair of elements."""
    shape = a[0].shape
    flat = [anp.ravel(x) for x in (*a, *b)]
    found = vmap(lambda *vs: f(*_halves(vs)))(*flat)
    return [anp.reshape(y, shape) for y in found]
