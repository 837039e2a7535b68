"""Guards against reassociation: floats are computed in the order of the program."""

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import chain
from math import frexp, prod
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import kind, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.functions.symbol_utils import callee_of, functions_of
from anvl.passes.lower.hlo_builder import (
    Hlo,
    differs_everywhere,
    hide,
    is_hidden,
    maker,
    origin,
    replace_before,
)

__all__ = ["NAMES", "guard_reassociation"]

# Note [Two ops that XLA puts together]
#
# XLA's `AlgebraicSimplifier` rewrites floats as if they were real numbers (`HandleAdd`,
# `HandleMultiply`, `HandleDivide`, `HandlePower`, `HandleLog`, `HandleCompare`, `HandleReduce` in
# its `algebraic_simplifier.cc`; measured with jaxlib 0.10.2, for f16, f32, f64 and complex
# numbers).  The intermediate value may then be infinite or 0 where the program's own is neither:
#
#     (a / b) / c,  a / (b / c)         a / (b * c),  (a * c) / b        b * c, a * c
#     a / exp(b),  a / b**c             a * exp(-b),  a * b**-c          exp(-b) is 0 from 87.4 on
#     (a * 1e30) * 1e30                 a * inf                          likewise quotients
#     (a * 1e30) * broadcast(b)         a * broadcast(b * 1e30)          b * 1e30
#     (a * 2.) * (b * 2.)               (a * b) * 4.                     a * b; also (a * 2.)**2
#     a * .5 + b * .5                   (a + b) * .5                     a + b
#     (1. - a) + 1e-8                   1. - a                           1e-8 is lost: log(0)
#     a + scatter_add(b, i, u)          scatter_add(a + b, i, u)         a + b; unless b is 0
#     abs(a) >= 0, exp(a), a * a        true                             true for NaN
#     sum(broadcast(a))                 a * n                            n, in f16, from 65,520 on
#
# So the result of the inner op is hidden from XLA: by a `reduce_precision` to more bits than there
# are, which does nothing and takes no time, but matches none of these patterns.  (XLA moves
# broadcasts across it, so large sums of f16 are computed in f32, as its code does in any case.)
#
# Which value becomes the operand of the outer op, after XLA has moved a broadcast, dropped a sign
# or a conversion, unrolled a loop of one step or inlined a function, cannot be foreseen.  So it is
# hidden from every use except by ops that compute something else from it (`_COMPUTING`), as it is,
# negated or in another shape, here or in a function that it is passed to or returned by; and
# multiplications and sums count only if a constant takes part.
#
# Two joined forms take a tenth of the time, so their results are replaced only where they differ:
#
#     exp(a)**b                         exp(a * b)                       0 * inf, where it is 1
#     log(a**b)                         b * log(abs(a))                  no NaN where a < 0; 0 * inf
#
# (Where the inner op rounds to 1, 0 or infinity they still differ: the joined form is closer to
# real numbers, as exp(1e-8)**1e30 is infinite and not 1.)
#
# Rewrites that are correct except for some digits, and faster, are left to XLA: exp(a) * exp(b) and
# exp(a) / exp(b) (up to |a| + |b| units in the last place), log(exp(a)), a / sqrt(b), sqrt(a * a).

_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _POWER, _LOG, _EXP, _COMPARE, _REDUCE, _SCATTER = (
    f"stablehlo.{name}"
    for name in "add subtract multiply divide power log exponential compare reduce scatter".split()
)
_CONSTANT, _RETURN, _WHILE = "stablehlo.constant", "stablehlo.return", "stablehlo.while"
_BROADCAST, _CONVERT = "stablehlo.broadcast_in_dim", "stablehlo.convert"
_CALL, _FUNCTION, _FUNCTION_RETURN = "func.call", "func.func", "func.return"
_SELECT = "stablehlo.select"
_MOVING = (_BROADCAST, "stablehlo.negate", "stablehlo.reshape", "stablehlo.transpose")
_MOST_MOVES = 4  # of a value on its way to an op that XLA might join it with
_LARGEST_F16 = 65_504

_hlo = Hlo("")

_Joins = Callable[[ir.Value, str, ir.Operation, int], bool]

