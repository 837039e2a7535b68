"""Stretches of elementwise ops that XLA:CPU compiles as one kernel each."""

from collections.abc import Sequence
from functools import lru_cache
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from math import prod
from typing import Any

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.captures import captured
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.framework.walk import find_by_name
from anvl.passes.functions.symbol_utils import body_of, callee_of, functions_of, terminator_of
from anvl.passes.lower.hlo_builder import Hlo, maker
from anvl.passes.lower.xla_cpu.elementwise_parts import Part, cut, readers

__all__ = [
    "BYTES_OF_A_KERNEL", "ELEMENTWISE", "ELEMENTWISE_KERNELS", "write_elementwise_kernels"
]  # fmt: skip

# Note [Elementwise kernels]
#
# XLA:CPU fuses elementwise ops greedily, from the results on.  A quotient or an exponential that
# two loops read is an array with a kernel of its own; all else is computed anew in each loop that
# reads it.  In a derivative the cotangents read nearly every value of the program: of 100 random
# steps with their gradient it makes 42 kernels, each a module of MLIR and LLVM of its own (20 to
# 40 ms of a processor), of a thousand one with 4,900 ops that reads 460 arrays.
#
# But a loop that is one kernel (Note [Loops of one kernel]) is one function of LLVM, with all that
# is fused in it.  So a stretch of elementwise ops on small arrays of one shape becomes a loop of
# one step:
#
#     again, y = barrier(true), x
#     while (again)  again, y = false, f(x)
#
# XLA cannot know how often that runs, and moves nothing out of it.  What y is before does not
# matter: it is a value of its type that is read anyway, which XLA copies.  Literals and broadcasts,
# which are cheap, are repeated inside.
#
# Measured (jaxlib 0.10.2, two cores of an AMD EPYC; 32 programs of 60 steps on 2,000 numbers,
# each with a function of its own, value and gradient): they compile in 0.55 of the time (0.27 to
# 0.93), programs of 5 to 20 steps in 0.5, and run in about the same or less, as JAX's programs in
# 0.77 of the time; with jaxlib 0.12.0.1 they compile in 0.6.  Equal fusions are compiled once: so
# what has few ops for each array that it reads or hands on, as the step of an optimizer on many
# parameters, stays (7 times as long to compile).  A kernel runs on one core, where XLA divides
# large arrays.  LLVM takes more than twice the time for twice the ops from about 1,000 on: longer
# stretches are several kernels, or stay, see Note [Parts of elementwise stretches].
#
# Stretches inside of loops stay as they are, and so do all of programs with loops, or with ops that
# XLA writes as such: the option that makes kernels of these holds for all of a program.

#: Name of the attribute of a module with such kernels.
ELEMENTWISE_KERNELS = "anvl.elementwise_kernels"

#: What such a loop reads and writes at most: any number, as its arrays are small.
BYTES_OF_A_KERNEL = 1 << 40


def _named(names: str) -> frozenset[str]:
    return frozenset(f"stablehlo.{name}" for name in names.split())


