"""anvl-hoist-constants: arrays a program closes over become arguments, numbers become literals."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from anvl.dialect.control_flow.call import rule_of
from anvl.dialect.core.attributes import SHARDING, attribute_of, symbols_in
from anvl.dialect.core.create import CapturedOp, ComplexLiteral, ConstantOp, literal
from anvl.dialect.core.create import constant as emit_constant
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import DEFINED, OPS, ops_with_rule
from anvl.dialect.core.types import dtype_name, itemsize, shape_text
from anvl.dialect.interpreters.constant_folding import maker_of
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import body_of, callee_of, calls_of, functions_of

__all__ = ["CAPTURED", "CONSTANT", "VALUE", "HoistConstants", "Hoisted", "Stack"]

_NAME = "anvl-hoist-constants"

#: Attributes of an argument that was a constant: its name; the index of the captured array, or, for
#: a literal of the text, the literal itself, so that nothing is lost.
CONSTANT, CAPTURED, VALUE = "anvl.constant", "anvl.captured", "anvl.value"


#: Gives the index of an array whose rows are captured arrays, by their indices; None if it cannot.
Stack: TypeAlias = Callable[[tuple[int, ...]], int | None]


class Hoisted(NamedTuple):
    """One constant that became an argument."""

    function: str
    name: str
    type: str
    nbytes: int
    location: str

    def __str__(self) -> str:
        return f"@{self.function} {self.name}: {self.type}, {self.nbytes} bytes, {self.location}"


@dataclass(frozen=True)
class HoistConstants(Pass, argument=_NAME):
    """Make each captured array and each large literal a leading argument of its function.

    Constants of at most `threshold` elements become literals, and splat literals stay (they are
    fills).  Unused constants disappear; the same array twice, and arrays of equal contents, become
    one argument.  Afterwards no `anvl.captured` is left, and, unless `literals`
    is false, no `dense<...>` with more elements than `threshold`.  The new arguments come first, in
    the order of first use, and carry the attribute `anvl.constant`.
    """

    anchor = "builtin.module"

    threshold: int = option(1, help="constants of at most this many elements become literals")
    literals: bool = option(True, help="large literals become arguments, as captured arrays do")
    report: bool = option(False, help="list each hoisted constant on stderr: name, bytes, line")
    #: The captured arrays, by index; from Python only.  Without them nothing is inlined or merged.
    arrays: Sequence[Any] = ()
    #: With it, a stack of captured arrays, such as that of the weights that a rolled loop reads, is
    #: one captured array, and not put together in each run; from Python only.
    stack: Stack | None = field(default=None, compare=False)
    #: Called with the hoisted constants; from Python only.
    on_report: Callable[[list[Hoisted]], None] | None = field(default=None, compare=False)

    def run(self, module: ir.Operation) -> None:
        if self.threshold < 0:
            raise PassError(_NAME, f"threshold is {self.threshold}; it must not be negative")
        if self.stack is not None:
            _stack_captured(module, self.stack)
        functions = functions_of(module)
        done: dict[str, list[_Constant]] = {}
        hoisted: list[Hoisted] = []
        for name in functions:
            self._hoist_in(name, functions, done, hoisted, ())
        if self.report:
            print("\n".join(map(str, hoisted)) or f"{_NAME}: nothing to hoist", file=sys.stderr)
        if self.on_report is not None:
            self.on_report(hoisted)

    def _hoist_in(
        self,
        name: str,
        functions: dict[str, ir.Operation],
        done: dict[str, "list[_Constant]"],
        hoisted: list[Hoisted],
        path: tuple[str, ...],
    ) -> None:
        """Hoist in one function, after those it calls: their constants become its own."""
        if name in done or name not in functions:
            return
        if body_of(functions[name]) is None:
            self._hoist_for(name, functions, done, hoisted, path)
            return
        if name in path:
            cycle = " -> ".join(f"@{n}" for n in (*path, name))
            raise PassError(_NAME, f"recursion: {cycle}; calls must not form a cycle")
        function = functions[name]
        for call in list(calls_of(function)):
            callee = callee_of(call)
            self._hoist_in(callee, functions, done, hoisted, (*path, name))
            if done.get(callee):
                _pass_constants(call, done[callee])
        groups = self._groups(function)
        self._add_arguments(function, groups)
        done[name] = [group[0] for group in groups]
        hoisted += [_line(name, i, group[0]) for i, group in enumerate(groups)]

    def _hoist_for(
        self,
        name: str,
        functions: dict[str, ir.Operation],
        done: dict[str, "list[_Constant]"],
        hoisted: list[Hoisted],
        path: tuple[str, ...],
    ) -> None:
        """Let a declaration that outlives inlining take the constants of its body."""
        function = functions[name]
        rule: Any = rule_of(function)
        if rule is None or not rule.outlives_inlining:
            return
        (body,) = symbols_in(function.attributes[rule.attribute])
        self._hoist_in(body, functions, done, hoisted, (*path, name))
        done[name] = done.get(body, [])
        types = function.attributes["function_type"].value
        inputs = [*(constant.type for constant in done[name]), *types.inputs]
        wanted = ir.FunctionType.get(inputs, list(types.results), function.context)
        function.attributes["function_type"] = ir.TypeAttr.get(wanted)
        request = function.attributes[rule.attribute]
        ranks = [constant.type.rank for constant in done[name]]
        function.attributes[rule.attribute] = rule.with_constants(request, ranks)

    def _groups(self, function: ir.Operation) -> "list[list[_Constant]]":
        """Constants to hoist, grouped by equal arrays."""
        groups: list[list[_Constant]] = []
        for constant in _constants(function, self.literals):
            if not constant.used:
                constant.op.erase()
            elif self._inlined(constant):
                _inline(constant, self.arrays)
            elif constant.index is not None or _is_large(constant, self.threshold):
                self._put(constant, groups)
        return groups

    def _inlined(self, constant: "_Constant") -> bool:
        known = constant.index is not None and constant.index < len(self.arrays)
        return known and constant.count <= self.threshold

    def _put(self, constant: "_Constant", groups: "list[list[_Constant]]") -> None:
        for group in groups:
            if _is_same(group[0], constant, self.arrays):
                group.append(constant)
                return
        groups.append([constant])

    def _add_arguments(self, function: ir.Operation, groups: "list[list[_Constant]]") -> None:
        if not groups:
            return
        block = function.regions[0].blocks[0]
        n_old = len(block.arguments)
        for i, group in enumerate(groups):
            location = ir.Location.name(f"c{i + 1}", group[0].op.location)
            argument = block.add_argument(group[0].type, location)
            for constant in group:
                constant.op.results[0].replace_all_uses_with(argument)
        _move_behind(block, n_old)
        _set_signature(function, [_attributes(i, g[0]) for i, g in enumerate(groups)])
        for group in groups:
            for constant in group:
                constant.op.erase()


def _stack_captured(module: ir.Operation, stack: Stack) -> None:
    """Replace each concatenation of captured arrays along a new first axis by a captured array."""
    for op in find(module, *_stacking(len(DEFINED))):
        rows = OPS[op.name].rows_of(op) or ()
        indices = tuple([i for i in map(_captured_index, rows) if i is not None])
        index = stack(indices) if rows and len(indices) == len(rows) else None
        if index is None:
            continue
        y, makers = op.results[0], [x.owner.operation for x in op.operands]
        with op.location, ir.InsertionPoint(op):
            shape, dtype = tuple(y.type.shape), dtype_name(y.type.element_type)
            y.replace_all_uses_with(CapturedOp.build(index=index, shape=shape, dtype=dtype))
        op.erase()
        for maker in dict.fromkeys(makers):
            if not len(list(maker.results[0].uses)):
                maker.erase()


@lru_cache(4)
def _stacking(known: int) -> tuple[str, ...]:
    return tuple(op_class.OPERATION_NAME for op_class in ops_with_rule("rows_of"))


def _captured_index(row: ir.Value) -> int | None:
    """Index of the captured array that a value is; None if it is none, or one over a mesh."""
    op = maker_of(row)
    if type(op) is not CapturedOp or SHARDING in op.attributes:
        return None
    return op.read(op.operation)["index"]


def _move_behind(block: ir.Block, n: int) -> None:
    """Move the first n arguments behind the others: the bindings only add at the end."""
    for i in range(n):
        old = block.arguments[i]
        old.replace_all_uses_with(block.add_argument(old.type, old.location))
    for i in reversed(range(n)):
        block.erase_argument(i)


class _Constant:
    """A constant in a function: `index` of a captured array, or the `value` of a literal."""

    def __init__(self, op: ir.Operation) -> None:
        self.op = op
        self.type = op.results[0].type
        self.used = len(list(op.results[0].uses)) > 0
        is_captured = op.name == CapturedOp.OPERATION_NAME
        self.index = CapturedOp.read(op)["index"] if is_captured else None
        self.value = None if is_captured else ConstantOp.read(op)["value"]
        self.sharding = attribute_of(op, SHARDING)
        self.location = str(op.location)
        self.count = math.prod(self.type.shape)


def _constants(function: ir.Operation, literals: bool) -> list[_Constant]:
    """The captured arrays, and, with `literals`, the literals that are not splats."""
    names = [CapturedOp.OPERATION_NAME, *([ConstantOp.OPERATION_NAME] if literals else [])]
    found = find(function, *names)
    return [_Constant(op) for op in found if not _is_fill(op)]


def _is_fill(op: ir.Operation) -> bool:
    """Whether it is a literal of one repeated value; most literals are, so this comes first."""
    if op.name != ConstantOp.OPERATION_NAME:
        return False
    try:
        return bool(getattr(op.attributes["value"], "is_splat", False))
    except TypeError:  # complex: the bindings have no class for it
        return False


def _is_large(constant: _Constant, threshold: int) -> bool:
    """Whether a literal is more than a fill or a small array."""
    return constant.count > threshold and not getattr(constant.value, "is_splat", False)


def _is_same(one: _Constant, other: _Constant, arrays: Sequence[Any]) -> bool:
    if one.type != other.type or one.sharding != other.sharding:
        return False
    if one.index is None or other.index is None:
        return one.index is other.index and bool(one.value == other.value)
    if one.index == other.index:
        return True
    if max(one.index, other.index) >= len(arrays):
        return False
    return _bytes_equal(np.asarray(arrays[one.index]), np.asarray(arrays[other.index]))


def _bytes_equal(x: "np.ndarray", y: "np.ndarray") -> bool:
    """Equal bit for bit: 0.0 is not -0.0, and a NaN equals itself."""
    return np.array_equal(
        np.ascontiguousarray(x).reshape(-1).view(np.uint8),
        np.ascontiguousarray(y).reshape(-1).view(np.uint8),
    )


def _inline(constant: _Constant, arrays: Sequence[Any]) -> None:
    op = constant.op
    array = np.asarray(arrays[constant.index or 0])
    with op.location, ir.InsertionPoint(op):
        op.results[0].replace_all_uses_with(literal(array, constant.type))
    op.erase()


def _pass_constants(call: ir.Operation, constants: list[_Constant]) -> None:
    """Prepend to a call the constants that its callee now takes, emitted in front of it."""
    with call.location, ir.InsertionPoint(call):
        operands = [_emit(constant) for constant in constants]
        new = ir.Operation.create(
            "func.call",
            [y.type for y in call.results],
            [*operands, *call.operands],
            {"callee": call.attributes["callee"]},
        )
    for old, result in zip(call.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    call.erase()


def _emit(constant: _Constant) -> ir.Value:
    if constant.index is None:
        return emit_constant(constant.value)
    found: ir.Value = CapturedOp.build(
        index=constant.index,
        shape=tuple(constant.type.shape),
        dtype=dtype_name(constant.type.element_type),
    )
    if constant.sharding is not None:
        found.owner.attributes[SHARDING] = constant.sharding
    return found


def _attributes(i: int, constant: _Constant) -> ir.Attribute:
    context = constant.type.context
    if isinstance(constant.value, ComplexLiteral):  # known by its text only
        text = f'{{{CONSTANT} = "c{i + 1}", {VALUE} = {constant.value.text}}}'
        return ir.Attribute.parse(text, context)
    attributes: dict[str, Any] = {CONSTANT: ir.StringAttr.get(f"c{i + 1}", context)}
    if constant.sharding is not None:
        attributes[SHARDING] = constant.sharding
    if constant.index is None:
        attributes[VALUE] = constant.value
    else:
        i64 = ir.IntegerType.get_signless(64, context)
        attributes[CAPTURED] = ir.IntegerAttr.get(i64, constant.index)
    return ir.DictAttr.get(attributes, context)


def _set_signature(function: ir.Operation, new: list[ir.Attribute]) -> None:
    """The function's type and argument attributes, with the `new` arguments first."""
    block, context = function.regions[0].blocks[0], function.context
    results = function.attributes["function_type"].value.results
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get([a.type for a in block.arguments], results, context)
    )
    n_old = len(block.arguments) - len(new)
    old = [ir.DictAttr.get({}, context)] * n_old
    if "arg_attrs" in function.attributes:
        old = list(function.attributes["arg_attrs"])
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([*new, *old], context)


def _line(function: str, i: int, constant: _Constant) -> Hoisted:
    element = constant.type.element_type
    return Hoisted(
        function,
        f"c{i + 1}",
        f"{dtype_name(element)}{shape_text(constant.type.shape)}",
        constant.count * itemsize(element),
        constant.location.removeprefix("loc(").removesuffix(")"),
    )