#: Ops that compute something else, even with a constant operand.
_COMPUTING = frozenset(
    f"stablehlo.{name}"
    for name in (
        "atan2 cbrt ceil compare convolution cosine dot_general erf exponential"
        " exponential_minus_one floor is_finite log log_plus_one logistic remainder"
        " round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh"
    ).split()
)
#: Ops that compute something else, but may be the identity with a constant.
_BINARY = frozenset((_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _POWER))

#: Ops whose results are not known to be positive, whatever their operands.
_SIGNED = frozenset(
    f"stablehlo.{name}"
    for name in (
        "add atan2 constant convolution cosine divide dot_general exponential_minus_one log"
        " log_plus_one negate sine subtract tan tanh"
    ).split()
)

#: Ops that XLA joins with the result of an op, by that op: name and operand position.
_JOINED = {
    _DIVIDE: ((_DIVIDE, 0), (_DIVIDE, 1)),
    _POWER: ((_DIVIDE, 0), (_DIVIDE, 1)),
    _EXP: ((_DIVIDE, 1),),
    _SCATTER: ((_ADD, 0), (_ADD, 1)),
}

NAMES = (_CONSTANT, _BROADCAST, _CALL, _COMPARE, _REDUCE, _LOG, *_JOINED)


def guard_reassociation(module: ir.Operation, found: Found) -> None:
    """Hide results of floats from ops that XLA would join with their defining ops."""
    program = _Program(functions_of(module), found)
    steps: dict[str, Callable[[ir.Operation], None]] = {
        _COMPARE: program.hide_compared,
        _REDUCE: _widen_sum,
        _LOG: partial(_choose, _POWER, _log_of_power),
        _POWER: partial(_choose, _EXP, _power_of_exp),
        _SCATTER: program.hide_scattered,
    }
    for name, step in steps.items():
        for op in found[name]:
            step(op)
    if found[_DIVIDE] or found[_POWER]:  # the ops that join the others
        for op in chain(found[_DIVIDE], found[_POWER], found[_EXP]):
            program.hide_result(op)
    program.hide_of_literals()


