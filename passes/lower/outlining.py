"""Outlining of long expansions: functions of the module, called in place of the ops."""

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from anvl.dialect.control_flow.case import CONTROL_FLOW
from anvl.dialect.core.mlir import ir, rewrite
from anvl.dialect.core.side_block import side_block
from anvl.dialect.interpreters.emission_cache import Recipe, nested_ops, picker, read, replay
from anvl.passes.framework.managers import run_native
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import callee_of, terminator_of

__all__ = ["Called", "Shared", "current", "short_or_long"]

# Note [Long expansions]
#
# The incomplete beta function is 400 ops of StableHLO.  A program that has it a hundred times would
# be 40,000 ops to build, to print and to parse again, for every pass and for the plugin.  So an
# expansion of more than `_LONGEST` ops is a private function of the module, named for the op, and
# the op becomes a call of it, which XLA inlines.  In the body of another op it stays in place:
# there, plugins expect plain ops.
#
# Some expansions are expensive to run: they call a routine of the platform, or loop.  XLA computes
# them as often as they are written, so they must be shared:
#
# * An op whose expansion begins with an expensive one (`solve` begins with `lu`) is two calls, of
#   that one and of the rest: `solve` of a matrix, the `solve` in its derivative and the determinant
#   share one factorisation.
# * Of calls of one function with the same operands one is kept, and calls with unused results are
#   removed.  MLIR's `cse` does that, but not for calls, which may have side effects.  So these
#   calls, which have none, are written as casts, MLIR's placeholder for later conversion, until it
#   has run.

_LONGEST = 6
_OF_COPY = 3  # an op with regions is copied, which takes as long as building several
_DEEPEST = 16
_COSTLY = ("stablehlo.custom_call", "stablehlo.while")
_PURE = "builtin.unrealized_conversion_cast"

_Picker = Callable[[Any], Sequence[ir.Value]]


class Called(NamedTuple):
    """A long expansion: the function to copy, the calls that precede it, and the inlined form."""

    name: str
    function: ir.Operation
    owner: ir.Module
    #: Preceding calls, each with a picker of its operands among the values so far, the op's first.
    before: tuple[tuple["Called", _Picker], ...]
    takes: _Picker
    types: list[ir.Type]
    is_pure: bool
    is_costly: bool
    inline: Recipe | None


def short_or_long(
    name: str, module: ir.Module, types: list[ir.Type], is_pure: bool
) -> Recipe | Called | None:
    """The expansion in the single function of a module, for an op with results of these types."""
    function = module.body.operations[0].operation
    block = function.regions[0].blocks[0]
    given = [x.type for x in block.arguments]
    before = _pulled_out(block)
    answers = list(terminator_of(block).operands)
    if len(before) == 1 and _is_all(block, before[0], len(given), answers):
        return before[0][0]
    recipe = read(block, answers, module)
    if not before and _length(function) <= _LONGEST:
        return recipe
    inline = _in_place(before, recipe, given) if before else recipe
    is_costly = is_pure and (bool(before) or _has_costly_op(function))
    takes = _drop_unused(block)
    signature = ir.FunctionType.get([x.type for x in block.arguments], types)
    function.attributes["function_type"] = ir.TypeAttr.get(signature)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")
    return Called(name, function, module, tuple(before), takes, types, is_pure, is_costly, inline)


def _length(function: ir.Operation) -> int:
    """Number of ops of an expansion; one with regions counts as many as it takes to copy."""
    ops = [op for op in nested_ops(function) if not op.name.endswith(".return")]
    return sum(_OF_COPY if len(op.regions) else 1 for op in ops)


def _has_costly_op(function: ir.Operation) -> bool:
    return any(op.name in _COSTLY for op in nested_ops(function))


def _pulled_out(block: ir.Block) -> list[tuple[Called, _Picker]]:
    """Turn results of the preceding calls into arguments of the rest."""
    found: list[tuple[Called, _Picker]] = []
    known: dict[Any, list[ir.Value]] = {}
    for op in [o.operation for o in block.operations if o.operation.name == _PURE]:
        if "callee" not in op.attributes:  # from a user's rule
            continue
        how = current().expansion_of(op)
        place = {x: i for i, x in enumerate(block.arguments)}
        key = id(how), *(place[x] for x in op.operands)
        if key not in known:
            found.append((how, picker(key[1:])))
            known[key] = [block.add_argument(y.type, op.location) for y in op.results]
        for old, new in zip(op.results, known[key], strict=True):
            old.replace_all_uses_with(new)
        op.erase()
    return found


def _is_all(
    block: ir.Block, first: tuple[Called, _Picker], n_given: int, answers: list[ir.Value]
) -> bool:
    """Whether an expansion is just its preceding call."""
    arguments = list(block.arguments)
    _, takes = first
    return answers == arguments[n_given:] and list(takes(arguments)) == arguments[:n_given]


def _drop_unused(block: ir.Block) -> _Picker:
    """Remove unused arguments, and return the picker of the used ones."""
    used = [i for i, x in enumerate(block.arguments) if next(x.uses, None) is not None]
    for i in range(len(block.arguments) - 1, -1, -1):
        if i not in used:
            block.erase_argument(i)
    return picker(used)


