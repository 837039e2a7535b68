"""anvl-lower-to-stablehlo: every anvl op becomes what its `hlo` names or its `lower` builds.

Renames are PDL patterns (0.3 us an op), the rest Python patterns (3 us); both run in MLIR's own
pattern driver.  CHLO ops, of which some of ours are renames, are legalized by MLIR's own pass.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from anvl.dialect.errors import MissingRule, PassError
from anvl.dialect.mlir import PassManager, ir, rewrite
from anvl.dialect.op import OPS, AnvlOp
from anvl.dialect.ops.create import splat
from anvl.dialect.params import Direction, Ints
from anvl.dialect.recipes import Recipe, learn, replay, type_number, written, written_from
from anvl.dialect.types import element_type, tensor
from anvl.passes.find import find
from anvl.passes.pass_ import Pass, option

__all__ = ["Hlo", "LowerToStablehlo"]

_NAME = "anvl-lower-to-stablehlo"
_LEGALIZE_CHLO = "builtin.module(func.func(chlo-legalize-to-stablehlo))"


@dataclass(frozen=True)
class LowerToStablehlo(Pass, argument=_NAME):
    """Turn every anvl op into StableHLO.

    Expects no `anvl.captured` (run anvl-hoist-constants) and no `anvl.vjp` (run anvl-gradient).
    Afterwards no anvl op and no CHLO op is left.  Linear algebra calls routines of the platform.
    """

    anchor = "builtin.module"

    platform: str = option("cpu", help="what will run the program, by PJRT's name")

    def run(self, module: ir.Operation) -> None:
        rewrite.walk_and_apply_patterns(module, _expansions(self.platform, True))
        rewrite.walk_and_apply_patterns(module, _renames())
        rewrite.walk_and_apply_patterns(module, _expansions(self.platform, False))
        _check_done(module)
        if find(module, *_chlo_names()):
            manager = PassManager.parse(_LEGALIZE_CHLO, module.context)
            manager.enable_verifier(False)
            manager.run(module)


def _check_done(module: ir.Operation) -> None:
    left = find(module, *_own_names())
    if not left:
        return
    first = left[0]
    names = ", ".join(sorted({op.name for op in left}))
    raise PassError(
        _NAME, f"{names} is left; {OPS[first.name].why_not_lowered}", str(first.location)
    )


@cache
def _own_names() -> tuple[str, ...]:
    return tuple(name for name in OPS if name.startswith("anvl."))


@cache
def _chlo_names() -> tuple[str, ...]:
    return tuple(op.hlo for op in OPS.values() if op.hlo and op.hlo.startswith("chlo."))


# -- renames ---------------------------------------------------------------------------------------


@cache
def _renames() -> Any:
    """All ops that name their StableHLO op, as one frozen set of PDL patterns."""
    text = "\n".join(
        pattern
        for op_class in OPS.values()
        if op_class.hlo is not None
        for pattern in _rename(op_class)
    )
    module = ir.Module.parse(text)  # must outlive `freeze`
    return rewrite.PDLModule(module).freeze()


def _rename(op_class: type[AnvlOp]) -> list[str]:
    """One pattern for each choice of optional attributes; those with more come first."""
    required = [name for name, kind in op_class.attribute_params.items() if not kind.optional]
    optional = [name for name, kind in op_class.attribute_params.items() if kind.optional]
    return [
        _pdl(op_class, [*required, *optional[:n]], benefit=1 + n)
        for n in range(len(optional), -1, -1)
    ]


def _pdl(op_class: type[AnvlOp], attributes: list[str], benefit: int) -> str:
    name = op_class.short_name
    hlo_name = op_class.hlo or ""
    target = hlo_name if "." in hlo_name else f"stablehlo.{hlo_name}"
    declared = "\n".join(f"  %a{i} = pdl.attribute" for i in range(len(attributes)))
    listed = ", ".join(f'"{key}" = %a{i}' for i, key in enumerate(attributes))
    braces = f" {{{listed}}}" if listed else ""
    # Without operands or attributes to name, a range of none would not match: PDL infers both.
    return f"""