class _Program:
    """A module, with what XLA may know of its values.

    `literals` are computed from constants alone, `broadcasts` from these by broadcasting;
    `scaled` are products of a literal and something else, `shifted` are such sums.
    """

    def __init__(self, functions: dict[str, ir.Operation], found: Found) -> None:
        self.functions = functions
        self.calls: Found = {}
        for call in found[_CALL]:
            self.calls.setdefault(callee_of(call), []).append(call)
        self.literals: set[ir.Value] = set()
        self.scaled: dict[ir.Value, ir.Value] = {}  # with the literal
        self.shifted: dict[ir.Value, ir.Value] = {}
        self._numbers: dict[ir.Value, Any] = {}
        self._with_1: list[tuple[ir.Operation, int]] = []  # products, and the operand that is not 1
        self._close(self.literals, [op.results[0] for op in found[_CONSTANT]], self._note)
        self._drop_products()
        for made in (self.scaled, self.shifted):
            for y in [y for y in made if y in self.literals]:
                del made[y]
        self.broadcasts = set(self.literals)
        self._close(self.broadcasts, [op.results[0] for op in found[_BROADCAST]], _ignore)

    def _close(
        self,
        members: set[ir.Value],
        pending: list[ir.Value],
        note: Callable[[ir.Operation, str, int, ir.Value], None],
    ) -> None:
        """Add values, and those computed from members alone; call `note` for their other uses."""
        while pending:
            x = pending.pop()
            if x in members:
                continue
            members.add(x)
            for use in x.uses:
                op, i = use.owner, use.operand_number
                name = op.name
                if name in _BINARY:
                    if op.operands[1 - i] in members:
                        pending.append(op.results[0])
                    else:
                        note(op, name, i, x)
                elif name not in _COMPUTING:
                    pending += self._derived_values(op.operation, i, members)

    def _note(self, op: ir.Operation, name: str, i: int, literal: ir.Value) -> None:
        """Record an op on a literal, operand i, and something else."""
        is_scaled = name == _MULTIPLY or (name == _DIVIDE and i == 1)
        if is_scaled or name in (_ADD, _SUBTRACT):
            if self._number(literal) != (1 if is_scaled else 0):  # XLA drops these
                (self.scaled if is_scaled else self.shifted)[op.results[0]] = literal
            elif name == _MULTIPLY:
                self._with_1.append((op.operation, 1 - i))

    def _drop_products(self) -> None:
        """Replace products with 1, as XLA will: nothing need be hidden from them."""
        for op, i in self._with_1:
            if op.results[0] not in self.literals:
                op.results[0].replace_all_uses_with(op.operands[i])
                op.erase()

    def _number(self, literal: ir.Value) -> Any:
        """The number that fills a literal, if it can be read."""
        if literal not in self._numbers:
            self._numbers[literal] = _splat_number(origin(literal))
        return self._numbers[literal]

    def _derived_values(self, op: ir.Operation, i: int, members: set[ir.Value]) -> list[ir.Value]:
        """Values computed from members alone if this operand is one."""
        if op.name == _WHILE:
            return [op.results[i], *(region.blocks[0].arguments[i] for region in op.regions)]
        if op.name == _CALL:
            blocks = self.functions[callee_of(op)].regions[0].blocks
            return [blocks[0].arguments[i]] if len(blocks) else []
        if op.name == _FUNCTION_RETURN:
            return [call.results[i] for call in self._calls_of(op)]
        if op.name == _RETURN:
            outer = op.parent.operation
            return [outer.results[i]] if i < len(outer.results) else []
        if len(op.regions) or not members.issuperset(op.operands):
            return []
        return list(op.results)

    def _calls_of(self, op: ir.Operation) -> list[ir.Operation]:
        """Calls of the function that an op terminates."""
        return self.calls.get(op.parent.operation.attributes["sym_name"].value, [])

    def hide_of_literals(self) -> None:
        """Hide products and sums with literals from ops that XLA joins with them."""
        for y in self.scaled:
            self.hide(y, self.joins_scaled)
        for y in self.shifted:
            self.hide(y, self.joins_shifted)

    def hide_scattered(self, op: ir.Operation) -> None:
        """Hide a scatter that adds to numbers not known to be 0."""
        if _adds(op) and _splat_number(origin(op.operands[0])) != 0:
            self.hide_result(op)

    def hide_result(self, op: ir.Operation) -> None:
        """Hide the result of an op from ops that XLA joins with it."""
        joined = _JOINED[op.name]
        is_exponential = op.name == _EXP

        def joins(y: ir.Value, name: str, user: ir.Operation, i: int) -> bool:
            if (name, i) in joined:
                return not (is_exponential and _are_exponentials(user))
            return self._is_identity(name, user.operands[1 - i])

        self.hide(op.results[0], joins)

    def joins_scaled(self, y: ir.Value, name: str, user: ir.Operation, i: int) -> bool:
        """Whether XLA may join a product with a literal and an op of two operands that uses it."""
        other = user.operands[1 - i]
        if name == _MULTIPLY:
            return other in self.scaled or self._is_broadcast(other)
        if name in (_DIVIDE, _POWER):
            return i == 0 and self._is_broadcast(other)
        if name == _ADD and other in self.scaled:
            return self._may_be_equal(self.scaled[y], self.scaled[other])
        return self._is_identity(name, other)

    def _is_broadcast(self, x: ir.Value) -> bool:
        """Whether XLA may see one number for many: not if together they differ along each axis."""
        if x not in self.broadcasts:
            return False
        return not differs_everywhere(x, _MOST_MOVES)

    def _may_be_equal(self, x: ir.Value, y: ir.Value) -> bool:
        """Whether two literals may be the same power of two."""
        c, d = self._number(x), self._number(y)
        if c is None or d is None:
            return True
        return bool(c == d and abs(frexp(c)[0]) == 0.5)

    def joins_shifted(self, y: ir.Value, name: str, user: ir.Operation, i: int) -> bool:
        """Whether XLA may join a sum with a literal and an op of two operands that uses it."""
        other = user.operands[1 - i]
        if name in (_ADD, _SUBTRACT):
            return other in self.literals
        return self._is_identity(name, other)

    def _is_identity(self, name: str, other: ir.Value) -> bool:
        """Whether an op may be the identity, its other operand being 0 or 1."""
        if other not in self.literals:
            return False
        number = self._number(other)
        return number is None or number == (0 if name in (_ADD, _SUBTRACT) else 1)

    def hide(self, y: ir.Value, joins: _Joins) -> None:
        """Hide a value from ops that XLA may join with it, and from ops that move it."""
        uses = [
            (use.owner.operation, use.operand_number)
            for use in y.uses
            if not self._is_apart(y, use, joins)
        ]
        if uses and _is_joined(y.type):
            _hide_from(y, uses)

    def _is_apart(self, y: ir.Value, use: Any, joins: _Joins, most: int = _MOST_MOVES) -> bool:
        """Whether XLA joins y neither with an op that uses it, nor with one it is passed on to."""
        op, i = use.owner, use.operand_number
        name = op.name
        if name in _BINARY:  # XLA joins no other ops
            return not joins(y, name, op, i)
        if name in _COMPUTING or self._keeps(op.operation):
            return True
        moved = self._moved(op.operation, i) if most else []
        uses = [next_use for x in moved for next_use in x.uses]
        return bool(moved) and all(self._is_apart(y, u, joins, most - 1) for u in uses)

    def _moved(self, op: ir.Operation, i: int) -> list[ir.Value]:
        """The use of an operand: the same numbers, or negated; an argument, or a result."""
        if op.name in _MOVING:
            return [op.results[0]]
        return self._derived_values(op, i, set()) if op.name in (_CALL, _FUNCTION_RETURN) else []

    def _keeps(self, op: ir.Operation) -> bool:
        """Whether a value does not pass through an op to where XLA may join it with another."""
        if op.name == _FUNCTION_RETURN:
            return not self._calls_of(op)
        return _is_hiding(op) or _is_reducing(op) or _is_narrowing(op)

    def hide_compared(self, op: ir.Operation) -> None:
        """Hide operands compared with a literal, where XLA may infer that they are non-negative."""
        direction = str(op.attributes["comparison_direction"])
        if "GE" not in direction and "LE" not in direction:
            return
        for i, x in enumerate(op.operands):
            if op.operands[1 - i] not in self.literals or not self._may_be_positive(x):
                continue
            with op.context, op.location, ir.InsertionPoint(op):
                op.operands[i] = hide(x)

    def _may_be_positive(self, x: ir.Value) -> bool:
        """Whether XLA may infer that a value is non-negative, from its defining op or a caller."""
        if not _is_joined(x.type) or is_hidden(x):
            return False
        made_by = maker(x)
        if made_by is not None:
            return made_by.name not in _SIGNED
        block: Any = x.owner
        outer = block.owner.operation
        return outer.name != _FUNCTION or outer.attributes["sym_name"].value in self.calls


