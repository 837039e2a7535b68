"""Subprograms: emit ops into a scratch block, transform them, and replay the result.

Used by rules of ops with a body and of composite ops: the adjoint, tangent or batched form of a
small program, emitted at the current insertion point.  The engines are the ones that the passes
use; no rule is written twice.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any, TypeAlias, TypeVar

from anvl.dialect.core.captures import captured, operands_of
from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.effects import all_dce_able
from anvl.dialect.core.families import differentiable, with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Body
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.side_block import side_block
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.activity_analysis import bits_through
from anvl.dialect.interpreters.batch import emit_batched, forget_replaced_rules
from anvl.dialect.interpreters.emission_cache import nested_ops
from anvl.dialect.interpreters.forward import forward_sweep
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.dialect.interpreters.slices import (
    OpReads,
    Slice,
    backward_reads,
    reads_of,
    values_read,
)

_Found = TypeVar("_Found")

__all__ = [
    "Program", "batch_of", "bits_in_any_step", "copied", "found_and_values", "jvp_of",
    "sweep_backward", "transpose_of", "values_and_jvp_here", "values_and_jvp_of", "vjp_of",
]  # fmt: skip


_Values: TypeAlias = dict[Value, Value]  # from values of a program to values of a copy
_Whole: TypeAlias = tuple[Any, tuple[Value, ...], tuple[Value, ...]]  # an op, results, all it reads


class Program:
    """A block of ops as a function: its arguments in, the operands of its terminator out.

    Made from a Python function that emits ops (`Program.of`), or from a region of an op, which must
    then outlive it and not change.  Its ops find the functions that they call in `symbols`.
    """

    def __init__(
        self,
        block: ir.Block,
        results: Sequence[Value],
        owner: Any = None,
        symbols: SymbolTable | None = None,
    ) -> None:
        self.block = block
        is_part = isinstance(owner, Program)
        # A program owner's arguments may be more than the arguments of the block.
        self.arguments: list[Value] = list(owner.arguments if is_part else block.arguments)
        self.symbols: SymbolTable | None = owner.symbols if is_part else symbols
        self.results: list[Value] = list(results)
        self._owner = owner  # keeps the block alive
        self._reads: list[OpReads] | None = None
        self._cuts: dict[Any, tuple[list[OpReads], set[Value]]] = {}

    @classmethod
    def of(
        cls,
        f: Callable[..., Sequence[Value]],
        types: Sequence[ir.Type],
        symbols: SymbolTable | None = None,
    ) -> "Program":
        """Build the program that f emits for arguments of these types."""
        block, module = side_block(types)
        with ir.InsertionPoint(block):
            results = list(f(*block.arguments))
        return cls(block, results, module, symbols)

    @classmethod
    def of_region(cls, region: ir.Region, symbols: SymbolTable | None = None) -> "Program":
        """The program in a region of one block."""
        block = region.blocks[0]
        operations = block.operations
        terminator = operations[len(operations) - 1].operation
        return cls(block, list(terminator.operands), region, symbols)

    def __call__(self, *xs: Value) -> list[Value]:
        """Emit a copy of the ops, with `xs` for the arguments; return its results.

        Operands needed only for unused results, for example of a loop, become zero.
        """
        part, reached = self._cut()
        wanted = reached.difference(self.arguments)

        def emit_one(one: _Whole, operands: list[Value], values: _Values) -> Sequence[Value]:
            op, _, _ = one
            if hasattr(type(op), "operands_read"):
                operands = self._with_zeros(op, operands, wanted)
            return copied(op, operands, values)

        return self._replay(xs, emit_one, part)

    def _with_zeros(self, op: Any, operands: list[Value], wanted: Set[Value]) -> list[Value]:
        """The operands of an op, zero where no wanted result depends on them."""
        known = set(values_read(op, wanted, self.symbols))
        pairs = zip(operands, operands_of(op), strict=True)
        return [x if y in known else full(y.type, 0) for x, y in pairs]

    @property
    def is_plain(self) -> bool:
        """Whether each op that the results need reads all of its operands, and nothing else."""
        return all(operands is not None for _, _, operands in self._cut()[0])

    def batched(self, xs: Sequence[Value], batched: Sequence[bool]) -> list[tuple[Value, bool]]:
        """Emit the program with one more axis, the first of those `xs` that `batched` marks.

        Returns each result, and whether it has that axis.
        """
        marks = dict(zip(self.arguments, batched, strict=True))
        part, _ = self._cut(whole_ops=True)
        forget_replaced_rules({type(op) for op, _, _ in part})

        def emit_one(one: _Whole, operands: list[Value], values: _Values) -> Sequence[Value]:
            op, results, read = one
            flags = tuple([marks.get(x, False) for x in read])
            has_axis = True in flags or any([marks.get(x, False) for x in values_read(op)])
            marks.update(dict.fromkeys(results, has_axis))
            if not has_axis:
                return copied(op, operands, values)
            found = emit_batched((op, read, flags, results), operands, self.symbols)
            if op.multiple_results:  # all members may share some
                marks.update([(y, z.type != y.type) for y, z in zip(results, found, strict=True)])
            return found

        values = self._replay(xs, emit_one, part)
        return [(v, marks.get(y, False)) for v, y in zip(values, self.results, strict=True)]

    def mapped(self, *xs: Value) -> list[Value]:
        """Map the scalar program over the elements of arrays of one shape."""
        shape = tuple(xs[0].type.shape)
        count = 1
        for n in shape:
            count *= n
        flat = [reshaped(x, (count,)) for x in xs]
        found = self.batched(flat, [True] * len(xs))
        return [
            reshaped(y, shape)
            if has_axis
            else emit.broadcast_in_dim(y, shape=shape, broadcast_dimensions=())
            for y, has_axis in found
        ]

    def adjoint(self) -> "Program":
        """Adjoint program: from the arguments and the cotangents of the float results to the
        cotangents of the float arguments."""
        floats = [y for y in self.results if differentiable(y.type)]
        types = [x.type for x in (*self.arguments, *floats)]

        def f(*values: Value) -> list[Value]:
            n = len(self.arguments)
            xs, gs = values[:n], values[n:]
            ys = [y for y in self(*xs) if differentiable(y.type)]
            wrt = [x for x in xs if differentiable(x.type)]
            return sweep_backward(list(zip(ys, gs, strict=True)), wrt, self.symbols)

        return Program.of(f, types, self.symbols)

    def tangent(self) -> "Program":
        """Tangent program: from the arguments and the tangents of the float arguments to the
        tangents of the float results."""
        floats = [x for x in self.arguments if differentiable(x.type)]
        types = [x.type for x in (*self.arguments, *floats)]

        def f(*values: Value) -> list[Value]:
            n = len(self.arguments)
            xs, ts = values[:n], values[n:]
            ys = [y for y in self(*xs) if differentiable(y.type)]
            wrt = [x for x in xs if differentiable(x.type)]
            tangents = _sweep_forward(dict(zip(wrt, ts, strict=True)), ys, self.symbols)
            return [zeros_like(y) if t is None else t for t, y in zip(tangents, ys, strict=True)]

        return Program.of(f, types, self.symbols)

    def slice(
        self,
        results: Iterable[Value] | None = None,
        stops: Iterable[Value] = (),
        *,
        whole_ops: bool = False,
    ) -> Slice:
        """Backward slice to the arguments from the results: all, or those given.

        The values in `stops` count as available, as the arguments do.
        """
        found, values = self._cut(results, stops, whole_ops=whole_ops)
        return Slice([op for op, _, _ in found], values)

    def merged(self) -> "Program":
        """This program, in which one of several equal ops computes what the others do."""
        firsts: dict[Any, Any] = {}
        same: dict[Value, Value] = {}
        for op, results, operands in self._cut()[0]:
            if not operands or op.multiple_results:
                continue
            read = tuple([same.get(x, x) for x in operands]) if same else operands
            first: Any = firsts.setdefault((type(op), read), op)
            if first is not op and _are_alike(first, op):
                results[0].replace_all_uses_with(first.result)
                same[results[0]] = first.result
        if not same:
            return self
        return Program(self.block, [same.get(y, y) for y in self.results], self)

    def _cut(
        self,
        results: Iterable[Value] | None = None,
        stops: Iterable[Value] = (),
        *,
        whole_ops: bool = False,
    ) -> tuple[list[OpReads], set[Value]]:
        """As `slice`, with what the ops read; kept, as loops ask again and again."""
        if self._reads is None:
            self._reads = reads_of(self.block.operations)
        targets = tuple(self.results if results is None else results)
        given = (*self.arguments, *stops)
        key = targets, given, whole_ops
        found = self._cuts.get(key)
        if found is None:
            found = self._cuts[key] = backward_reads(
                self._reads, targets, given, symbols=self.symbols, whole_ops=whole_ops
            )
        return found

    def _replay(
        self,
        xs: Sequence[Value],
        emit_one: Callable[[_Whole, list[Value], _Values], Sequence[Value]],
        ops: Sequence[OpReads],
    ) -> list[Value]:
        """Emit some ops with `emit_one`; return the results of the program."""
        values = dict(zip(self.arguments, xs, strict=True))
        given, keep = values.get, values.setdefault
        for op, results, operands in ops:
            read = operands_of(op) if operands is None else operands
            found = emit_one((op, results, read), list(map(given, read, read)), values)
            for y, made in zip(results, found, strict=True):
                keep(y, made)  # a result that is also an argument keeps its given value
        return [values.get(y, y) for y in self.results]

    def bits_through(self, moves: Sequence[bool], bits: Sequence[bool]) -> list[bool]:
        """For each result, whether it is bits of an active float, or a float made of input bits."""
        flagged = list(zip(self.arguments, moves, bits, strict=True))
        moving = [x for x, flag, _ in flagged if flag and differentiable(x.type)]
        of_bits = [x for x, _, flag in flagged if flag and not differentiable(x.type)]
        return bits_through(self.block, self.results, moving, of_bits, self.symbols)


def _are_alike(x: Any, y: Any) -> bool:
    """Whether two ops of one class compute the same of the same operands."""
    if not all_dce_able(type(x)) or x.result.type != y.result.type:
        return False
    return tuple(x.attributes.items()) == tuple(y.attributes.items())


def bits_in_any_step(
    bodies: Callable[[Sequence[bool]], Iterable[tuple[Program, Sequence[bool], Sequence[bool]]]],
    bits: Sequence[bool],
    n_results: int,
    n_carried: int,
) -> list[bool]:
    """`Program.bits_through` of an op or a call: the union over its bodies, and over all steps.

    `bodies` are given `bits`, the flags of the operands, and yield each body with flags for its
    arguments: which are active, and which are bits.  The first `n_carried` results are operands of
    the next step.
    """
    flags = list(bits)
    while True:
        found = [False] * n_results
        for program, marks, of_bits in bodies(flags):
            for i, through in enumerate(program.bits_through(marks, of_bits)):
                found[i] = found[i] or through
        more = [i for i in range(n_carried) if found[i] and not flags[i]]
        if not more:
            return found
        for i in more:
            flags[i] = True


def copied(op: Any, operands: list[Value], values: _Values) -> list[Value]:
    """Copy an op with other operands, and other captured values; return the copy's results."""
    copy = op.operation.clone().operation
    given = copy.operands
    count = len(given)
    for i, x in enumerate(operands[:count]):
        given[i] = x
    if getattr(type(op), "reads_operands", False):  # most ops
        return [copy.result] if not op.multiple_results else list(copy.results)
    if len(operands) > count:
        values = dict(zip(captured(op.operation), operands[count:], strict=True))
    for inner in nested_ops(copy) if len(copy.regions) else ():
        for i, x in enumerate(inner.operands):
            if x in values:
                inner.operands[i] = values[x]
    return list(copy.results)


