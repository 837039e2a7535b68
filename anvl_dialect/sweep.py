"""The reverse sweep over one block: the engine of anvl-gradient, and of rules of ops with bodies.

Cotangents are kept per SSA value, so nothing is computed twice; the first contribution is set and
later ones are added; what does not contribute has no cotangent at all (a symbolic zero).  Activity
first: only ops on a path from `wrt` to the seeded values are asked, and only for the operands on
such a path.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from anvl.dialect.errors import MissingRule, PassError
from anvl.dialect.families import differentiable
from anvl.dialect.masked import Masked, settled, summed
from anvl.dialect.mlir import ir
from anvl.dialect.op import AnvlOp
from anvl.dialect.ops.create import full
from anvl.dialect.recipes import Recipe, learn, type_number, written, written_from

__all__ = ["forward_sweep", "sweep"]


# One op on the way: the op, its operands, their numbers, its results, their numbers.  Read from
# MLIR once; values on a path from `wrt` have numbers, so that the rest of the work is on ints, and
# None stands for the others.  A plain tuple: one is made for every op (0.3 us less than a class).
_Step: TypeAlias = tuple[
    Any, tuple[ir.Value, ...], tuple[Any, ...], tuple[ir.Value, ...], tuple[Any, ...]
]


def sweep(
    block: ir.Block,
    seeds: Sequence[tuple[ir.Value, ir.Value]],
    wrt: Sequence[ir.Value],
    location: ir.Location | None = None,
) -> list[ir.Value]:
    """Emit the adjoint ops at the current insertion point; the cotangents of `wrt`.

    `seeds` pairs values of the block with their cotangents.  Values of `wrt` that nothing reaches
    get zeros.  Adjoint ops are named for the ops that they belong to, unless `location` is where
    they all are.  Raises `MissingRule` that lists every op on the way without an adjoint.
    """
    number = {x: i for i, x in enumerate(wrt)}
    types = [type_number(x.type) for x in wrt]
    forward = _from(block, number, types)
    steps = _towards([number[y] for y, _ in seeds if y in number], forward)
    _check_rules(steps, len(wrt))
    cotangents: list[Any] = [None] * len(types)
    for y, g in seeds:
        if y in number:
            known = cotangents[number[y]]
            cotangents[number[y]] = g if known is None else summed(known, g)
    del forward, number
    _backward(steps, cotangents, types, location)
    found = cotangents[: len(wrt)]
    return [full(x.type, 0) if g is None else settled(g) for x, g in zip(wrt, found, strict=True)]


def _from(block: ir.Block, number: dict[ir.Value, int], types: list[int]) -> list[_Step]:
    """The ops that depend on numbered values, in order; their float results get numbers too.

    `types` are those of the numbered values, as `type_number` has them.
    """
    steps: list[_Step] = []
    known = number.get
    forms: dict[type, int] = {}
    for op in list(block.operations):  # a list at once: a fifth less than one by one
        xs = op.operands
        operands = (xs[0], xs[1]) if len(xs) == 2 else tuple(xs)
        wanted = tuple([known(x) for x in operands])
        if wanted.count(None) == len(wanted):
            continue
        rules = type(op)
        form = forms.get(rules)
        if form is None:
            form = forms[rules] = _form(rules)
        if form == _ZERO:
            continue
        # `result` costs a third of `results`, and nearly all ops have one.
        results = (op.result,) if form == _ONE_RESULT else tuple(op.results)
        numbers: list[int | None] = []
        for y in results:
            type_ = type_number(y.type)
            if type_ > 0:
                # A value of `wrt` may itself depend on another: it keeps its number.
                n = number.setdefault(y, len(types))
                if n == len(types):
                    types.append(type_)
                numbers.append(n)
            else:
                numbers.append(None)
        steps.append((op, operands, wanted, results, tuple(numbers)))
    return steps


_ZERO, _ONE_RESULT, _SEVERAL = range(3)


def _form(rules: type) -> int:
    """Whether the derivative of an op is zero by design; else, how many results it may have."""
    if getattr(rules, "zero", ""):
        return _ZERO
    return _SEVERAL if getattr(rules, "multiple_results", True) else _ONE_RESULT


def _towards(targets: Sequence[int], steps: list[_Step]) -> list[_Step]:
    """Of `steps`, those that a target depends on; last to first."""
    reached: set[int | None] = set(targets)
    kept = []
    for step in reversed(steps):
        reached.discard(None)
        if not reached.isdisjoint(step[4]):
            reached.update(step[2])
            kept.append(step)
    return kept


def _backward(
    steps: list[_Step], cotangents: list[Any], types: list[int], here: ir.Location | None
) -> None:
    """Turn the cotangents of results into those of operands, step by step from the last.

    One loop and few calls: this is where compiling a gradient spends most of its time.
    """
    create = ir.Operation.create
    places: dict[type, tuple[ir.Location, ir.Location]] = {}
    steps.reverse()
    while steps:  # each step is let go when it is done: MLIR's handles are dear to keep
        step = steps.pop()
        op, operands, wanted, results, numbers = step
        rules = type(op)
        g = _joined(numbers, cotangents) if rules.multiple_results else cotangents[numbers[0]]
        if g is None:
            continue
        location = op.location
        place = places.get(rules)
        if place is None or place[0] != location:  # most often it is that of the last of its kind
            place = location, here or _adjoint_location(location, rules.short_name)
            places[rules] = place
        with place[1]:
            recipe = None if rules.recipes is None or type(g) is Masked else _recipe(step, types)
            if recipe is None:
                for n, gx in _ask(step, g):
                    known = cotangents[n]
                    cotangents[n] = gx if known is None else summed(known, gx)
                continue
            values = [*operands, results[0], g]
            append = values.append
            for name, result_types, pick, attributes, _ in recipe.builds:
                append(create(name, result_types, pick(values), attributes).result)
            for i, at in recipe.outputs:
                n = wanted[i]
                known = cotangents[n]
                cotangents[n] = values[at] if known is None else summed(known, values[at])


def _recipe(step: _Step, types: list[int]) -> Recipe | None:
    """The recipe of an op, if there is one: Note [Recipes]."""
    op, operands, wanted, _, numbers = step
    rules = type(op)
    key: list[Any] = [
        types[n] if n is not None else -abs(type_number(operands[i].type))
        for i, n in enumerate(wanted)
    ]
    if rules.params:
        key.append(types[numbers[0]])  # some parameters are read off the result
        key += op.attributes.items()
    known = tuple(key)
    recipe = rules.recipes.get(known)
    if type(recipe) is Recipe:
        return recipe
    return learn(rules.recipes, known, lambda: _written(step))


def _written(step: _Step) -> Recipe | None:
    """The adjoint rule of an op as a recipe: of its operands, its result and the cotangent."""
    op, operands, wanted, results, _ = step
    rules = type(op)

    def rule(*values: ir.Value) -> list[Any]:
        *xs, y, g = values
        found = rules.adjoint(g, tuple(xs), y, **rules.read(op.operation))
        return [_checked(op, *row) for row in zip(operands, wanted, found, strict=True)]

    recipe = written(rule, [x.type for x in (*operands, *results, *results)])
    return recipe if recipe is not None and recipe.is_plain else None


def _ask(step: _Step, g: Any) -> list[tuple[int, Any]]:
    """Ask the rule: for each active operand its number and its cotangent."""
    op, operands, wanted, results, _ = step
    rules = type(op)
    mask = None
    if type(g) is Masked:  # an op that is diagonal need not see it: Note [Lazy masks]
        g, mask = (g.g, g) if rules.diagonal else (g(), None)
    y = results if rules.multiple_results else results[0]
    try:
        contributions = rules.adjoint(g, operands, y, **rules.read(op.operation))
        if len(contributions) != len(operands):
            _wrong_number(op.operation, len(contributions), len(operands))
        checked = [_checked(op, *row) for row in zip(operands, wanted, contributions, strict=True)]
    except Exception as error:  # of a rule's author: it stays as it is, and says where
        if not getattr(error, "location", ""):
            error.location = str(op.location)  # type: ignore[attr-defined]
        raise
    found = [(n, gx) for n, gx in zip(wanted, checked, strict=True) if gx is not None]
    return found if mask is None else [(n, mask.of(gx)) for n, gx in found]


def _checked(op: Any, x: ir.Value, n: int | None, gx: Any) -> Any:
    """What a rule gave for the operand x: its cotangent if it is wanted, else None."""
    if gx is None or n is None:
        return None
    if not isinstance(gx, ir.Value | Masked):
        gx = gx()
    if gx.type != x.type:
        _wrong_type(op.operation, x, gx)
    return gx


def _joined(numbers: Sequence[int | None], cotangents: list[Any]) -> Any:
    """What a rule of several results calls g: a tuple, or None if all of it is zero."""
    gs = [None if n is None else cotangents[n] for n in numbers]
    return None if all(g is None for g in gs) else tuple([settled(g) for g in gs])


def _adjoint_location(location: ir.Location, short_name: str) -> ir.Location:
    """Names the forward op that adjoint ops belong to: its Python name where known."""
    name = getattr(location, "name_str", None) or short_name
    return ir.Location.name(f"{name}_adjoint", location)


def _wrong_number(op: ir.Operation, found: int, wanted: int) -> None:
    raise PassError(
        "anvl-gradient",
        f"{op.name}: its adjoint rule gave {found} cotangents for {wanted} operands",
        str(op.location),
    )


def _wrong_type(op: ir.Operation, x: ir.Value, g: ir.Value) -> None:
    raise PassError(
        "anvl-gradient",
        f"{op.name}: its adjoint rule gave a cotangent {g.type} for an operand {x.type}",
        str(op.location),
    )


def forward_sweep(
    block: ir.Block, tangents: dict[ir.Value, ir.Value | None], targets: Sequence[ir.Value]
) -> list[ir.Value | None]:
    """Emit the tangent ops of a block at the current insertion point; the tangents of `targets`.

    `tangents` has those of the inputs.  Only ops that a target depends on are asked; None is zero.
    """
    operations = list(block.operations)
    wanted = set(targets)
    for op in reversed(operations):
        if not wanted.isdisjoint(op.results):
            wanted.update(op.operands)
    known = dict(tangents)
    for op in operations:
        if not wanted.isdisjoint(op.results):
            _push(op, known)
    return [known.get(y) for y in targets]


def _push(op: Any, known: dict[ir.Value, ir.Value | None]) -> None:
    """The tangents of the results of one op, from those of its operands."""
    xs, ys = tuple(op.operands), tuple(op.results)
    ts = [known.get(x) for x in xs]
    if all(t is None for t in ts) or not any(differentiable(y.type) for y in ys):
        return
    rules = type(op)
    operation = op.operation
    with operation.location:
        found = rules.tangent(
            ts, xs, ys if rules.multiple_results else ys[0], **rules.read(operation)
        )
    known.update(zip(ys, found if rules.multiple_results else (found,), strict=True))


# -- what cannot be differentiated -----------------------------------------------------------------


def _check_rules(steps: Sequence[_Step], n_wrt: int) -> None:
    """One error for all ops on the way that have no adjoint."""
    classes = {type(step[0]) for step in steps}
    doubtful = {cls for cls in classes if _may_lack_rules(cls)}
    for cls in classes - doubtful:
        if cls.recipes is not None:
            written_from(cls.recipes, cls.adjoint.__func__, getattr(cls, "passes", None))
    problems = [
        (step, why)
        for step in reversed(steps)
        if type(step[0]) in doubtful and (why := _problem(step))
    ]
    if not problems:
        return
    lines = [
        f"  {step[0].operation.name} at {_place(step[0].operation)}: {why}"
        f" (reached by {_path(step, steps, n_wrt)})"
        for step, why in problems
    ]
    text = f"{len(problems)} of the ops cannot be differentiated:\n" + "\n".join(lines)
    raise MissingRule(text, str(problems[0][0][0].operation.location))


def _may_lack_rules(rules: type) -> bool:
    return not (issubclass(rules, AnvlOp) and rules.has_rule("adjoint") and not rules.undefined)


def _problem(step: _Step) -> str | None:
    rules, wanted = type(step[0]), step[2]
    if not issubclass(rules, AnvlOp):
        return "it is no op of a dialect that has adjoint rules"
    if not rules.has_rule("adjoint"):
        return f"it has no `adjoint` rule; define it on {rules.__name__} in {rules.__module__}"
    for i, reason in rules.undefined_of(len(wanted)).items():
        if wanted[i] is not None:
            return f"operand {i} has no derivative: {reason}"
    return None


def _place(op: ir.Operation) -> str:
    return str(op.location).removeprefix("loc(").removesuffix(")")


def _path(step: _Step, steps: Sequence[_Step], n_wrt: int) -> str:
    """The names of the ops from `wrt` to this one, by the first active operand of each."""
    producer = {n: s for s in steps for n in s[4] if n is not None}
    names = [step[0].operation.name]
    while not any(n is not None and n < n_wrt for n in step[2]):
        step = producer[next(n for n in step[2] if n in producer)]
        names.append(step[0].operation.name)
    return " -> ".join(["wrt", *reversed(names)])