def _ignore(op: ir.Operation, name: str, i: int, x: ir.Value) -> None:
    pass


def _are_exponentials(op: ir.Operation) -> bool:
    """Whether both operands are exponentials, whose quotient XLA rewrites to exp(a - b)."""
    makers = [maker(x) for x in op.operands]
    return all(made_by is not None and made_by.name == _EXP for made_by in makers)


def _is_hiding(op: ir.Operation) -> bool:
    """Whether an op is part of what `hide` emits for floats or complex numbers."""
    if op.name in ("stablehlo.real", "stablehlo.imag"):
        return all(_is_hiding(use.owner.operation) for use in op.results[0].uses)
    return len(op.results) == 1 and is_hidden(op.results[0])


def _is_reducing(op: ir.Operation) -> bool:
    """Whether an op combines elements; XLA treats one that keeps their number as a reshape."""
    return op.name == _REDUCE and all(
        y.type.has_static_shape
        and x.type.has_static_shape
        and prod(y.type.shape) < prod(x.type.shape)
        for x, y in zip(op.operands, op.results, strict=False)
    )


def _is_narrowing(op: ir.Operation) -> bool:
    """Whether an op converts to a dtype that cannot hold all numbers of its operand."""
    if op.name != _CONVERT:
        return False
    source, target = (x.type.element_type for x in (op.operands[0], op.results[0]))
    is_float = kind(source) == kind(target) == "float"
    return not is_float or bool(target.width <= source.width)