def _current_block() -> ir.Block:
    return ir.InsertionPoint.current.block


def sweep_backward(
    seeds: Sequence[tuple[Value, Value]], wrt: Sequence[Value], symbols: SymbolTable | None
) -> list[Value]:
    """Reverse sweep over the current block, at the location of the op whose rule calls it."""
    return reverse_sweep(_current_block(), seeds, wrt, ir.Location.current, symbols=symbols)


def _sweep_forward(
    tangents: dict[Value, Value | None], targets: Sequence[Value], symbols: SymbolTable | None
) -> list[Value | None]:
    """Forward sweep over the current block, at the location of the op whose rule calls it."""
    here = ir.Location.current
    return forward_sweep(_current_block(), tangents, targets, here, symbols=symbols)


def found_and_values(
    ys: Sequence[Value], sweep_over: Callable[[], list[_Found]]
) -> tuple[list[_Found], list[Value]]:
    """Result of a sweep over the current block, and the values that `ys` have after it.

    A loop may be replaced by one that also computes its tangents, or saves its residuals: then the
    values are results of the new loop.
    """
    # An op that uses the values, so that it follows their replacement.
    types = [y.type for y in ys]
    holder = ir.Operation.create("stablehlo.optimization_barrier", types, list(ys))
    found = sweep_over()
    values = list(holder.operands)
    holder.erase()
    return found, values