_BARRIER, _CALL, _CONSTANT = "stablehlo.optimization_barrier", "func.call", "stablehlo.constant"
_BROADCAST, _RETURN, _WHILE = "stablehlo.broadcast_in_dim", "stablehlo.return", "stablehlo.while"
_REPEATED = (_CONSTANT, _BROADCAST)
#: Elementwise ops, without those that are computed less exactly in a kernel, `tan` and `cbrt`.
ELEMENTWISE = _named(
    "abs add and atan2 bitcast_convert ceil clamp compare convert cosine divide exponential "
    "exponential_minus_one floor is_finite log log_plus_one logistic maximum minimum multiply "
    "negate not or power reduce_precision remainder round_nearest_afz round_nearest_even rsqrt "
    "select shift_left shift_right_arithmetic shift_right_logical sign sine sqrt subtract tanh xor"
)
_LOOPS = tuple(
    _named("cholesky rng_bit_generator scatter select_and_scatter sort triangular_solve while")
)
_TYPES = frozenset(("f32", "f64", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"))
_FEWEST_OPS, _MOST_OPS = 24, 1_200  # of `@main`; in the first, with those of what it calls
_FEWEST_FOR_READ, _FEWEST_FOR_RESULT = 8, 16  # ops for each array
_MOST_BYTES = 1 << 14  # of an array

_hlo = Hlo("")

_Shape = tuple[int, ...]


def write_elementwise_kernels(module: ir.Operation) -> None:
    """Write long stretches of elementwise ops on small arrays in `@main` as loops of one step."""
    functions = functions_of(module)
    block = body_of(functions["main"]) if "main" in functions else None
    if block is None:
        return
    ops = [op.operation for op in block.operations][:-1]
    if any(find_by_name(module, _LOOPS).values()):
        return
    kernels = _Stretches(ops, functions).kernels()
    if kernels:
        module.attributes[ELEMENTWISE_KERNELS] = ir.UnitAttr.get(module.context)
        _rewrite(block, ops, kernels)


class _Stretches:
    """The stretches of elementwise ops of a block, each of one shape and one level.

    Levels count how often a path has left a stretch: so none leaves one and comes back.
    """

    def __init__(self, ops: Sequence[ir.Operation], functions: dict[str, ir.Operation]) -> None:
        self._functions = functions
        self._sizes: dict[str, int] = {}
        self._found: dict[tuple[_Shape, int], list[ir.Operation]] = {}
        levels: dict[ir.Operation | None, tuple[_Shape | None, int]] = {}
        for op in ops:
            shape, level = self._shape(op), 0
            for made in map(maker, (*op.operands, *captured(op))):
                there, depth = levels.get(made, (None, 0))
                level = max(level, depth + (there is not None and there != shape))
            levels[op] = shape, level
            if shape is not None:
                self._found.setdefault((shape, level), []).append(op)

    def kernels(self) -> list[Part]:
        """Stretches worth a kernel: of many ops for each array, cut where LLVM takes too long."""
        return [part for ops in self._found.values() for part in self._parts(ops)]

    def _parts(self, ops: list[ir.Operation]) -> list[Part]:
        """A stretch as one part or several, or none if it is too short for the arrays it reads."""
        whole = Part(ops, [], _results(ops))
        size = sum(map(self._size, ops))
        n_read, n_results = len(_operands(whole)[1]), len(whole.results)
        if size < max(_FEWEST_OPS, _FEWEST_FOR_READ * n_read, _FEWEST_FOR_RESULT * n_results):
            return []
        return [whole] if len(ops) <= _MOST_OPS else cut(ops, self._size) or []

    def _shape(self, op: ir.Operation) -> _Shape | None:
        """The shape of what an elementwise op reads and computes, or None if it is no such op."""
        if len(op.results) != 1 or (op.name not in ELEMENTWISE and op.name != _CALL):
            return None
        shape = _shape_of(op.results[0].type)
        shapes = {_shape_of(x.type) for x in op.operands}
        if shape is None or not shapes.issubset((shape, ())):
            return None
        return None if op.name == _CALL and not self._size(op) else shape

    def _size(self, op: ir.Operation) -> int:
        """The number of elementwise ops that an op stands for; 0 for a call of others."""
        if op.name != _CALL:
            return 1
        name = callee_of(op)
        if name not in self._sizes:
            body = body_of(self._functions[name])
            ops = [] if body is None else [inner.operation for inner in body.operations][:-1]
            inner = [x for x in ops if x.name not in _REPEATED]
            shape = _shape_of(op.results[0].type)
            alike = all(self._shape(x) == shape for x in inner)
            self._sizes[name] = alike and sum(map(self._size, inner))
        return self._sizes[name]


@lru_cache(1024)
def _shape_of(type_: Any) -> _Shape | None:
    """The shape of a small array of numbers that a kernel computes as any other one does."""
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        return None
    element, shape = type_.element_type, tuple(type_.shape)
    if str(element) not in _TYPES or not 0 < prod(shape) * element.width <= 8 * _MOST_BYTES:
        return None
    return shape


def _rewrite(block: ir.Block, ops: Sequence[ir.Operation], kernels: list[Part]) -> None:
    """Replace kernels by loops, and order all so that it is computed before it is read."""
    end = terminator_of(block)
    kernel_of = {op: i for i, kernel in enumerate(kernels) for op in kernel.ops}
    order = _in_order(ops, kernel_of)
    replaced = [op for op in ops if op in kernel_of]
    with end.context, ir.Location.unknown(), ir.InsertionPoint.at_block_begin(block):
        true = _hlo.constant(tensor([], element_type("bool")), True)
        again = ir.Operation.create(_BARRIER, [true.type], [true]).result
    computed: dict[ir.Value, ir.Value] = {}
    for node in order:
        if isinstance(node, int):
            with end.context, kernels[node].ops[0].location, ir.InsertionPoint(end):
                _write_loop(kernels[node], again, computed)
        else:
            node.move_before(end)
    for y, after in computed.items():
        y.replace_all_uses_with(after)
    for op in reversed(replaced):
        op.erase()


def _in_order(ops: Sequence[ir.Operation], kernel_of: dict[ir.Operation, int]) -> list[Any]:
    """Ops, and numbers of kernels, each behind all that it reads, else as they are."""
    place: dict[Any, int] = {}
    for i, op in enumerate(ops):
        place.setdefault(kernel_of.get(op, op), i)
    sorter: TopologicalSorter[Any] = TopologicalSorter({node: () for node in place})
    for op in ops:
        node = kernel_of.get(op, op)
        for reader in {kernel_of.get(x, x) for x in readers(op)} & place.keys() - {node}:
            sorter.add(reader, node)
    sorter.prepare()
    node_at = {i: node for node, i in place.items()}
    ready: list[int] = []
    order: list[Any] = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heappush(ready, place[node])
        order.append(node_at[heappop(ready)])
        sorter.done(order[-1])
    return order


def _write_loop(kernel: Part, again: ir.Value, computed: dict[ir.Value, ir.Value]) -> None:
    """Write a loop that computes a kernel's results once, before the insertion point."""
    repeated, read = _operands(kernel)
    of_type = {x.type: computed.get(x, x) for x in read}
    kinds = [y.type for y in kernel.results]
    begins = [of_type[t] if t in of_type else _hlo.constant(t, 0) for t in kinds]
    types = [again.type, *kinds]
    loop = ir.Operation.create(_WHILE, types, [again, *begins], regions=2)
    here = [ir.Location.current] * len(types)
    condition, body = [r.blocks.append(*types, arg_locs=here) for r in loop.regions]
    with ir.InsertionPoint(condition):
        ir.Operation.create(_RETURN, [], [condition.arguments[0]])
    with ir.InsertionPoint(body):
        known = dict(computed)
        for op in [*repeated, *kernel.repeated, *kernel.ops]:
            copy = op.clone()
            for i, x in enumerate(op.operands):
                copy.operands[i] = known.get(x, x)
            known[op.results[0]] = copy.results[0]
        no = _hlo.constant(again.type, False)
        ir.Operation.create(_RETURN, [], [no, *(known[y] for y in kernel.results)])
    computed.update(zip(kernel.results, [*loop.results][1:], strict=True))


def _operands(kernel: Part) -> tuple[list[ir.Operation], list[ir.Value]]:
    """Literals and broadcasts that a kernel repeats, and the arrays that it reads besides."""
    ops = [*kernel.repeated, *kernel.ops]
    inside = set(ops)
    repeated: dict[ir.Operation, None] = {}
    read: dict[ir.Value, None] = {}
    for op in ops:
        rank = op.results[0].type.rank
        for x in op.operands:
            made = maker(x)
            if made is not None and _is_repeated(made):
                repeated[made] = None
            elif made not in inside and x.type.rank == rank:
                read[x] = None
    return list(repeated), list(read)


def _results(ops: Sequence[ir.Operation]) -> list[ir.Value]:
    """Results of ops that others read."""
    inside = set(ops)
    return [op.results[0] for op in ops if not inside.issuperset(readers(op))]


def _is_repeated(op: ir.Operation) -> bool:
    """Whether a kernel repeats an op, in place of reading its result."""
    if op.name == _BROADCAST:
        return prod(op.operands[0].type.shape) < prod(op.results[0].type.shape)
    return op.name == _CONSTANT and bool(getattr(attribute_of(op, "value"), "is_splat", False))
