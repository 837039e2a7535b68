"""What the ops that have no one counterpart become: each expansion written down once.

An op that lowers by its own rule, or that is one of CHLO, is matched by a Python pattern.  What it
becomes depends on types and parameters alone, so it is worked out once for each (Note [Recipes]);
a short expansion is then built in place of the op, a long one called.  Note [Long expansions].
"""

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from anvl.dialect.blocks import side_block
from anvl.dialect.errors import MissingRule, PassError
from anvl.dialect.mlir import PassManager, ir, rewrite
from anvl.dialect.op import OPS, AnvlOp
from anvl.dialect.recipes import Recipe, inside, read, replay, type_number, written_from
from anvl.passes.hlo import Hlo

__all__ = ["NAME", "Shared", "expansions", "legalize_chlo"]

NAME = "anvl-lower-to-stablehlo"
_LEGALIZE_CHLO = "builtin.module(func.func(chlo-legalize-to-stablehlo))"

# Note [Long expansions]
#
# The incomplete beta function is 400 ops of StableHLO.  A program that has it a hundred times would
# be 40,000 ops to build, to print and to read again, for every pass and for the plugin.  So an
# expansion of more than `_LONGEST` ops is a private function of the module, named for the op, and
# the op becomes a call of it, which XLA inlines.  Two kinds stay in place: what calls a routine of
# the platform, since a copy of that can only be saved where `cse` sees it; and what is in the body
# of another op, where plugins expect plain ops.

_LONGEST = 8
_DEEPEST = 16


@lru_cache(8)
def expansions(platform: str, composite: bool, known: int) -> Any:
    """All ops that are no mere renames, as one frozen set of Python patterns.

    `composite` ones first: they emit ops of the dialect, which lower after them.  `known` is how
    many ops there are: with a new one, the set is made anew.
    """
    patterns, hlo = rewrite.RewritePatternSet(), Hlo(platform)
    for name, op_class in OPS.items():
        by_rule = op_class.hlo is None and op_class.has_rule("lower")
        if (by_rule or _is_chlo(op_class)) and op_class.composite == composite:
            patterns.add(name, _pattern(op_class, hlo))
    return patterns.freeze()


def _is_chlo(op_class: type[AnvlOp]) -> bool:
    return op_class.hlo is not None and op_class.hlo.startswith("chlo.")


def _pattern(op_class: type[AnvlOp], hlo: Hlo) -> Callable[[Any, Any], None]:
    is_ours = op_class.__module__.startswith("anvl.dialect.")
    known: dict[Any, Any] = {}

    def lower(op: Any, rewriter: Any) -> None:
        operation = op.operation
        xs = tuple(operation.operands)
        with rewriter.ip, operation.location:
            how = None if op_class.bodies else _known(op_class, known, hlo, operation, xs)
            if type(how) is _Function and not _may_call(operation):
                how = how.inline
            new: list[Any] | None
            if type(how) is Recipe:
                new = replay(how, xs)
            elif type(how) is _Function:
                new = _call(how, operation, xs)
            else:
                new = _asked(op_class, hlo, operation, xs)
        if new is None:  # a borrowed op may stay as it is
            return
        if not is_ours:
            _check_lowered(op_class, operation, new)
        rewriter.replace_op(op, new)

    return lower


def _asked(
    op_class: type[AnvlOp], hlo: Hlo, op: ir.Operation, xs: Sequence[ir.Value]
) -> list[Any] | None:
    """What the rule makes of an op: its results, or None if it stays."""
    try:
        if op_class.hlo is not None:
            attributes = dict(op.attributes.items())
            new = _create(op_class.hlo, [y.type for y in op.results], xs, attributes).results
            return list(new)
        new = op_class.lower(hlo, *xs, **op_class.read(op))
    except MissingRule as error:
        raise PassError(NAME, str(error), str(op.location)) from None
    except Exception as error:  # of a rule's author: it stays as it is, and says where
        error.location = str(op.location)  # type: ignore[attr-defined]
        raise
    if new is None and op_class.borrowed:
        return None
    return list(new) if op_class.multiple_results and new is not None else [new]


_create = ir.Operation.create


def _check_lowered(op_class: type[AnvlOp], op: ir.Operation, values: list[Any]) -> None:
    """Refuse what cannot stand for the op: MLIR would take it, and fail later or not at all."""
    wanted = [y.type for y in op.results]
    found = [x.type if isinstance(x, ir.Value) else x for x in values]
    if found != wanted:
        raise PassError(
            NAME,
            f"{op_class.short_name}: its `lower` rule gives {', '.join(map(str, found))}, "
            f"but the op is {', '.join(map(str, wanted))}",
            str(op.location),
        )


# -- expansions that are known ---------------------------------------------------------------------


class _Function(NamedTuple):
    """A long expansion: a function to copy, the module that it is in, and how to do without."""

    name: str
    function: ir.Operation
    owner: ir.Module
    inline: Recipe | None