def vjp_of(
    f: Callable[..., Sequence[Value]],
    xs: Sequence[Value],
    gs: Sequence[Value | None],
    known: Sequence[Value] = (),
    *,
    active: Sequence[bool] | None = None,
    symbols: SymbolTable | None = None,
) -> list[Value | None]:
    """Cotangents of `xs` in f(*xs), for the cotangents `gs` of its results (None is zero).

    `known` are values of its last results, which are then not recomputed; with `active`, only the
    cotangents of these `xs` are emitted; `symbols` has the functions that f calls.
    """
    n, seeds = len(xs), [g for g in gs if g is not None]
    flags = [True] * n if active is None else active
    is_wanted = [differentiable(x.type) and flag for x, flag in zip(xs, flags, strict=True)]
    kept: list[Value] = []

    def pullback(*values: Value) -> list[Value]:
        given = iter(values[n:])
        ys = f(*values[:n])
        kept.extend(ys[len(ys) - len(known) :])
        pairs = [(y, next(given)) for y, g in zip(ys, gs, strict=True) if g is not None]
        wrt = [x for x, wanted in zip(values[:n], is_wanted, strict=True) if wanted]
        return sweep_backward(pairs, wrt, symbols)

    program = Program.of(pullback, [x.type for x in (*xs, *seeds)], symbols)
    program.arguments += kept
    found = iter(program(*xs, *seeds, *known))
    return [next(found) if wanted else None for wanted in is_wanted]


