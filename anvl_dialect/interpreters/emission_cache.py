"""Recipes: the emission of a rule, recorded as a list of ops and replayed."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from anvl.dialect.core.create import are_literals_separate, repeated, shared_literals
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.side_block import side_block
from anvl.dialect.interpreters.common import PlainStep, Step
from anvl.dialect.interpreters.masking import Masked

__all__ = [
    "Recipe", "clear_if_replaced", "emitted", "learn", "nested_ops", "picker", "read",
    "recipe_for", "record", "replay", "type_number",
]  # fmt: skip

# Note [Recipes]
#
# The ops that a rule emits depend on the types of its operands, on its parameters, and on which
# operands are active; never on anything else, since a rule sees nothing else.  Programs have few
# such combinations and many ops of each.  So the second time that one occurs, the rule is called in
# a scratch block and its ops are recorded; from the third time on they are built from that list,
# which takes half the time of the rule or less: no type is inspected, no plan looked up.
#
# Some rules have no recipe and are called each time: adjoints that return a mask still to be
# applied (Note [Lazy masks]), ops with bodies, rules that inspect more than types, and rules of ops
# with several results, where zeros among the cotangents would multiply the combinations.

_MAX_RECIPES = 4096


class _Template(NamedTuple):
    """An op to copy; `here` if the ops in its regions take the location of the op."""

    op: ir.Operation
    here: bool


class _Build(NamedTuple):
    """One op to build: its operands are picked from the values so far, its results appended."""

    name: str
    types: list[ir.Type]
    operands: Callable[[Any], Sequence[ir.Value]]
    attributes: dict[str, ir.Attribute] | None
    #: An op to copy instead, if it has regions, or attributes that cannot be read.
    template: _Template | None
    #: The value of a literal, which may be shared: see Note [Shared literals].
    splat: ir.Attribute | None


class Recipe(NamedTuple):
    """The ops of a rule, over a list of values that begins with the inputs of the rule.

    `outputs` pairs the index of an answer of the rule with its index among the values.
    """

    builds: list[_Build]
    outputs: list[tuple[int, int]]
    #: Pick the places of the answers among the operands, and the answers among the values.
    places: Callable[[Any], Sequence[Any]]
    answers: Callable[[Any], Sequence[ir.Value]]
    #: Whether all ops have one result and are built, not copied.
    is_plain: bool
    #: Keeps the templates alive.
    owner: Any


def replay(recipe: Recipe, given: Sequence[ir.Value]) -> list[ir.Value]:
    """Build the ops at the current insertion point; return the answers of the rule."""
    values = list(given)
    for name, types, operands, attributes, template, splat in recipe.builds:
        if splat is not None:
            values.append(repeated(splat))
        elif template is not None:
            values += _copied(template, operands(values)).results
        else:
            values += _create(name, types, operands(values), attributes).results
    return [values[k] for _, k in recipe.outputs]


def emitted(recipe: Recipe, values: list[ir.Value], at: ir.Location) -> list[ir.Value]:
    """Build the ops of a plain recipe at a location; append their results to its inputs, `values`.

    Entering a location takes a fourth of the time of an op, so each op is given it.
    """
    append = values.append
    for name, types, operands, attributes, _, splat in recipe.builds:
        if splat is not None:
            append(repeated(splat, at))
        else:
            append(_create(name, types, operands(values), attributes, None, 0, at).result)
    return values


_create = ir.Operation.create


def _copied(template: _Template, operands: Sequence[ir.Value]) -> ir.Operation:
    """A copy of an op with regions, with other operands, at the current location."""
    op = template.op.clone().operation
    for i, x in enumerate(operands):
        op.operands[i] = x
    op.location = ir.Location.current
    if template.here:
        _place_inside(op, ir.Location.current)
    return op


def _place_inside(op: ir.Operation, here: ir.Location) -> None:
    for region in op.regions:
        for block in region.blocks:
            for argument in block.arguments:
                argument.set_location(here)
            for inner in block.operations:
                inner.operation.location = here
                _place_inside(inner.operation, here)


def recipe_for(
    recipes: dict[Any, Any] | None,
    step: PlainStep,
    ids: Sequence[int | None],
    types: Sequence[int],
    write: Callable[[Step, Sequence[int | None]], Recipe | None],
) -> Recipe | None:
    """The recipe of a derivative of an op, if there is one: Note [Recipes].

    `ids` are the ids of the active operands, `types` the type numbers of all ids.  A new recipe is
    `write(Step(*step), ids)`.
    """
    if recipes is None or are_literals_separate():
        return None
    rules, op, operands, _, _, result_ids = step
    key: tuple[Any, ...]
    if len(ids) == 2:  # most ops
        m, n = ids
        key = (
            types[m] if m is not None else -abs(type_number(operands[0].type)),
            types[n] if n is not None else -abs(type_number(operands[1].type)),
        )
        if m == n and rules.commutative:  # Note [One value twice]
            key += (None,)
    else:
        pairs = zip(operands, ids, strict=True)
        key = tuple([types[n] if n is not None else -abs(type_number(x.type)) for x, n in pairs])
    if not rules.is_inferred:  # some parameters are read off the result
        key += (types[result_ids[0]], *op.attributes.items())
    found = recipes.get(key)
    if type(found) is Recipe:
        return found
    return learn(recipes, key, lambda: write(Step(*step), ids))


def learn(recipes: dict[Any, Any], key: Any, write: Callable[[], Recipe | None]) -> Recipe | None:
    """The recipe for `key`, which covers all that the rule depends on; None: call the rule.

    Recorded on the second request: most keys occur only once.
    """
    if are_literals_separate():
        return None
    found = recipes.get(key)
    if found is None:
        if len(recipes) >= _MAX_RECIPES:
            recipes.clear()
        recipes[key] = _SEEN_ONCE
    elif found is _SEEN_ONCE:
        recipe = write()
        recipes[key] = _NO_RECIPE if recipe is None else recipe
        return recipe
    return found if type(found) is Recipe else None


_SEEN_ONCE, _NO_RECIPE = object(), object()


def clear_if_replaced(recipes: dict[Any, Any], *rule: Any) -> None:
    """Clear the recipes if they were recorded from another rule, which has since been replaced."""
    if recipes.get(None) != rule:
        recipes.clear()
        recipes[None] = rule


def record(
    rule: Callable[..., Sequence[ir.Value | None]],
    types: Sequence[ir.Type],
    *,
    shares_literals: bool = False,
) -> Recipe | None:
    """Record `rule` for values of these types as a recipe; None if that is not possible.

    `shares_literals` is whether it is called where these are shared: Note [Shared literals].
    """
    try:
        with ir.Location.name("recipe"):
            block, module = side_block(types)
            sharing: AbstractContextManager[dict[ir.Attribute, ir.Operation]]
            sharing = shared_literals() if shares_literals else nullcontext({})
            with ir.InsertionPoint(block), sharing as shared:
                answers = rule(*block.arguments)
            literals: dict[ir.Value, ir.Attribute] = {op.result: v for v, op in shared.items()}
            return read(block, answers, module, literals)
    except Exception:  # called for the op itself, the rule raises its own error
        return None


def read(
    block: ir.Block,
    answers: Sequence[Any],
    module: ir.Module,
    literals: Mapping[ir.Value, ir.Attribute] = MappingProxyType({}),
) -> Recipe | None:
    """The ops of a block as a recipe; `literals` are those that the rule shares."""
    if any(type(y) is Masked for y in answers):
        return None
    place = {x: i for i, x in enumerate(block.arguments)}
    builds: list[_Build] = []
    for op in block.operations:
        operation = op.operation
        if operation.name == "func.return":
            break
        results = list(operation.results)
        build = _build_of(operation, results, place, literals)
        if build is None:
            return None
        builds.append(build)
        for y in results:
            place[y] = len(place)
    outputs = [(i, place[y]) for i, y in enumerate(answers) if y is not None]
    is_plain = all(b.template is None and len(b.types) == 1 for b in builds)
    return Recipe(builds, outputs, *_pickers(outputs), is_plain, module)


def _pickers(pairs: Sequence[tuple[int, int]]) -> tuple[Any, Any]:
    """Pick what the first numbers of pairs stand for, and what the second ones do."""
    return picker([i for i, _ in pairs]), picker([k for _, k in pairs])


def _build_of(
    op: ir.Operation,
    results: Sequence[ir.Value],
    place: dict[ir.Value, int],
    literals: Mapping[ir.Value, ir.Attribute],
) -> _Build | None:
    """How an op is built; None if its regions capture a value, which a copy would use too."""
    template = None
    if len(op.regions):
        inner_ops = nested_ops(op)
        if any(x in place for inner in inner_ops for x in inner.operands):
            return None
        template = _Template(op, here=any(inner.location == op.location for inner in inner_ops))
    attributes = None
    try:
        attributes = dict(op.attributes.items()) or None
    except TypeError:  # complex numbers: the bindings have no class for them
        template = template or _Template(op, here=False)
    operands = picker([place[x] for x in op.operands])
    types = [y.type for y in results]
    splat = literals.get(results[0]) if len(results) == 1 else None
    return _Build(op.name, types, operands, attributes, template, splat)


def nested_ops(op: ir.Operation) -> list[ir.Operation]:
    """Ops in the regions of an op, recursively."""
    found = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                operation = inner.operation
                found.append(operation)
                if len(operation.regions):
                    found += nested_ops(operation)
    return found


def picker(places: Sequence[int]) -> Callable[[Any], Sequence[ir.Value]]:
    """Pick items of a list, in C; a slice for one place, as `itemgetter` gives no sequence."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


_type_numbers: dict[ir.Type, int] = {}


def type_number(type_: ir.Type) -> int:
    """Intern a type as an int, since keys of ints are cheap to hash and compare.

    Positive if values of the type carry a derivative, negative if not.
    """
    n = _type_numbers.get(type_)
    if n is None:
        n = len(_type_numbers) + 1
        carries = isinstance(type_, ir.RankedTensorType) and differentiable(type_)
        n = _type_numbers[type_] = n if carries else -n
    return n