def _known(
    op_class: type[AnvlOp],
    known: dict[Any, Any],
    hlo: Hlo,
    op: ir.Operation,
    xs: Sequence[ir.Value],
) -> Any:
    """The expansion of an op as a recipe or a function, or None: ask the rule."""
    written_from(known, op_class.lower.__func__)  # type: ignore[attr-defined]
    types = [y.type for y in (*xs, *op.results)]
    try:
        attributes = op.attributes.items() if op_class.params else ()
    except TypeError:  # complex: the bindings have no class for it
        return None
    key = (*map(type_number, types), *attributes)
    try:
        return known[key]
    except KeyError:
        if len(known) >= _MAX_KNOWN:
            known.clear()
        known[key] = found = _worked_out(op_class, hlo, op, xs)
        return found


_MAX_KNOWN = 4096


def _worked_out(
    op_class: type[AnvlOp], hlo: Hlo, op: ir.Operation, xs: Sequence[ir.Value]
) -> Recipe | _Function | None:
    """Have the rule emit its ops in a function on the side, and lower that."""
    assert _current.shared is not None
    try:
        with ir.Location.name(op_class.short_name):
            block, module = side_block([x.type for x in xs])
            with ir.InsertionPoint(block):
                # A tuple: given a list of MLIR's own, `create` is left with values that are gone.
                answers = _asked(op_class, hlo, op, tuple(block.arguments))
                if answers is None:
                    return None
                _create("func.return", [], answers)
            is_lowered = all(map(_is_stablehlo, inside(module.operation)))
            del block, answers  # no handle survives a rewrite
            if not is_lowered:
                _current.shared.lower_aside(module.operation)
        return _short_or_long(op_class, module, op)
    except Exception:  # asked about the op itself, the rule says what is wrong
        return None


def legalize_chlo(module: ir.Operation) -> None:
    """Turn the ops of CHLO into StableHLO, by the pass that StableHLO brings."""
    manager = PassManager.parse(_LEGALIZE_CHLO, module.context)
    manager.enable_verifier(False)
    manager.run(module)


def _short_or_long(
    op_class: type[AnvlOp], module: ir.Module, op: ir.Operation
) -> Recipe | _Function | None:
    function = module.body.operations[0].operation
    block = function.regions[0].blocks[0]
    names = [i.name for i in inside(function)]
    *_, terminator = [o.operation for o in block.operations]
    recipe = read(block, list(terminator.operands), module)
    if len(block.operations) <= _LONGEST + 1 or "stablehlo.custom_call" in names:
        return recipe
    signature = ir.FunctionType.get([x.type for x in block.arguments], [y.type for y in op.results])
    function.attributes["function_type"] = ir.TypeAttr.get(signature)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")
    return _Function(op_class.short_name, function, module, recipe)


def _is_stablehlo(op: ir.Operation) -> bool:
    return op.name.startswith(("stablehlo.", "func."))


def _may_call(op: ir.Operation) -> bool:
    """Whether an op may become a call: not in the body of another op, and not in an expansion."""
    assert _current.shared is not None
    return _current.shared.depth == 0 and op.parent.operation.name == "func.func"


# -- the functions of one module -------------------------------------------------------------------


class Shared:
    """The functions that the expansions in one module call."""

    def __init__(self, taken: Sequence[str], lower: Callable[[ir.Operation], None]) -> None:
        self._taken = set(taken)
        self._lower = lower
        self._found: dict[int, tuple[_Function, str]] = {}
        #: How many expansions are being worked out, one for another; they call no functions.
        self.depth = 0

    def __enter__(self) -> "Shared":
        self._outer, _current.shared = _current.shared, self
        return self

    def __exit__(self, *_: object) -> None:
        _current.shared = self._outer

    def lower_aside(self, module: ir.Operation) -> None:
        """Lower an expansion, with all in it in its place."""
        if self.depth == _DEEPEST:  # each takes part of the stack, and C++ does not look
            raise RecursionError("expansions of expansions of expansions")
        self.depth += 1
        try:
            self._lower(module)
        finally:
            self.depth -= 1

    def name_of(self, function: _Function) -> str:
        """How the module calls a function."""
        known = self._found.get(id(function))
        if known is None:
            known = self._found[id(function)] = function, self._fresh(function.name)
        return known[1]

    def _fresh(self, wanted: str) -> str:
        name, n = wanted, 0
        while name in self._taken:
            n += 1
            name = f"{wanted}_{n}"
        self._taken.add(name)
        return name

    def add_to(self, module: ir.Operation) -> None:
        """Put the functions that are called before the others, in the order of their first use."""
        if not self._found:
            return
        first = ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0])
        for function, name in self._found.values():
            copy = function.function.clone(ip=first).operation
            copy.attributes["sym_name"] = ir.StringAttr.get(name, module.context)


class _Current(threading.local):
    shared: Shared | None = None


_current = _Current()


def _call(function: _Function, op: ir.Operation, xs: Sequence[ir.Value]) -> list[ir.Value]:
    assert _current.shared is not None
    name = ir.FlatSymbolRefAttr.get(_current.shared.name_of(function))
    return list(_create("func.call", [y.type for y in op.results], xs, {"callee": name}).results)