def jvp_of(
    f: Callable[..., Sequence[Value]],
    xs: Sequence[Value],
    ts: Sequence[Value | None],
    *,
    symbols: SymbolTable | None = None,
) -> list[Value | None]:
    """Tangents of the results of f(*xs), for the tangents `ts` of xs (None is zero)."""
    return values_and_jvp_of(f, xs, ts, symbols=symbols)[1]


def values_and_jvp_of(
    f: Callable[..., Sequence[Value]],
    xs: Sequence[Value],
    ts: Sequence[Value | None],
    *,
    symbols: SymbolTable | None = None,
) -> tuple[list[Value], list[Value | None]]:
    """Results of f(*xs) and their tangents, as `jvp_of`, without computing anything twice."""
    n, moving = len(xs), [t for t in ts if t is not None]
    floats: list[bool] = []

    def pushforward(*values: Value) -> list[Value]:
        given = iter(values[n:])
        ys = f(*values[:n])
        floats.extend(differentiable(y.type) for y in ys)
        known: dict[Value, Value | None] = {
            x: next(given) for x, t in zip(values[:n], ts, strict=True) if t is not None
        }
        tangents, primals = found_and_values(ys, lambda: _sweep_forward(known, ys, symbols))
        pairs = zip(tangents, primals, floats, strict=True)
        filled = [zeros_like(y) if t is None else t for t, y, is_float in pairs if is_float]
        return [*primals, *filled]

    found = Program.of(pushforward, [x.type for x in (*xs, *moving)], symbols)(*xs, *moving)
    given = iter(found[len(floats) :])
    return found[: len(floats)], [next(given) if is_float else None for is_float in floats]