pdl.pattern @{name}_{benefit} : benefit({benefit}) {{
{declared}
  %xs = pdl.operands
  %types = pdl.types
  %op = pdl.operation "anvl.{name}"(%xs : !pdl.range<value>){braces} -> (%types : !pdl.range<type>)
  pdl.rewrite %op {{
    %new = pdl.operation "{target}"(%xs : !pdl.range<value>){braces} -> (%types : !pdl.range<type>)
    pdl.replace %op with %new
  }}
}}"""


# -- expansions ------------------------------------------------------------------------------------


@cache
def _expansions(platform: str, composite: bool) -> Any:
    """All ops that lower by their own rule, as one frozen set of Python patterns.

    `composite` ones first: they emit ops of the dialect, which lower after them.
    """
    patterns, hlo = rewrite.RewritePatternSet(), Hlo(platform)
    for name, op_class in OPS.items():
        if op_class.hlo is None and op_class.has_rule("lower") and op_class.composite == composite:
            patterns.add(name, _pattern(op_class, hlo))
    return patterns.freeze()


def _pattern(op_class: type[AnvlOp], hlo: "Hlo") -> Callable[[Any, Any], None]:
    recipes: dict[Any, Any] = {}

    def lower(op: Any, rewriter: Any) -> None:
        operation = op.operation
        xs = tuple(operation.operands)
        with rewriter.ip, operation.location:
            recipe = None if op_class.bodies else _recipe(op_class, recipes, hlo, operation, xs)
            new = _asked(op_class, hlo, operation, xs) if recipe is None else replay(recipe, xs)
        if new is not None:  # a borrowed op may stay as it is
            rewriter.replace_op(op, new)

    return lower


def _asked(
    op_class: type[AnvlOp], hlo: "Hlo", op: ir.Operation, xs: Sequence[ir.Value]
) -> list[ir.Value] | None:
    """What the rule makes of an op: its results, or None if it stays."""
    try:
        new = op_class.lower(hlo, *xs, **op_class.read(op))
    except MissingRule as error:
        raise PassError(_NAME, str(error), str(op.location)) from None
    if new is None:
        return None
    return list(new) if op_class.multiple_results else [new]


def _recipe(
    op_class: type[AnvlOp],
    recipes: dict[Any, Any],
    hlo: "Hlo",
    op: ir.Operation,
    xs: Sequence[ir.Value],
) -> Recipe | None:
    """The recipe for an op, if there is one: Note [Recipes]."""
    written_from(recipes, op_class.lower.__func__)  # type: ignore[attr-defined]
    key = (
        *[type_number(x.type) for x in (*xs, *op.results)],
        *(op.attributes.items() if op_class.params else ()),
    )

    def rule(*values: ir.Value) -> list[ir.Value]:
        new = _asked(op_class, hlo, op, values)
        if new is None:
            raise TypeError("it stays as it is")
        return new

    return learn(recipes, key, lambda: written(rule, [x.type for x in xs]))


class Hlo:
    """Builds StableHLO ops for `lower` rules: `hlo("sine", x, type=x.type)`.

    `platform` is the one that the program will run on.
    """

    def __init__(self, platform: str) -> None:
        self.platform = platform

    def __call__(self, name: str, *xs: ir.Value, type: ir.Type, **attributes: Any) -> ir.Value:
        return _create(f"stablehlo.{name}", [type], xs, attributes or None).result

    def constant(self, type: ir.Type, value: complex) -> ir.Value:
        """An array of `type` whose elements all are `value`."""
        return self("constant", type=type, value=splat(type, value))

    def compare(self, x: ir.Value, y: ir.Value, direction: str) -> ir.Value:
        """Bools: how x compares with y."""
        bools = tensor(x.type.shape, element_type("bool"))
        return self("compare", x, y, type=bools, comparison_direction=Direction.encode(direction))

    def logic(self, name: str, *xs: ir.Value) -> ir.Value:
        """`and`, `or`, `not` of arrays of one type."""
        return self(name, *xs, type=xs[0].type)

    def reduce(
        self,
        xs: list[ir.Value],
        starts: list[ir.Value],
        axes: tuple[int, ...],
        body: str | Callable[..., list[ir.Value]],
    ) -> list[ir.Value]:
        """Combine along `axes`; `body` names a binary op, or is `f(hlo, *best, *next) -> best`."""
        operands = [*xs, *starts]
        template, _ = _template(self, tuple([x.type for x in operands]), axes, body)
        op = template.clone().operation
        for i, x in enumerate(operands):
            op.operands[i] = x
        op.location = ir.Location.current
        return list(op.results)


@lru_cache(1024)
def _template(
    hlo: Hlo,
    types: tuple[Any, ...],
    axes: tuple[int, ...],
    body: str | Callable[..., list[ir.Value]],
) -> tuple[ir.Operation, ir.Module]:
    """A reduce to copy, which is six times faster than to build one: its body is a block of ops.

    With the module that it is in: a handle to an op does not keep that alive.
    """
    kept = [n for i, n in enumerate(types[0].shape) if i not in axes]
    scalars = types[len(types) // 2 :]
    with ir.Location.unknown():
        module = ir.Module.create()
        block = _in_function(module, types)
        with ir.InsertionPoint(block):
            op = _create(
                "stablehlo.reduce",
                [tensor(kept, t.element_type) for t in scalars],
                list(block.arguments),
                {"dimensions": Ints.encode(axes)},
                regions=1,
            )
        inner = op.regions[0].blocks.append(*scalars, *scalars)
        with ir.InsertionPoint(inner):
            if isinstance(body, str):
                best = [hlo(body, *inner.arguments, type=scalars[0])]
            else:
                best = body(hlo, *inner.arguments)
            _create("stablehlo.return", [], best)
    return op, module


def _in_function(module: ir.Module, types: Sequence[Any]) -> ir.Block:
    """The block of a function in a new module, with arguments of these types."""
    function = _create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get("template"),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(types), [])),
        },
        regions=1,
        ip=ir.InsertionPoint(module.body),
    )
    return function.regions[0].blocks.append(*types)


_create = ir.Operation.create
