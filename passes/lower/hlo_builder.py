"""`Hlo`, the StableHLO builder of `lower` rules, and helpers that the guards read programs with."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.create import splat
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Direction, Ints
from anvl.dialect.core.types import element_type, kind, tensor, without_axes
from anvl.passes.functions.symbol_utils import is_private

__all__ = [
    "Hlo", "Literals", "differs_everywhere", "hide", "is_hidden", "is_used_in", "maker", "origin",
    "replace_before", "runs_once", "varying_axes",
]  # fmt: skip

_create = ir.Operation.create


class Hlo:
    """Builder of StableHLO ops for `lower` rules: `hlo("sine", x, type=x.type)`.

    `platform` is the one that the program will run on, by PJRT's name, and `routines` the library
    whose custom calls are registered there, such as "lapack", or "none".
    """

    def __init__(self, platform: str = "", routines: str = "none") -> None:
        self.platform, self.routines = platform, routines

    def __call__(self, name: str, *xs: ir.Value, type: ir.Type, **attributes: Any) -> ir.Value:
        return _create(f"stablehlo.{name}", [type], xs, attributes or None).result

    def constant(self, type: ir.Type, value: complex) -> ir.Value:
        """An array of `type` filled with `value`."""
        element = type.element_type
        if not type.rank or kind(element) != "complex":
            return self("constant", type=type, value=splat(type, value))
        # The bindings make complex splats of scalars only.
        scalar = self.constant(tensor([], element), value)
        axes = Ints.encode(())
        return self("broadcast_in_dim", scalar, type=type, broadcast_dimensions=axes)

    def compare(self, x: ir.Value, y: ir.Value, direction: str) -> ir.Value:
        """Compare x with y elementwise."""
        bools = tensor(x.type.shape, element_type("bool"))
        return self("compare", x, y, type=bools, comparison_direction=Direction.encode(direction))

    def logic(self, name: str, *xs: ir.Value) -> ir.Value:
        """Emit `and`, `or` or `not` of arrays of one type."""
        return self(name, *xs, type=xs[0].type)

    def part(self, name: str, x: ir.Value) -> ir.Value:
        """Emit `real` or `imag` of complex numbers."""
        return _create(f"stablehlo.{name}", None, [x], infer_type=True).result

    def reduce(
        self,
        xs: list[ir.Value],
        starts: list[ir.Value],
        axes: tuple[int, ...],
        body: str | Callable[..., list[ir.Value]],
    ) -> list[ir.Value]:
        """Reduce along `axes`; `body` names a binary op, or is `f(hlo, *best, *next) -> best`."""
        kept = without_axes(xs[0].type.shape, axes)
        scalars = [start.type for start in starts]
        op = _create(
            "stablehlo.reduce",
            [tensor(kept, t.element_type) for t in scalars],
            [*xs, *starts],
            {"dimensions": Ints.encode(axes)},
            regions=1,
        )
        here = [ir.Location.current] * (2 * len(scalars))
        inner = op.regions[0].blocks.append(*scalars, *scalars, arg_locs=here)
        with ir.InsertionPoint(inner):
            if isinstance(body, str):
                best = [self(body, *inner.arguments, type=scalars[0])]
            else:
                best = body(self, *inner.arguments)
            _create("stablehlo.return", [], best)
        return list(op.results)

    def choose(
        self,
        flag: ir.Value,
        type: ir.Type,
        then: Callable[[], ir.Value],
        otherwise: Callable[[], ir.Value],
    ) -> ir.Value:
        """One of two values of `type`; of what makes them, only that is computed."""
        op = _create("stablehlo.if", [type], [flag], regions=2)
        for region, value in zip(op.regions, (then, otherwise), strict=True):
            with ir.InsertionPoint(region.blocks.append()):
                _create("stablehlo.return", [], [value()])
        return op.result


def maker(x: ir.Value) -> ir.Operation | None:
    """The defining op of a value; None for a block argument."""
    owner = x.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def runs_once(op: ir.Operation) -> bool:
    """Whether an op stands in a public function, and in no loop, nor in what a loop may call."""
    parent = op.parent.operation
    return parent.name == "func.func" and not is_private(parent)


def replace_before(x: ir.Value, y: ir.Value) -> None:
    """Replace the uses of x by y, except in the op that computes y from x."""
    x.replace_all_uses_except(y, y.owner.operation)


def is_used_in(ops: set[ir.Operation], op: ir.Operation) -> bool:
    """Whether nothing but these ops uses the results of an op."""
    return all(use.owner.operation in ops for y in op.results for use in y.uses)


_SHAPED = ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.transpose")


def origin(x: ir.Value) -> ir.Operation | None:
    """The op that computes a value's elements, looking through changes of shape."""
    op = maker(x)
    while op is not None and op.name in _SHAPED:
        op = maker(op.operands[0])
    return op