def values_and_jvp_here(
    program: Program, xs: Sequence[Value], ts: Sequence[Value | None]
) -> tuple[list[Value], list[Value | None]]:
    """As `values_and_jvp_of` of a program, emitted at once: where the block has nothing else.

    Only for a program in which every op is needed as a whole: otherwise parts would be left over.
    """
    known: dict[Value, Value | None] = {x: t for x, t in zip(xs, ts, strict=True) if t is not None}
    ys = program(*xs)
    tangents, primals = found_and_values(ys, lambda: _sweep_forward(known, ys, program.symbols))
    filled = [
        zeros_like(y) if t is None and differentiable(y.type) else t
        for t, y in zip(tangents, primals, strict=True)
    ]
    return primals, filled


def transpose_of(
    f: Callable[..., Sequence[Value | None]],
    types: Sequence[Any],
    xs: Sequence[Value],
    gs: Sequence[Value | None],
    *,
    symbols: SymbolTable | None = None,
) -> list[Value]:
    """Cotangents of `ts`, of these types, in f(*ts, *xs), which is linear in ts.

    `gs` are the cotangents of its results (None is zero).  For a tangent rule f, this is the
    adjoint rule: the transposed map.  Raises `ValueError` if f is not linear.
    """
    n, m = len(types), len(xs)
    seeds = [g for g in gs if g is not None]

    def pullback(*values: Value) -> list[Value]:
        ts, given = values[:n], iter(values[n + m :])
        ys = f(*ts, *values[n : n + m])
        marked = [(y, next(given)) for y, g in zip(ys, gs, strict=True) if g is not None]
        pairs = [(y, g) for y, g in marked if y is not None]
        return sweep_backward(pairs, ts, symbols)

    program = Program.of(pullback, [*types, *[x.type for x in (*xs, *seeds)]], symbols)
    # The transpose of a map linear in ts does not need ts; but loops may carry them along.
    if not program.slice().values.isdisjoint(program.arguments[:n]):
        raise ValueError("its derivative needs their values")
    unread: list[Any] = [None] * n
    return program(*unread, *xs, *seeds)


def batch_of(
    f: Callable[..., Sequence[Value]],
    xs: Sequence[Value],
    batched: Sequence[bool],
    *,
    symbols: SymbolTable | None = None,
) -> list[Value]:
    """Results of f(*xs) with a batch axis, for xs of which some are batched."""
    types = [_member(x.type) if b else x.type for x, b in zip(xs, batched, strict=True)]
    found = Program.of(f, types, symbols).batched(xs, batched)
    first = next(x for x, b in zip(xs, batched, strict=True) if b)
    return [
        y if has_axis else with_batch_axis([first, y], [True, False])[1] for y, has_axis in found
    ]


def _member(type_: Any) -> Any:
    """The type of one member of a batch."""
    return tensor(type_.shape[1:], type_.element_type)


Body.of_region = Program.of_region
