"""Patterns that expand ops without a single counterpart in StableHLO; each expansion is cached.

An op with a `lower` rule, or with a counterpart in CHLO, is matched by a Python pattern, and so is
a user's op that is renamed, which the op of StableHLO may not fit.  An
expansion depends only on types and parameters, so it is computed once for each (Note [Recipes]); a
short expansion then replaces the op, a long one is called.  See Note [Long expansions].
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.mlir import ir, rewrite
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import OPS, ops_with_rule
from anvl.dialect.core.side_block import side_block
from anvl.dialect.interpreters.common import written_at
from anvl.dialect.interpreters.emission_cache import Recipe, clear_if_replaced, nested_ops, replay
from anvl.dialect.ops.elementwise.upcast import in_wide
from anvl.passes.framework.managers import run_native
from anvl.passes.framework.verification import fault_of
from anvl.passes.lower.hlo_builder import Hlo, maker
from anvl.passes.lower.outlining import Called, current, short_or_long

__all__ = ["NAME", "expansions", "is_users_rename", "legalize_chlo", "target_name"]

NAME = "anvl-lower-to-stablehlo"


@lru_cache(8)
def expansions(platform: str, routines: str, known: int) -> Any:
    """Python patterns, as one frozen set, for all ops that are not merely renamed.

    `known` is the number of registered ops: a new op makes a new set.
    """
    patterns, hlo = rewrite.RewritePatternSet(), Hlo(platform, routines)
    of_chlo = [op_class for op_class in OPS.values() if _is_chlo(op_class)]
    for op_class in (*ops_with_rule("lower"), *of_chlo):
        patterns.add(op_class.OPERATION_NAME, _pattern(op_class, hlo))
    for op_class in filter(is_users_rename, OPS.values()):
        patterns.add(op_class.OPERATION_NAME, _renaming(op_class))
    return patterns.freeze()


def is_users_rename(op_class: type[AnvlOp]) -> bool:
    """Whether an op that is not of this library has another name in StableHLO, and no rule."""
    has_name = op_class.hlo is not None and not _is_chlo(op_class)
    return has_name and not _is_from_library(op_class)


def _is_chlo(op_class: type[AnvlOp]) -> bool:
    return op_class.hlo is not None and op_class.hlo.startswith("chlo.")


def _is_from_library(op_class: type[AnvlOp]) -> bool:
    return op_class.__module__.startswith("anvl.dialect.")


def _pattern(op_class: type[AnvlOp], hlo: Hlo) -> Callable[[Any, Any], None]:
    from_library = _is_from_library(op_class)
    is_already_legal = op_class.is_already_legal if op_class.borrowed else None
    known: dict[Any, Any] = {}

    def lower(op: Any, rewriter: Any) -> None:
        operation = op.operation
        if is_already_legal is not None and is_already_legal(operation):
            return
        xs = tuple(operation.operands)
        with rewriter.ip, operation.location:
            how = None if op_class.bodies else _known(op_class, known, hlo, operation, xs)
            if type(how) is Called and not current().may_call(how, operation, xs):
                how = how.inline
            if type(how) is Recipe:
                new = replay(how, xs)
            elif type(how) is Called:
                new = current().call(how, xs)
            else:
                new = _from_rule(op_class, hlo, operation, xs)
        if not from_library:
            _check_lowered(op_class, operation, new)
            _check_valid(op_class, operation, new)
        rewriter.replace_op(op, new)

    return lower


def _renaming(op_class: type[AnvlOp]) -> Callable[[Any, Any], None]:
    """Pattern that renames a user's op, and raises `PassError` if that makes an invalid op."""
    name = target_name(op_class)

    def rename(op: Any, rewriter: Any) -> None:
        given = op.operation.attributes
        attributes = {key: given[key] for key in op_class.attribute_params if key in given}
        types, xs = [y.type for y in op.operation.results], list(op.operation.operands)
        with rewriter.ip, op.operation.location:
            new = _create(name, types, xs, attributes)
        if fault := fault_of(new):
            problem = f"it is defined to become {name}, which is invalid here: {fault}"
            raise PassError(NAME, f"{op_class.short_name}: {problem}", str(op.operation.location))
        rewriter.replace_op(op, new)

    return rename


def target_name(op_class: type[AnvlOp]) -> str:
    """Name of the op that an op is renamed to, with its dialect."""
    name = op_class.hlo or ""
    return name if "." in name else f"stablehlo.{name}"


