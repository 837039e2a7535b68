"""anvl-lower-to-stablehlo: every anvl op becomes what its `hlo` names or its `lower` builds.

Renames are PDL patterns (0.3 us an op), the rest Python patterns (3 us); both run in MLIR's own
pattern driver.  CHLO ops, of which some of ours are renames, are legalized by MLIR's own pass.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from anvl.dialect.errors import MissingRule, PassError
from anvl.dialect.mlir import PassManager, ir, rewrite
from anvl.dialect.op import DEFINED, OPS, AnvlOp
from anvl.dialect.ops.create import splat
from anvl.dialect.params import Direction, Ints
from anvl.dialect.types import element_type, tensor
from anvl.passes.find import find
from anvl.passes.pass_ import Pass, option

__all__ = ["Hlo", "LowerToStablehlo"]

_NAME = "anvl-lower-to-stablehlo"
_MOST_ROUNDS = 32  # composites of composites of composites
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
        known = len(DEFINED)  # patterns are kept until there are new ops
        self._lower_once(module, known)
        left = _left(module)
        for _ in range(_MOST_ROUNDS):  # what composites emit may be composites
            if not left:
                break
            names = [op.name for op in left]
            del left  # no handle survives a rewrite
            self._lower_once(module, known)
            left = _left(module)
            if names == [op.name for op in left]:
                raise _unlowered(left)
        if left:
            raise _unlowered(left)
        if find(module, *_chlo_names(known)):
            manager = PassManager.parse(_LEGALIZE_CHLO, module.context)
            manager.enable_verifier(False)
            manager.run(module)

    def _lower_once(self, module: ir.Operation, known: int) -> None:
        rewrite.walk_and_apply_patterns(module, _expansions(self.platform, True, known))
        rewrite.walk_and_apply_patterns(module, _renames(known))
        rewrite.walk_and_apply_patterns(module, _expansions(self.platform, False, known))


def _left(module: ir.Operation) -> list[ir.Operation]:
    """The ops that are still ours, of the anvl dialect or of people's own."""
    return find(module, *_names(len(DEFINED)))


@lru_cache(4)
def _names(known: int) -> tuple[str, ...]:
    return tuple(name for name, op_class in OPS.items() if not op_class.borrowed)


def _unlowered(left: list[ir.Operation]) -> PassError:
    first = left[0]
    op_class = OPS[first.name]
    names = ", ".join(sorted({op.name for op in left}))
    why = op_class.why_not_lowered
    if op_class.hlo or op_class.has_rule("lower"):
        why = "what its `lower` rule emits does not come to an end"
    return PassError(_NAME, f"{names} is left; {why}", str(first.location))


@lru_cache(4)
def _chlo_names(known: int) -> tuple[str, ...]:
    return tuple(op.hlo for op in OPS.values() if op.hlo and op.hlo.startswith("chlo."))


# -- renames ---------------------------------------------------------------------------------------


@lru_cache(4)
def _renames(known: int) -> Any:
    """All ops that name their StableHLO op, as one frozen set of PDL patterns.

    `known` is how many ops there are: with a new one, the set is made anew.
    """
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
    name = op_class.OPERATION_NAME
    hlo_name = op_class.hlo or ""
    target = hlo_name if "." in hlo_name else f"stablehlo.{hlo_name}"
    declared = "\n".join(f"  %a{i} = pdl.attribute" for i in range(len(attributes)))
    listed = ", ".join(f'"{key}" = %a{i}' for i, key in enumerate(attributes))
    braces = f" {{{listed}}}" if listed else ""
    # Without operands or attributes to name, a range of none would not match: PDL infers both.
    return f"""
pdl.pattern @{name.replace(".", "_")}_{benefit} : benefit({benefit}) {{
{declared}
  %xs = pdl.operands
  %types = pdl.types
  %op = pdl.operation "{name}"(%xs : !pdl.range<value>){braces} -> (%types : !pdl.range<type>)
  pdl.rewrite %op {{
    %new = pdl.operation "{target}"(%xs : !pdl.range<value>){braces} -> (%types : !pdl.range<type>)
    pdl.replace %op with %new
  }}
}}"""


# -- expansions ------------------------------------------------------------------------------------


@lru_cache(8)
def _expansions(platform: str, composite: bool, known: int) -> Any:
    """All ops that lower by their own rule, as one frozen set of Python patterns.

    `composite` ones first: they emit ops of the dialect, which lower after them.
    """
    patterns, hlo = rewrite.RewritePatternSet(), Hlo(platform)
    for name, op_class in OPS.items():
        if op_class.hlo is None and op_class.has_rule("lower") and op_class.composite == composite:
            patterns.add(name, _pattern(op_class, hlo))
    return patterns.freeze()


def _pattern(op_class: type[AnvlOp], hlo: "Hlo") -> Callable[[Any, Any], None]:
    is_ours = op_class.__module__.startswith("anvl.dialect.")

    def lower(op: Any, rewriter: Any) -> None:
        operation = op.operation
        try:
            with rewriter.ip, operation.location:
                new = op_class.lower(hlo, *operation.operands, **op_class.read(operation))
        except MissingRule as error:
            raise PassError(_NAME, str(error), str(operation.location)) from None
        except Exception as error:  # of a rule's author: it stays as it is, and says where
            error.location = str(operation.location)  # type: ignore[attr-defined]
            raise
        if new is None and op_class.borrowed:  # it may stay as it is
            return
        values = list(new) if op_class.multiple_results and new is not None else [new]
        if not is_ours:
            _check_lowered(op_class, operation, values)
        rewriter.replace_op(op, values)

    return lower


def _check_lowered(op_class: type[AnvlOp], op: ir.Operation, values: list[Any]) -> None:
    """Refuse what cannot stand for the op: MLIR would take it, and fail later or not at all."""
    wanted = [y.type for y in op.results]
    found = [x.type if isinstance(x, ir.Value) else x for x in values]
    if found != wanted:
        raise PassError(
            _NAME,
            f"{op_class.short_name}: its `lower` rule gives {', '.join(map(str, found))}, "
            f"but the op is {', '.join(map(str, wanted))}",
            str(op.location),
        )


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
