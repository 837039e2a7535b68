"""The walk that asks each op for its `dependence` rule.  Names no op.  See Note [Dependence]."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import kind, numpy_of
from anvl.dialect.interpreters.common import ask, refuse
from anvl.dialect.interpreters.slices import values_read
from anvl.dialect.interpreters.subprogram import Program
from anvl.dialect.sparsity.dependence import Dependence, Ran, moved, shape_of
from anvl.dialect.sparsity.index_sets import IndexSets

__all__ = ["dependences"]

#: Known values of more elements are not computed.
_MOST_KNOWN = 1 << 22


def dependences(
    ops: Sequence[Any],
    argument: Value,
    results: Sequence[Value],
    symbols: SymbolTable | None = None,
    arrays: Sequence[Any] = (),
) -> tuple[IndexSets, list[Any]]:
    """The sets of elements of an argument that each element of some results of ops depends on.

    `arrays` are the captured arrays, by index, as far as they are known; `symbols` has the
    functions that the ops call.
    """
    sets = IndexSets(math.prod(argument.type.shape))
    ids = {argument: sets.singles().reshape(shape_of(argument))}
    walk = _Walk(sets, symbols, arrays, ids, {})
    walk.run(ops)
    return sets, [walk.of(y) for y in results]


class _Walk:
    """The sets of the values of a block, as far as they are not empty, and known values."""

    def __init__(
        self,
        sets: IndexSets,
        symbols: SymbolTable | None,
        arrays: Sequence[Any],
        ids: dict[Value, Any],
        known: dict[Value, Any],
    ) -> None:
        self.sets, self.symbols, self.arrays = sets, symbols, arrays
        self.ids = ids
        self.values = known

    def of(self, x: Value) -> Any:
        found = self.ids.get(x)
        return np.broadcast_to(np.int64(0), shape_of(x)) if found is None else found

    def run(self, ops: Sequence[Any]) -> None:
        for op in ops:
            rules: Any = type(op)
            is_ours = issubclass(rules, AnvlOp)
            read = operands_of(op) if is_ours else values_read(op)
            if not any(x in self.ids for x in read):
                continue
            for y, ids in zip(op.results, self._ask(op, rules, is_ours, read), strict=True):
                if ids.any():
                    self.ids[y] = ids

    def _ask(self, op: Any, rules: Any, is_ours: bool, read: Sequence[Value]) -> Sequence[Any]:
        operation = op.operation
        xs = [self.of(x) for x in read]
        services = Dependence(self.sets, operation, lambda i: self.known(read[i]), self.run_body)
        if not is_ours:
            return services.everything(xs)
        params = ask(operation, rules.read, operation, self.symbols)
        found = ask(operation, rules.dependence, services, xs, **params)
        several = rules.multiple_results or isinstance(found, list)
        answers = found if several else [found]
        shapes = [getattr(ids, "shape", None) for ids in answers]
        if shapes != services.shapes:
            refuse(
                operation, rules, "dependence", f"gave arrays of {shapes}, not {services.shapes}"
            )
        return answers

    def run_body(self, body: Program, xs: Sequence[Any], known: Sequence[Any]) -> Ran:
        """Run a body on the sets, and the known values or None, of its arguments."""
        pairs = list(zip(body.arguments, xs, strict=True))
        ids = {x: of for x, of in pairs if of.any()}
        values = dict(zip(body.arguments, known, strict=True))
        inner = _Walk(self.sets, body.symbols or self.symbols, self.arrays, ids, values)
        inner.run(list(body.block.operations)[:-1])
        return Ran([inner.of(y) for y in body.results], lambda i: inner.known(body.results[i]))

    # -- known values ------------------------------------------------------------------------------

    def known(self, x: Value) -> Any:
        """The value of x as a NumPy array where it follows from constants, or None."""
        if x in self.values:
            return self.values[x]
        self.values[x] = None  # while it is computed
        if isinstance(x.owner, ir.Block) or not isinstance(x.type, ir.RankedTensorType):
            return None
        op = x.owner.opview
        rules = type(op)
        if not issubclass(rules, AnvlOp) or len(op.results) != 1 or rules.bodies or rules.captures:
            return None
        if math.prod(x.type.shape) > _MOST_KNOWN:
            return None
        self.values[x] = self._computed(op, rules)
        return self.values[x]

    def _computed(self, op: Any, rules: Any) -> Any:
        operation = op.operation
        params: Mapping[str, Any] = rules.read(operation, self.symbols)
        of = operation.results[0].type
        if not len(operation.operands):
            return rules.literal(operation, self.arrays, **params)
        xs = [self.known(x) for x in operation.operands]
        if any(x is None for x in xs):
            return None
        if rules.has_rule("fold"):
            if any(kind(x.type.element_type) not in _WHOLE for x in operation.operands):
                return None
            if kind(of.element_type) not in _WHOLE:
                return None
            with np.errstate(all="ignore"):  # integers wrap around, as in the program
                found = rules.fold(*xs, **params)
            return np.broadcast_to(np.asarray(found, numpy_of(of.element_type)), tuple(of.shape))
        return moved(operation, rules, dict(params), xs)


_WHOLE = ("int", "uint", "bool")