def differs_everywhere(x: ir.Value, most: int) -> bool:
    """Whether an array made of broadcasts varies along each of its axes, so that it is none itself.

    Such as `broadcast(a, axis 0) - broadcast(b, axis 1)`.  Looks through `most` elementwise ops.
    """
    axes = varying_axes(x, most)
    return bool(axes) and axes == {a for a, n in enumerate(x.type.shape) if n != 1}


def varying_axes(x: ir.Value, most: int) -> set[int] | None:
    """Axes along which elementwise ops of broadcasts vary; None if that is not known."""
    op = maker(x)
    if op is None or not most:
        return None
    if op.name == "stablehlo.constant":
        is_splat = getattr(attribute_of(op, "value"), "is_splat", False)
        return set() if is_splat else None
    if op.name == _SHAPED[0]:
        sizes, axes = op.operands[0].type.shape, Ints.decode(op.attributes["broadcast_dimensions"])
        return {a for a, n in zip(axes, sizes, strict=True) if n != 1}
    if op.name not in _ELEMENTWISE:
        return None
    found = [varying_axes(y, most - 1) for y in op.operands]
    known = [axes for axes in found if axes is not None]
    return set().union(*known) if len(known) == len(found) else None


_ELEMENTWISE = frozenset(
    f"stablehlo.{name}"
    for name in "abs add and compare divide multiply not or power select subtract".split()
)


class Literals:
    """Constants for guards: one per block, type and number, at the beginning of the block."""

    def __init__(self) -> None:
        self._constants: dict[tuple[ir.Block, ir.Type, str], ir.Value] = {}

    def get(self, block: ir.Block, type: ir.Type, value: complex) -> ir.Value:
        """An array of `type` in a block, filled with `value`."""
        key = block, type, repr(value)
        if key not in self._constants:
            with ir.InsertionPoint.at_block_begin(block):
                self._constants[key] = Hlo().constant(type, value)
        return self._constants[key]


# -- values opaque to XLA -------------------------------------------------------------------------

_HIDING = "stablehlo.reduce_precision"
_BITS = {"exponent_bits": 11, "mantissa_bits": 112}  # f64's, and more than any float's: no rounding


def hide(x: ir.Value) -> ir.Value:
    """Make floats or complex numbers opaque to XLA's simplifier."""
    if kind(x.type.element_type) != "complex":
        return _create(_HIDING, [x.type], [x], _more_bits(x.context)).result
    hlo = Hlo()
    return hlo("complex", *(hide(hlo.part(p, x)) for p in ("real", "imag")), type=x.type)


def is_hidden(x: ir.Value) -> bool:
    """Whether a value is a result of `hide`, of floats or of a part of complex numbers."""
    op = maker(x)
    if op is None or op.name != _HIDING:
        return False
    wanted = _more_bits(op.context)
    return all(bool(op.attributes[name] == bits) for name, bits in wanted.items())


@lru_cache(4)
def _more_bits(context: ir.Context) -> dict[str, ir.Attribute]:
    i32 = ir.IntegerType.get_signless(32, context)
    return {name: ir.IntegerAttr.get(i32, n) for name, n in _BITS.items()}
