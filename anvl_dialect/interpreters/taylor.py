"""Taylor mode: the coefficients of results along a curve of the arguments, order by order.

Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), chapter 13.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value, emit
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.activity_analysis import lacks, place_of
from anvl.dialect.interpreters.common import ask
from anvl.dialect.interpreters.replaced import replace_results
from anvl.dialect.interpreters.slices import values_read
from anvl.dialect.interpreters.subprogram import Program, copied, jvp_of

__all__ = ["taylor_block", "taylor_of"]

# Note [Taylor mode]
#
# Along a curve x(t) a value is a power series in t.  Coefficient k of a result follows from
# coefficients 0 to k of the operands and 0 to k - 1 of the result, so series are computed order by
# order, each coefficient when it is first asked for.  There are four ways, for each op the first
# that applies:
#
#   series     a loop carries the coefficients of its carries, a choice returns those of a branch
#   taylor     the rule of an op that multiplies or divides: a convolution
#   linear     where the tangent depends on the tangents of the operands alone, each coefficient is
#              the tangent for that coefficient
#   tangent    y' = J(x) x', coefficient by coefficient: the tangent rule is a program of x, x' and
#              y, whose own series give coefficient k - 1 of y', which is k times coefficient k of y
#
# The program of a tangent rule often computes y again, or what another op of the program has
# computed, as the cosine for a sine.  Ops that compute the same have one series, so exp'= exp x'
# is the usual recurrence, and sine and cosine go together: the cost of order n grows by n^2.  An op
# whose derivatives are new ops each time, as lgamma, takes n of them.  Where an op with a body has
# no such rule, the program of its tangent has a like op in it, which is differentiated again: that
# is right, at a cost that doubles with each order.


class _Series:
    """Coefficients of one value, computed when they are first asked for; None is zero."""

    __slots__ = ("_coefficients", "_is_busy", "_next", "is_active")

    def __init__(self, following: Callable[[int], Value | None], is_active: bool = True) -> None:
        self._coefficients: list[Value | None] = []
        self._next, self.is_active = following, is_active
        self._is_busy = False

    def get(self, k: int) -> Any:
        """Coefficient k."""
        if k and not self.is_active:
            return None
        while len(self._coefficients) <= k:
            if self._is_busy:
                raise MissingRule("its derivative of this order needs the same derivative")
            self._is_busy = True
            try:
                found = self._next(len(self._coefficients))
            finally:
                self._is_busy = False
            self._coefficients.append(found)
        return self._coefficients[k]


def _constant(x: Value) -> _Series:
    return _Series(lambda k: x, is_active=False)


def taylor_block(
    block: ir.Block,
    given: Mapping[Value, Sequence[Value | None]],
    targets: Sequence[Value],
    order: int,
    symbols: SymbolTable | None = None,
) -> list[list[Value | None]]:
    """Emit the coefficients 1 to `order` of some values of a block; None is zero.

    `given` has those of arguments, from the first on.  The ops are emitted at the current insertion
    point, behind those of the block.  Raises `MissingRule` that names the op.
    """
    walk = _Walk(symbols, order)
    known = {x: _of_list(x, of) for x, of in given.items()}
    for op in list(block.operations)[:-1]:
        read = _read(op)
        if any(x in known for x in read):
            xs = [known.get(x) or walk.of_value(x) for x in read]
            pairs = zip(op.results, walk.results(op, xs, list(op.results)), strict=True)
            known.update((y, s) for y, s in pairs if s.is_active)
        else:
            walk.note(op)
    found = [known.get(y) for y in targets]
    return [[None if s is None else s.get(k) for k in range(1, order + 1)] for s in found]


def taylor_of(
    program: Program,
    xs: Sequence[Value],
    series: Sequence[Sequence[Value | None] | None],
    order: int,
) -> tuple[list[Value], list[list[Value | None]]]:
    """Emit a program and its coefficients 1 to `order`; None is a series of an inactive argument.

    Returns the results, and the coefficients of each.
    """
    walk = _Walk(program.symbols, order)
    known = {}
    for argument, x, of in zip(program.arguments, xs, series, strict=True):
        known[argument] = walk.of_value(x) if of is None else _of_list(x, of)
    for op in program.slice(whole_ops=True).ops:
        given = [known.get(x) or walk.of_value(x) for x in _read(op)]
        known.update(zip(op.results, walk.results(op, given), strict=True))
    found = [known.get(y) or walk.of_value(y) for y in program.results]
    values = [s.get(0) for s in found]
    return values, [[s.get(k) for k in range(1, order + 1)] for s in found]


def _of_list(x: Value, of: Sequence[Value | None]) -> _Series:
    return _Series(lambda k: x if not k else of[k - 1])


def _read(op: Any) -> Sequence[Value]:
    return operands_of(op) if isinstance(op, AnvlOp) else values_read(op)


class _Walk:
    """Series of the ops so far, by what they compute: Note [Taylor mode]."""

    def __init__(self, symbols: SymbolTable | None, order: int) -> None:
        self.symbols, self.order = symbols, order
        self._known: dict[Any, list[_Series]] = {}
        self._constants: dict[Value, _Series] = {}

    def note(self, op: Any) -> None:
        """Record an op that no series reaches."""
        xs = [self.of_value(x) for x in op.operands]
        key = _key(op, xs)
        if key is not None:
            self._known.setdefault(key, [self.of_value(y) for y in op.results])

    def of_value(self, x: Value) -> _Series:
        """The series of a value that does not vary."""
        return self._constants.setdefault(x, _constant(x))

    def results(
        self, op: Any, xs: Sequence[_Series], values: Sequence[Value] | None = None
    ) -> list[_Series]:
        """The series of the results of an op; `values` are these, where the op is there already."""
        key = _key(op, xs)
        known = self._known.get(key) if key is not None else None
        if known is not None:
            return known
        step = _Step(self, op, xs, values)
        found = [_Series(partial(step.coefficient, i), a) for i, a in enumerate(step.active)]
        if key is not None:
            self._known[key] = found
        return found


def _key(op: Any, xs: Sequence[_Series]) -> Any:
    """The same for two ops that compute the same."""
    operation = op.operation
    rules = type(op)
    if len(operation.regions) or not issubclass(rules, AnvlOp) or not rules.pure:
        return None
    try:
        attributes = tuple((name, operation.attributes[name]) for name in operation.attributes)
    except TypeError:  # the bindings have no class for constants of complex numbers
        return None
    operands = frozenset(map(id, xs)) if rules.commutative else tuple(map(id, xs))
    return operation.name, operands, attributes, tuple(y.type for y in operation.results)


class _Step:
    """One op, and how the coefficients of its results follow."""

    def __init__(
        self,
        walk: _Walk,
        op: Any,
        xs: Sequence[_Series],
        values: Sequence[Value] | None,
    ) -> None:
        self.walk, self.op, self.rules = walk, op, type(op)
        self.xs = list(xs)  # alive, since keys hold their identities
        self._values = values
        self._is_there = values is not None
        read = _read(op)
        self.types = [x.type for x in read]
        self.moving = [
            i
            for i, (x, type_) in enumerate(zip(xs, self.types, strict=True))
            if x.is_active and _has_derivative(type_)
        ]
        varies = bool(self.moving) and not getattr(self.rules, "zero_derivative_reason", "")
        self.active = [varies and _has_derivative(y.type) for y in op.results]
        self._emitted: dict[int, list[Any]] = {}
        self._derived: list[_Series] | None = None
        self._program: Program | None = None
        self._is_linear = False

    def coefficient(self, i: int, k: int) -> Value | None:
        """Coefficient k of result i."""
        if any(self.active) and self._carries():
            return self._at_once(i, k)
        if not k:
            return self._first()[i]
        if issubclass(self.rules, AnvlOp) and self.rules.has_rule("taylor"):
            return self._by_rule(i, k)
        if self._program is None:
            self._program = self._tangent()
        if self._is_linear:
            return self._by_linearity(k)[i]
        return self._by_tangent(i, k)

    def _first(self) -> Sequence[Value]:
        if self._values is None:
            self._values = copied(self.op, [x.get(0) for x in self.xs], {})
        return self._values

    def _by_rule(self, i: int, k: int) -> Value | None:
        """Of an op with one result."""
        operation = self.op.operation
        params = ask(operation, self.rules.read, operation, self.walk.symbols)
        series = [[x.get(j) for j in range(k + 1)] for x in self.xs]
        (own,) = self.walk.results(self.op, self.xs) if _key(self.op, self.xs) else (None,)
        before = [] if own is None else [own.get(j) for j in range(k)]
        return ask(operation, self.rules.taylor, k, series, before, **params)

    # -- of control flow ---------------------------------------------------------------------------

    def _carries(self) -> bool:
        """Whether the op computes all coefficients at once: Note [Taylor mode]."""
        find = getattr(self.rules, "carries_series", None)
        return find is not None and find(self.op.operation, self.walk.symbols)

    def _at_once(self, i: int, k: int) -> Value | None:
        """The same of control flow, emitted for all orders at once where the operands have them."""
        order = self.walk.order if self._is_there else k
        if not order:
            return self._first()[i]
        if order not in self._emitted:
            operation = self.op.operation
            params = ask(operation, self.rules.read, operation, self.walk.symbols)
            firsts = [x.get(0) for x in self.xs]
            series = [
                [x.get(j) for j in range(1, order + 1)] if n in self.moving else None
                for n, x in enumerate(self.xs)
            ]
            rule = self.rules.taylor_series
            values, found = ask(operation, rule, firsts, series, order, **params)
            if self._is_there:  # it computes the results, too
                replace_results(list(operation.results), values)
                self._values = values
            self._emitted[order] = found
        return self._emitted[order][i][k - 1] if k else self._first()[i]

    # -- by the tangent rule -----------------------------------------------------------------------

    def _tangent(self) -> Program:
        """The tangents of the float results as a program of those of the operands, and of these."""
        operation, count = self.op.operation, len(self.moving)
        missing = lacks(self.rules, "tangent", operation)
        if missing is not None:
            raise MissingRule(
                f"{operation.name} at {place_of(operation)} has no Taylor series: {missing}",
                str(operation.location),
            )

        def again(*xs: Value) -> Sequence[Value]:
            return copied(self.op, list(xs), {})

        def tangents(*values: Value) -> list[Value]:
            given = dict(zip(self.moving, values[:count], strict=True))
            ts = [given.get(i) for i in range(len(self.types))]
            found = jvp_of(again, values[count:], ts, symbols=self.walk.symbols)
            return [t for t in found if t is not None]

        types = [self.types[i] for i in self.moving]
        with operation.location:
            program = Program.of(tangents, [*types, *self.types], self.walk.symbols)
        varying = [program.arguments[count + i] for i in self.moving]
        self._is_linear = program.slice().values.isdisjoint(varying)
        return program

    def _by_linearity(self, k: int) -> Sequence[Any]:
        """Coefficient k of all results, which depends on coefficient k of the operands alone."""
        if k not in self._emitted:
            assert self._program is not None
            ts = [self.xs[i].get(k) for i in self.moving]
            found: list[Any] = [None] * len(self.active)
            if any(t is not None for t in ts):
                firsts = [x.get(0) for x in self.xs]
                pairs = zip(self.moving, ts, strict=True)
                filled = [zeros_like(firsts[i]) if t is None else t for i, t in pairs]
                given = iter(self._program(*filled, *firsts))
                found = [next(given) if a else None for a in self.active]
            self._emitted[k] = found
        return self._emitted[k]

    def _by_tangent(self, i: int, k: int) -> Value | None:
        """Coefficient k - 1 of the derivative along the curve, divided by k."""
        if self._derived is None:
            self._derived = self._series_of_tangent()
        found = self._derived[sum(self.active[:i])].get(k - 1)
        return found if found is None or k == 1 else _times(found, 1 / k)

    def _series_of_tangent(self) -> list[_Series]:
        program, walk = self._program, self.walk
        assert program is not None
        slopes = [_slope(self.xs[i]) for i in self.moving]
        known = dict(zip(program.arguments, [*slopes, *self.xs], strict=True))
        for op in program.slice(whole_ops=True).ops:
            xs = [known[x] for x in _read(op)]
            known.update(zip(op.results, walk.results(op, xs), strict=True))
        self._kept = known  # alive, as the keys hold their identities
        return [known[y] for y in program.results]


def _slope(x: _Series) -> _Series:
    """The derivative of a series along the curve."""

    def coefficient(k: int) -> Value | None:
        found = x.get(k + 1)
        if not k:  # the first coefficient of a series is always there
            return zeros_like(x.get(0)) if found is None else found
        return None if found is None else _times(found, k + 1)

    return _Series(coefficient)


def _times(x: Value, number: float) -> Value:
    return emit.mul(x, full_like(x, number))


def _has_derivative(type_: Any) -> bool:
    return isinstance(type_, ir.RankedTensorType) and differentiable(type_)