def _in_place(
    before: list[tuple[Called, _Picker]], rest: Recipe | None, given: Sequence[ir.Type]
) -> Recipe | None:
    """Ops of all the calls, in sequence."""
    if rest is None or any(how.inline is None for how, _ in before):
        return None
    block, module = side_block(given)
    with ir.InsertionPoint(block):
        values: list[ir.Value] = list(block.arguments)
        for how, takes in before:
            assert how.inline is not None
            values += replay(how.inline, takes(values))
        return read(block, replay(rest, values), module)


# -- functions of one module ----------------------------------------------------------------------


class Shared:
    """Functions that the expansions in one module call."""

    def __init__(self, taken: Sequence[str], lower: Callable[[ir.Operation], None]) -> None:
        self._taken = set(taken)
        self._lower = lower
        #: Functions called in the module by identity, with their names and the attributes of calls.
        self._found: dict[int, tuple[Called, str, dict[str, ir.Attribute]]] = {}
        #: Functions called in separate expansions, by name.
        self._separate: dict[str, Called] = {}
        self._depth = 0  # nesting of expansions in progress

    def __enter__(self) -> "Shared":
        self._outer, _current.shared = _current.shared, self
        return self

    def __exit__(self, *_: object) -> None:
        _current.shared = self._outer

    def lower_expansion(self, module: ir.Operation) -> None:
        """Lower an expansion, with all of its ops inlined except its preceding calls."""
        if self._depth == _DEEPEST:  # each takes stack space, which C++ does not check
            raise RecursionError("expansions of expansions of expansions")
        self._depth += 1
        try:
            self._lower(module)
        finally:
            self._depth -= 1

    def may_call(self, how: Called, op: ir.Operation, xs: Sequence[ir.Value]) -> bool:
        """Whether an op may be outlined.

        Only in a function or its control flow, not in a body of scalars; and inside another
        expansion only if it is expensive, and not in a branch, before which it would be computed.
        """
        outer = inner = op.parent.operation
        while outer.name in CONTROL_FLOW:
            outer = outer.parent.operation
        if outer.name != "func.func":
            return False
        return not self._depth or (
            how.is_costly and outer == inner and all(isinstance(x, ir.BlockArgument) for x in xs)
        )

    def call(self, how: Called, xs: Sequence[ir.Value]) -> list[ir.Value]:
        """Emit the calls of an op, and return its results."""
        if self._depth:
            return self._stand_in(how, xs)
        values = xs
        if how.before:
            values = list(xs)
            for inner, takes in how.before:
                values += self.call(inner, takes(values))
        found = self._found.get(id(how)) or self._named(how)
        op_name = _PURE if how.is_pure else "func.call"
        call = _create(op_name, how.types, how.takes(values), found[2])
        return [call.result] if len(how.types) == 1 else list(call.results)

    def _stand_in(self, how: Called, xs: Sequence[ir.Value]) -> list[ir.Value]:
        """One placeholder for all calls of an op in a separate expansion, pulled out later."""
        name = str(id(how))
        self._separate[name] = how
        attributes = {"callee": ir.FlatSymbolRefAttr.get(name)}
        return list(_create(_PURE, how.types, xs, attributes).results)

    def _named(self, how: Called) -> tuple[Called, str, dict[str, ir.Attribute]]:
        name = self._fresh(how.name)
        found = self._found[id(how)] = how, name, {"callee": ir.FlatSymbolRefAttr.get(name)}
        return found

    def _fresh(self, wanted: str) -> str:
        name, n = wanted, 0
        while name in self._taken:
            n += 1
            name = f"{wanted}_{n}"
        self._taken.add(name)
        return name

    def expansion_of(self, call: ir.Operation) -> Called:
        """The expansion that a call in a separate expansion calls."""
        return self._separate[callee_of(call)]

    def add_to(self, module: ir.Operation) -> None:
        """Add the called functions before the others, in the order of their first use."""
        if not self._found:
            return
        found = list(self._found.values())
        if any(how.is_costly for how, _, _ in found) and _shrinks(module):
            calls = [op for op in find(module, _PURE, "func.call") if "callee" in op.attributes]
            called = set(map(callee_of, calls))
            found = [named for named in found if named[1] in called]
        rewrite.walk_and_apply_patterns(module, _calls())
        first = ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0])
        for how, name, _ in found:
            copy = how.function.clone(ip=first).operation
            copy.attributes["sym_name"] = ir.StringAttr.get(name, module.context)


def _shrinks(module: ir.Operation) -> bool:
    """Eliminate common subexpressions and dead code; return whether there were any."""
    before = _size(module)
    run_native("func.func(trivial-dce),cse", module.operation)
    return _size(module) < before


def _size(module: ir.Operation) -> int:
    """Number of ops, with those in regions."""
    return sum(1 for _ in nested_ops(module))


@cache
def _calls() -> Any:
    """Patterns that turn placeholders of pure calls into calls."""
    called = '(%xs : !pdl.range<value>) {"callee" = %callee} -> (%types : !pdl.range<type>)'
    module = ir.Module.parse(f"""
pdl.pattern : benefit(1) {{
  %callee = pdl.attribute
  %xs = pdl.operands
  %types = pdl.types
  %op = pdl.operation "{_PURE}"{called}
  pdl.rewrite %op {{
    %call = pdl.operation "func.call"{called}
    pdl.replace %op with %call
  }}
}}""")  # must outlive `freeze`
    return rewrite.PDLModule(module).freeze()


_create = ir.Operation.create


class _Current(threading.local):
    shared: Shared | None = None


_current = _Current()


def current() -> Shared:
    """Functions of the module that is being lowered."""
    assert _current.shared is not None
    return _current.shared
