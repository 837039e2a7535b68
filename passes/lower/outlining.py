"""Long expansions: functions of the module, which the ops that they stand for call."""

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from anvl.dialect.control_flow.case import CONTROL_FLOW
from anvl.dialect.core.mlir import PassManager, ir, rewrite
from anvl.dialect.core.side_block import side_block
from anvl.dialect.interpreters.emission_cache import Recipe, inside, picker, read, replay
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import callee_of, terminator_of

__all__ = ["Called", "Shared", "current", "short_or_long"]

# Note [Long expansions]
#
# The incomplete beta function is 400 ops of StableHLO.  A program that has it a hundred times would
# be 40,000 ops to build, to print and to read again, for every pass and for the plugin.  So an
# expansion of more than `_LONGEST` ops is a private function of the module, named for the op, and
# the op becomes a call of it, which XLA inlines.  In the body of another op it stays in place:
# there, plugins expect plain ops.
#
# Some expansions are costly to run: they call a routine of the platform, or loop.  XLA computes
# such a thing as often as it is written, so what is written must be shared:
#
# * An op whose expansion begins with a costly one (`solve` begins with `lu`) is two calls, of
#   that one and of the rest: `solve` of a matrix, the `solve` in its derivative and the
#   determinant have one factorisation between them.
# * Of calls of one function with the same operands, one is left; and a call whose results nobody
#   uses goes.  MLIR's `cse` does that, but leaves calls alone, which may do anything.  So these,
#   which do not, are written as casts, MLIR's stand-in for what is still to be made, until it ran.

_LONGEST = 6
_OF_COPY = 3  # an op with regions is copied, which takes as long as to build some
_DEEPEST = 16
_COSTLY = ("stablehlo.custom_call", "stablehlo.while")
_PURE = "builtin.unrealized_conversion_cast"

_Picker = Callable[[Any], Sequence[ir.Value]]


class Called(NamedTuple):
    """A long expansion: a function to copy, what to call before it, and how to do without."""

    name: str
    function: ir.Operation
    owner: ir.Module
    #: What it begins with, each with the operands it takes of the values so far, the op's first.
    before: tuple[tuple["Called", _Picker], ...]
    takes: _Picker
    types: list[ir.Type]
    is_pure: bool
    is_costly: bool
    inline: Recipe | None


def short_or_long(
    name: str, module: ir.Module, types: list[ir.Type], is_pure: bool
) -> Recipe | Called | None:
    """The expansion in the one function of a module, for an op with results of these types."""
    function = module.body.operations[0].operation
    block = function.regions[0].blocks[0]
    given = [x.type for x in block.arguments]
    before = _pulled_out(block)
    answers = list(terminator_of(block).operands)
    if len(before) == 1 and _is_all(block, before[0], len(given), answers):
        return before[0][0]
    recipe = read(block, answers, module)
    ops = [op for op in inside(function) if not op.name.endswith(".return")]
    length = sum(_OF_COPY if len(op.regions) else 1 for op in ops)
    if length <= _LONGEST and not before:
        return recipe
    inline = _in_place(before, recipe, given) if before else recipe
    is_costly = is_pure and (bool(before) or any(op.name in _COSTLY for op in ops))
    takes = _drop_unused(block)
    signature = ir.FunctionType.get([x.type for x in block.arguments], types)
    function.attributes["function_type"] = ir.TypeAttr.get(signature)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")
    return Called(name, function, module, tuple(before), takes, types, is_pure, is_costly, inline)


def _pulled_out(block: ir.Block) -> list[tuple[Called, _Picker]]:
    """Make the results of what an expansion begins with arguments of the rest."""
    found: list[tuple[Called, _Picker]] = []
    known: dict[Any, list[ir.Value]] = {}
    for op in [o.operation for o in block.operations if o.operation.name == _PURE]:
        if "callee" not in op.attributes:  # of a person's rule
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
    """Whether an expansion is just what it begins with."""
    arguments = list(block.arguments)
    _, takes = first
    return answers == arguments[n_given:] and list(takes(arguments)) == arguments[:n_given]


def _drop_unused(block: ir.Block) -> _Picker:
    """Take out arguments that nobody uses; what picks the others' values."""
    used = [i for i, x in enumerate(block.arguments) if next(x.uses, None) is not None]
    for i in range(len(block.arguments) - 1, -1, -1):
        if i not in used:
            block.erase_argument(i)
    return picker(used)


def _in_place(
    before: list[tuple[Called, _Picker]], rest: Recipe | None, given: Sequence[ir.Type]
) -> Recipe | None:
    """The ops of all the calls, one after the other."""
    if rest is None or any(how.inline is None for how, _ in before):
        return None
    block, module = side_block(given)
    with ir.InsertionPoint(block):
        values: list[ir.Value] = list(block.arguments)
        for how, takes in before:
            assert how.inline is not None
            values += replay(how.inline, takes(values))
        return read(block, replay(rest, values), module)


# -- the functions of one module -------------------------------------------------------------------


class Shared:
    """The functions that the expansions in one module call."""

    def __init__(self, taken: Sequence[str], lower: Callable[[ir.Operation], None]) -> None:
        self._taken = set(taken)
        self._lower = lower
        #: What is called in the module, by its identity: itself, its name, its calls' attributes.
        self._found: dict[int, tuple[Called, str, dict[str, ir.Attribute]]] = {}
        #: What is called in expansions on the side, by name.
        self._aside: dict[str, Called] = {}
        self._depth = 0  # how many expansions are being worked out, one for another

    def __enter__(self) -> "Shared":
        self._outer, _current.shared = _current.shared, self
        return self

    def __exit__(self, *_: object) -> None:
        _current.shared = self._outer

    def lower_aside(self, module: ir.Operation) -> None:
        """Lower an expansion, with all in it in its place but for what it begins with."""
        if self._depth == _DEEPEST:  # each takes part of the stack, and C++ does not look
            raise RecursionError("expansions of expansions of expansions")
        self._depth += 1
        try:
            self._lower(module)
        finally:
            self._depth -= 1

    def may_call(self, how: Called, op: ir.Operation, xs: Sequence[ir.Value]) -> bool:
        """An op is outlined only where a call may stand: in a function, or in its control flow, not
        in a body of scalars; and inside another expansion only if it is expensive."""
        outer = op.parent.operation
        while outer.name in CONTROL_FLOW:
            outer = outer.parent.operation
        if outer.name != "func.func":
            return False
        return not self._depth or (
            how.is_costly and all(isinstance(x, ir.BlockArgument) for x in xs)
        )

    def call(self, how: Called, xs: Sequence[ir.Value]) -> list[ir.Value]:
        """The results of an op, from calls."""
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
        """All the calls of an op in an expansion on the side, as one, until they are pulled out."""
        name = str(id(how))
        self._aside[name] = how
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
        """What a call in an expansion on the side calls."""
        return self._aside[callee_of(call)]

    def add_to(self, module: ir.Operation) -> None:
        """Put the functions that are called before the others, in the order of their first use."""
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
    """Share what is computed twice, and drop what nobody uses; whether there was such a thing."""
    before = _size(module)
    manager = PassManager.parse("builtin.module(func.func(trivial-dce),cse)", module.context)
    manager.enable_verifier(False)
    manager.run(module)
    return _size(module) < before


def _size(module: ir.Operation) -> int:
    """How many ops there are, with those in regions."""
    return sum(1 for _ in inside(module))


@cache
def _calls() -> Any:
    """Calls that were written as something pure become calls."""
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
    """The functions of the module that is being lowered."""
    assert _current.shared is not None
    return _current.shared