@lru_cache(1024)
def _is_joined(type_: ir.Type) -> bool:
    """Whether XLA rewrites elements as real numbers; it does not for 8-bit floats."""
    if not isinstance(type_, ir.RankedTensorType):
        return False
    element = type_.element_type
    return kind(element) == "complex" or str(element) in ("f16", "bf16", "f32", "f64")


def _hide_from(x: ir.Value, uses: list[tuple[ir.Operation, int]]) -> None:
    """Hide an op's result from some of its uses."""
    op = x.owner.operation
    with op.context, op.location, ir.InsertionPoint.after(op):
        hidden = hide(x)
    for user, i in uses:
        user.operands[i] = hidden


def _splat_number(op: ir.Operation | None) -> Any:
    """The number that fills a constant, if there is one and Python can read it."""
    if op is None or op.name != _CONSTANT:
        return None
    try:
        literal = op.attributes["value"]
    except TypeError:  # complex: the bindings have no class for it
        return None
    return _number_in(literal)


@lru_cache(4096)
def _number_in(literal: Any) -> Any:
    """See Note [Attributes are decoded once], in `attributes.py`."""
    is_splat = getattr(literal, "is_splat", False)
    return getattr(literal.get_splat_value(), "value", None) if is_splat else None


def _adds(op: ir.Operation) -> bool:
    """Whether a reduction or a scatter of one array adds."""
    block = op.regions[0].blocks[0]
    if len(op.results) != 1 or len(block.operations) != 2:
        return False
    body = block.operations[0].operation
    return body.name == _ADD and set(body.operands) == set(block.arguments)


def _widen_sum(op: ir.Operation) -> None:
    """Sum in f32 if an f16 sum has so many elements that their count overflows f16."""
    x, start = op.operands[0], op.operands[1]
    if str(x.type.element_type) != "f16" or not x.type.has_static_shape or not _adds(op):
        return
    axes, y = tuple(op.attributes["dimensions"]), op.results[0]
    if prod(x.type.shape[axis] for axis in axes) <= _LARGEST_F16:
        return
    with op.context, op.location, ir.InsertionPoint(op):
        wide = [_hlo("convert", v, type=tensor(v.type.shape, ir.F32Type.get())) for v in (x, start)]
        (total,) = _hlo.reduce(wide[:1], wide[1:], axes, "add")
        y.replace_all_uses_with(_hlo("convert", total, type=y.type))
    op.erase()


# -- results replaced where the joined form differs -----------------------------------------------


def _choose(inner: str, form: Callable[..., ir.Value], op: ir.Operation) -> None:
    """Replace a real result of two joined ops where the joined form differs."""
    made_by, y = maker(op.operands[0]), op.results[0]
    if made_by is None or made_by.name != inner or not y.type.has_static_shape:
        return
    if kind(y.type.element_type) == "complex" or any(use.owner.name == _SELECT for use in y.uses):
        return
    with op.context, op.location, ir.InsertionPoint.after(op):
        chosen = form(y, *made_by.operands, *list(op.operands)[1:])
    replace_before(y, chosen)


def _log_of_power(y: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """log(a**b): NaN for negative numbers except to even powers, and 0 for 1."""
    zero, one, half = (_hlo.constant(a.type, v) for v in (0.0, 1.0, 0.5))
    halves = _hlo("multiply", b, half, type=b.type)
    is_odd = _hlo.compare(_hlo("floor", halves, type=b.type), halves, "NE")
    is_wrong = _hlo.logic("and", _hlo.compare(a, zero, "LT"), is_odd)
    is_one = _hlo.compare(_hlo("abs", a, type=a.type), one, "EQ")
    nan = _hlo.constant(y.type, float("nan"))
    known = _hlo("select", is_wrong, nan, zero, type=y.type)
    return _hlo("select", _hlo.logic("or", is_wrong, is_one), known, y, type=y.type)


def _power_of_exp(y: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """exp(a)**b: 1 where a or b is 0."""
    zero, one = (_hlo.constant(a.type, v) for v in (0.0, 1.0))
    is_one = _hlo.logic("or", _hlo.compare(a, zero, "EQ"), _hlo.compare(b, zero, "EQ"))
    return _hlo("select", is_one, one, y, type=y.type)