def _from_rule(
    op_class: type[AnvlOp], hlo: Hlo, op: ir.Operation, xs: Sequence[ir.Value]
) -> list[Any]:
    """Results that the rule emits for an op."""
    try:
        if op_class.hlo is not None:
            return _of_chlo(op_class.hlo, op, xs)
        new = op_class.lower(hlo, *xs, **op_class.read(op))
    except MissingRule as error:
        raise PassError(NAME, str(error), str(op.location)) from None
    except Exception as error:  # raised by a rule's author: unchanged, with a location
        error.location = str(op.location)  # type: ignore[attr-defined]
        raise
    return list(new) if op_class.multiple_results and new is not None else [new]


def _of_chlo(name: str, op: ir.Operation, xs: Sequence[ir.Value]) -> list[ir.Value]:
    """Emit an op of CHLO; 8-bit floats, some of which it cannot legalize, in f32."""
    attributes, types = dict(op.attributes.items()), [y.type for y in op.results]
    element = xs[0].type.element_type
    if isinstance(element, ir.FloatType) and element.width < 16 and types == [xs[0].type]:
        return [in_wide(lambda *ws: _create(name, [ws[0].type], ws, attributes).result, *xs)]
    return list(_create(name, types, xs, attributes).results)


_create = ir.Operation.create


def _check_lowered(op_class: type[AnvlOp], op: ir.Operation, values: list[Any]) -> None:
    """Raise `PassError` for results that cannot replace the op; MLIR may not notice."""
    wanted = [y.type for y in op.results]
    found = [x.type if isinstance(x, ir.Value) else x for x in values]
    if found != wanted:
        raise PassError(
            NAME,
            f"{op_class.short_name}: its `lower` rule returns {', '.join(map(str, found))}, "
            f"but the op's results are {', '.join(map(str, wanted))}{_rule_at(op_class)}",
            str(op.location),
        )


def _check_valid(op_class: type[AnvlOp], op: ir.Operation, values: list[Any]) -> None:
    """Raise `PassError` for an invalid op among those that a rule computes its results with."""
    known, todo = set(op.operands), list(values)
    while todo:
        value = todo.pop()
        emitted = maker(value)
        if value in known or emitted is None:
            continue
        if fault := fault_of(emitted):
            problem = f"its `lower` rule emits an invalid op: {fault}{_rule_at(op_class)}"
            raise PassError(NAME, f"{op_class.short_name}: {problem}", str(op.location))
        known.update(emitted.results)
        todo += emitted.operands


def _rule_at(op_class: type[AnvlOp]) -> str:
    place = written_at(op_class, "lower")
    return place and f"; the rule is at {place}"


# -- cached expansions ----------------------------------------------------------------------------


def _known(
    op_class: type[AnvlOp],
    known: dict[Any, Any],
    hlo: Hlo,
    op: ir.Operation,
    xs: Sequence[ir.Value],
) -> Any:
    """Cached expansion of an op, as a recipe or a function; None to call the rule."""
    clear_if_replaced(known, op_class.lower.__func__)  # type: ignore[attr-defined]
    try:
        attributes = op.attributes.items() if op_class.params else ()
    except TypeError:  # complex: the bindings have no class for it
        return None
    key = (*[x.type for x in xs], *op.results.types, *attributes)
    try:
        return known[key]
    except KeyError:
        if len(known) >= _MAX_KNOWN:
            known.clear()
        known[key] = found = _expanded(op_class, hlo, op, xs)
        return found


_MAX_KNOWN = 4096


def _expanded(
    op_class: type[AnvlOp], hlo: Hlo, op: ir.Operation, xs: Sequence[ir.Value]
) -> Recipe | Called | None:
    """Run the rule in a separate function, and lower that."""
    try:
        with ir.Location.name(op_class.short_name):
            block, module = side_block([x.type for x in xs])
            with ir.InsertionPoint(block):
                # A tuple: given MLIR's own list, `create` would keep invalidated values.
                answers = _from_rule(op_class, hlo, op, tuple(block.arguments))
                _check_lowered(op_class, op, answers)
                if not _is_from_library(op_class):
                    _check_valid(op_class, op, answers)
                _create("func.return", [], answers)
            is_lowered = all(map(_is_stablehlo, nested_ops(module.operation)))
            del block, answers  # no handle survives a rewrite
            if not is_lowered:
                current().lower_expansion(module.operation)
    except Exception:  # called on the op itself, the rule raises the error
        return None
    with ir.Location.name(op_class.short_name):
        types = [y.type for y in op.results]
        return short_or_long(op_class.short_name, module, types, op_class.pure)


def legalize_chlo(module: ir.Operation) -> None:
    """Lower CHLO to StableHLO, by StableHLO's own pass."""
    run_native("func.func(chlo-legalize-to-stablehlo)", module)


def _is_stablehlo(op: ir.Operation) -> bool:
    return op.name.startswith(("stablehlo.", "func."))
