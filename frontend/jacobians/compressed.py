"""Sparse derivatives: one direction for each colour, and its elements put in their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.core.arguments import StaticArguments
from anvl.core.avals import Aval
from anvl.core.trace_state import current
from anvl.core.traced import trace_call
from anvl.dialect.core.errors import MissingRule
from anvl.effects.checking import check
from anvl.jacobians.coloring import Coloring, column_coloring, star_coloring
from anvl.jacobians.dense_jacobians import Call
from anvl.jacobians.patterns import Pairs, given_pairs, linear_patterns
from anvl.jacobians.sparse_matrix import Layout, SparseMatrix
from anvl.transforms.declare import closed_over, declare_jvp, declare_vjp
from anvl.transforms.jvp import push_forward
from anvl.transforms.vjp import Reverse
from anvl.transforms.vmap import emit_along
from anvl.transforms.wrt import Chosen

__all__ = ["sparse_hessian", "sparse_jacobian"]


class _Side(NamedTuple):
    """The results, or the arguments in `wrt`: their avals, and where each begins in the whole."""

    avals: list[Aval]
    starts: list[int]
    size: int

    @classmethod
    def of(cls, avals: Sequence[Aval]) -> _Side:
        ends = np.cumsum([of.size for of in avals], dtype=np.int64).tolist()
        return cls(list(avals), [0, *ends[:-1]] if ends else [], ends[-1] if ends else 0)

    def split(self, x: Any) -> list[Any]:
        """The parts of an array along its last axis, one for each aval."""
        pairs = zip(self.starts, self.avals, strict=True)
        return [x[..., start : start + of.size] for start, of in pairs]

    def seeds(self, coloring: Coloring, used: Any) -> list[Any]:
        """Directions, one for each colour: ones where an element has it, of the shapes."""
        colors = np.where(used, coloring.of, -1)
        found = []
        for part, of in zip(self.split(colors), self.avals, strict=True):
            number = anp.arange(coloring.colors, dtype="int32").reshape((-1, 1))
            ones = anp.asarray(part.astype(np.int32)) == number
            found.append(ones.astype(of.dtype).reshape((coloring.colors, *of.shape)))
        return found


class _Linear(NamedTuple):
    """The derivative of a call: the avals on both sides, and its pattern as far as it is known."""

    results: _Side
    arguments: _Side
    pairs: Pairs
    has_forward: bool


def sparse_jacobian(
    call: Call, named: Chosen, sparsity: Any, mode: str | None
) -> tuple[Any, list[list[Any]]]:
    """Sparse blocks of all chosen leaves for each result, in as few directions as colours."""
    chosen = named.leaves(call.avals)
    linear, out_tree = _linear_of(call, chosen)
    pairs, is_certain = _chosen_pairs(call.transform, sparsity, linear)
    ways = _ways(pairs, mode, linear.has_forward)
    way, coloring = min(ways, key=lambda found: found[1].colors)
    if way == "forward":
        products = _forward_products(call, chosen, linear, coloring, pairs)
    else:
        products = _reverse_products(call, chosen, linear, coloring, pairs)
    rows: list[list[Any]] = []
    for j, of in enumerate(linear.results.avals):
        row = []
        for i, by in enumerate(linear.arguments.avals):
            block = _block(pairs, linear, j, i)
            if way == "forward":
                at = coloring.of[block.columns + linear.arguments.starts[i]], block.rows
                data = _picked(products[j], at)
            else:
                at = coloring.of[block.rows + linear.results.starts[j]], block.columns
                data = _picked(products[i], at)
            shapes = of.shape, by.shape
            layout = Layout(block.rows, block.columns, shapes, coloring.colors, way)
            row.append(SparseMatrix(data, layout))
        rows.append(row)
    if not is_certain:
        _check_by_probe(call, chosen, linear, rows[0][0])
    return out_tree, rows


def sparse_hessian(gradient: Call, named: Chosen, sparsity: Any) -> list[list[Any]]:
    """Sparse blocks of all chosen leaves by all of them, of the call that gives the gradient."""
    chosen = named.leaves(gradient.avals)
    linear, _ = _linear_of(gradient, chosen)
    pairs, is_certain = _chosen_pairs(gradient.transform, sparsity, linear)
    is_symmetric = np.array_equal(pairs.keys, pairs.transposed.keys)
    if not is_symmetric and not isinstance(sparsity, str):
        raise ValueError(
            f"{gradient.transform}: sparsity is not symmetric, and a Hessian is; give the elements "
            "of both triangles"
        )
    way, coloring = "forward", column_coloring(pairs.rows, pairs.columns, pairs.shape)
    if is_symmetric:
        star = star_coloring(pairs.rows, pairs.columns, pairs.shape[0])
        if star.colors < coloring.colors:
            way, coloring = "star", star
    products = _forward_products(gradient, chosen, linear, coloring, pairs)
    is_alone = _alone(pairs, coloring)
    rows: list[list[Any]] = []
    for j, of in enumerate(linear.results.avals):
        row = []
        for i, by in enumerate(linear.arguments.avals):
            block = _block(pairs, linear, j, i)
            alone = is_alone[np.isin(pairs.keys, _whole(block, linear, j, i))]
            data = _by_symmetry(products, coloring, linear, block, alone, (j, i))
            layout = Layout(block.rows, block.columns, (of.shape, by.shape), coloring.colors, way)
            row.append(SparseMatrix(data, layout))
        rows.append(row)
    if not is_certain:
        _check_by_probe(gradient, chosen, linear, rows[0][0])
    return rows


def _alone(pairs: Pairs, coloring: Coloring) -> Any:
    """For each element, whether no other of its row has the colour of its column."""
    keys = pairs.rows * max(coloring.colors, 1) + coloring.of[pairs.columns]
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[inverse] == 1


def _whole(block: Pairs, linear: _Linear, j: int, i: int) -> Any:
    """The keys that the elements of a block have in the whole pattern."""
    n = max(linear.arguments.size, 1)
    return (block.rows + linear.results.starts[j]) * n + block.columns + linear.arguments.starts[i]


def _by_symmetry(
    products: list[Any],
    coloring: Coloring,
    linear: _Linear,
    block: Pairs,
    alone: Any,
    place: tuple[int, int],
) -> Any:
    """Elements of a block of a Hessian: of their own row where they are alone, else mirrored."""
    j, i = place
    of_columns = coloring.of[block.columns + linear.arguments.starts[i]]
    own = _picked(products[j], (of_columns, block.rows))
    if alone.all():
        return own
    of_rows = coloring.of[block.rows + linear.arguments.starts[j]]
    mirrored = _picked(products[i], (of_rows, block.columns))
    return anp.where(anp.asarray(alone), own, mirrored.astype(own.dtype))


# Note [A pattern that is given]
#
# A pattern that lacks an element of the derivative gives wrong numbers: what is missing is added to
# another element of its colour, or lost.  Where the given pattern has all elements that the program
# shows, it is right.  Where it has fewer, because the person knows more than the program does, one
# more direction, of random numbers, is multiplied by the derivative and by the sparse matrix, and
# the two are compared in each run.  (Of fixed numbers, so that programs are the same each time.)


def _check_by_probe(
    call: Call, chosen: Sequence[int], linear: _Linear, found: SparseMatrix
) -> None:
    """Compare the matrix with the derivative in one direction: Note [A pattern that is given]."""
    is_forward = found.mode != "reverse"
    along = linear.arguments if is_forward else linear.results
    across = linear.results if is_forward else linear.arguments
    rows, columns = found.rows, found.columns
    if not is_forward:
        rows, columns = columns, rows
    (by,), (of,) = along.avals, across.avals
    numbers = np.random.default_rng(17).uniform(0.5, 1.5, by.size).astype(by.dtype)
    probe = anp.asarray(numbers).reshape(by.shape)
    if is_forward:
        (product,) = tree.leaves(push_forward(call.f, call.arguments, chosen, [probe])[1])
    else:
        reverse = Reverse(call.transform, call.f, call.arguments, chosen)
        (product,) = reverse.pull_back(tree.unflatten(reverse.out_tree, [probe]))
    expected = product.reshape((-1,))
    parts = found.data * anp.asarray(numbers)[columns]
    zeros = anp.zeros((of.size,), dtype=parts.dtype)
    sums = zeros.at[rows].add(parts) if len(rows) else zeros
    sizes = zeros.at[rows].add(abs(parts)) if len(rows) else zeros
    limit = float(np.sqrt(np.finfo(of.dtype).eps)) * (sizes + abs(expected))
    check(
        ~(abs(expected - sums) > limit),
        f"{call.transform}: the given sparsity lacks elements of {call.name}: "
        f"{'row' if is_forward else 'column'} {{at}} times a direction is {{sums}}, but the "
        "derivative along it is {expected}; add them, or give sparsity='auto'",
        at=anp.arange(of.size, dtype="int32"),
        sums=sums,
        expected=expected,
    )


def _linear_of(call: Call, chosen: Sequence[int]) -> tuple[_Linear, Any]:
    """Trace the call, and find the pattern of its derivative: by forward mode, else by reverse."""
    trace = current.trace
    assert trace is not None
    static = StaticArguments(call.f, None)
    abstracted = call.arguments._replace(leaves=call.avals)
    with trace.program.differentiating():
        nested = trace_call(call.f, static, abstracted, trace.program, call.paths)
    call.check_outputs(nested.out_avals, nested.out_tree)
    results = _Side.of(nested.out_avals)
    arguments = _Side.of([call.avals[i] for i in chosen])
    inputs = [*call.avals, *(x.aval for x in closed_over(nested))]
    m, n = len(results.avals), len(chosen)
    if not m or not n:
        empty = Pairs.of([], [], (results.size, arguments.size))
        return _Linear(results, arguments, empty, True), nested.out_tree
    first = len(inputs)
    try:
        name = declare_jvp(trace, nested, inputs, chosen)
        found = linear_patterns(trace.program, name, range(first, first + n), range(m, 2 * m))
        parts = [(p.result - m, p.argument - first, p.rows, p.columns) for p in found]
        has_forward = True
    except MissingRule:
        name = declare_vjp(trace, nested, inputs, chosen, range(m))
        found = linear_patterns(trace.program, name, range(first, first + m), range(m, m + n))
        parts = [(p.argument - first, p.result - m, p.columns, p.rows) for p in found]
        has_forward = False
    trace.program.discard(nested.trace)
    rows = np.concatenate([r + results.starts[j] for j, _, r, _ in parts])
    columns = np.concatenate([c + arguments.starts[i] for _, i, _, c in parts])
    pairs = Pairs.of(rows, columns, (results.size, arguments.size))
    return _Linear(results, arguments, pairs, has_forward), nested.out_tree


def _chosen_pairs(transform: str, sparsity: Any, linear: _Linear) -> tuple[Pairs, bool]:
    """The pattern to compute, and whether the program shows that nothing is outside of it."""
    if isinstance(sparsity, str):
        return linear.pairs, True
    results, arguments = linear.results.avals, linear.arguments.avals
    if len(results) != 1 or len(arguments) != 1:
        raise ValueError(
            f"{transform}: sparsity is a pattern, of one result by one argument, but there are "
            f"{len(results)} result arrays and {len(arguments)} in wrt; give 'auto'"
        )
    pairs = given_pairs(transform, sparsity, results[0], arguments[0])
    return pairs, pairs.contains(linear.pairs)


def _ways(pairs: Pairs, mode: str | None, has_forward: bool) -> list[tuple[str, Coloring]]:
    """Colourings by mode; of equal ones the first is the cheaper."""
    ways = []
    if mode == "forward" or (mode is None and has_forward):
        ways.append(("forward", column_coloring(pairs.rows, pairs.columns, pairs.shape)))
    least = int(np.bincount(pairs.columns).max()) if len(pairs.columns) else 0
    if mode != "forward" and not (ways and ways[0][1].colors <= least):
        turned = pairs.transposed
        ways.append(("reverse", column_coloring(turned.rows, turned.columns, turned.shape)))
    return ways


def _forward_products(
    call: Call, chosen: Sequence[int], linear: _Linear, coloring: Coloring, pairs: Pairs
) -> list[Any]:
    """For each result its tangents, flat, one for each colour."""
    used = np.zeros(linear.arguments.size, bool)
    used[pairs.columns] = True
    if not coloring.colors:
        return [anp.zeros((0, of.size), dtype=of.dtype) for of in linear.results.avals]

    def push(tangents: list[Any]) -> list[Any]:
        return tree.leaves(push_forward(call.f, call.arguments, chosen, tangents)[1])

    found = emit_along(push, linear.arguments.seeds(coloring, used))
    return [y.reshape((coloring.colors, -1)) for y in found]


def _reverse_products(
    call: Call, chosen: Sequence[int], linear: _Linear, coloring: Coloring, pairs: Pairs
) -> list[Any]:
    """For each argument its cotangents, flat, one for each colour."""
    used = np.zeros(linear.results.size, bool)
    used[pairs.rows] = True
    if not coloring.colors:
        return [anp.zeros((0, of.size), dtype=of.dtype) for of in linear.arguments.avals]
    reverse = Reverse(call.transform, call.f, call.arguments, chosen)

    def pull(cotangents: list[Any]) -> list[Any]:
        return reverse.pull_back(tree.unflatten(reverse.out_tree, cotangents))

    found = emit_along(pull, linear.results.seeds(coloring, used))
    return [x.reshape((coloring.colors, -1)) for x in found]


def _block(pairs: Pairs, linear: _Linear, j: int, i: int) -> Pairs:
    """The part of the pattern of one result and one argument, with positions in these."""
    first, left = linear.results.starts[j], linear.arguments.starts[i]
    shape = linear.results.avals[j].size, linear.arguments.avals[i].size
    rows, columns = pairs.rows - first, pairs.columns - left
    inside = (rows >= 0) & (rows < shape[0]) & (columns >= 0) & (columns < shape[1])
    return Pairs(rows[inside], columns[inside], shape)


def _picked(products: Any, at: tuple[Any, Any]) -> Any:
    """Elements of a matrix of products, at these rows and columns."""
    if not len(at[0]):
        return anp.zeros((0,), dtype=products.dtype)
    return products.reshape((-1,))[at[0] * products.shape[1] + at[1]]
