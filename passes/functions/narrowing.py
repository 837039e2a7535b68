"""Contractions on operands of fewer bits: the casts, and what is said of them."""

from typing import Any, NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.types import dtype_name, element_type, shape_text
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.interpreters.common import refuse
from anvl.dialect.interpreters.constant_folding import maker_of
from anvl.dialect.ops.elementwise.upcast import in_dtype

__all__ = ["Cast", "Narrower"]

# Note [Mixed precision]
#
# A contraction multiplies numbers of bf16 or f16 and adds in f32, and its result is f32.  So all
# other values keep their dtype, and with them the arguments and results of functions, loops and
# branches: sums, exponentials and what a program stores stay f32, and no type has to follow.  Only
# ops with the rule `narrowed` change, and only where they go from f32 to f32: a person who computes
# in f64, in integers or in bf16 already has said what he wants.
#
# Each contraction has casts of its own, also of an operand that others share, such as a weight in
# the steps of a loop.  The cotangent of each cast is f32, so cotangents are added in f32: those of
# one cast for all would be added in bf16, where a sum of 1,000 ones stops growing at 256.  Once
# derivatives are expanded, equal casts are merged, and moved out of loops; before, the latter is
# refused (`anvl-simplify-control-flow` for derivatives).
#
# Where the operand is a copy of elements that nothing else reads, such as a transpose, the cast
# goes first, and half of the bytes are copied.  What was cast from the dtype is not cast back.


class Cast(NamedTuple):
    """A contraction, and the dtype that it was given, or why it has none.

    Attributes
    ----------
    place : str
        Its location.
    op : str
        Its name.
    operands : tuple of str
        The types of its operands before.
    dtype : str
        That of its operands now; empty if they stayed.
    why_not : str
        Why they stayed.
    """

    place: str
    op: str
    operands: tuple[str, ...]
    dtype: str
    why_not: str

    def __str__(self) -> str:
        what = f"{self.op} of {' and '.join(self.operands)} at {self.place}"
        became = f"{self.dtype} operands, f32 result"
        return f"{what}: {became}" if self.dtype else f"{what}: stays, {self.why_not}"


class Narrower:
    """Narrows the contractions of one function to a dtype; `casts` says what became of each."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.casts: list[Cast] = []

    def run(self, block: ir.Block) -> None:
        """Narrow the contractions in a block, and in the choices and loops in it."""
        for op in list(block.operations):
            if getattr(op, "captures", False):
                for region in op.regions:
                    self.run(region.blocks[0])
            elif isinstance(op, AnvlOp) and op.has_rule("narrowed"):
                self._visit(op)

    def _visit(self, op: Any) -> None:
        rules = type(op)
        why_not, made = _why_not(op), None
        types = tuple([_text(x.type) for x in op.operands])
        (y,) = op.results
        if not why_not:
            with op.operation.location, ir.InsertionPoint(op):
                xs = [_narrowed(x, self.dtype) for x in op.operands]
                made = rules.narrowed(xs, _WIDE, **rules.read(op.operation))
            why_not = "it adds nothing up" if made is None else ""
        dtype = "" if why_not else self.dtype
        self.casts.append(Cast(place_of(op.operation), rules.short_name, types, dtype, why_not))
        if why_not:
            return
        if not isinstance(made, ir.Value) or made.type != y.type:
            gave = made.type if isinstance(made, ir.Value) else repr(made)
            refuse(op.operation, rules, "narrowed", f"gave {gave} for {y.type}")
        y.replace_all_uses_with(made)
        op.operation.erase()


def _narrowed(x: Value, dtype: str) -> Value:
    """Emit a value in fewer bits; where it is a copy of elements for one user, these are cast."""
    maker = maker_of(x)
    if maker is None or not _is_lone_copy(maker):
        return in_dtype(x, dtype)
    with maker.operation.location, ir.InsertionPoint(maker):
        rules = type(maker)
        return rules.build(_narrowed(maker.operands[0], dtype), **rules.read(maker.operation))


_WIDE = "f32"


def _text(type_: Any) -> str:
    return f"{dtype_name(type_.element_type)}{shape_text(type_.shape)}"


def _why_not(op: Any) -> str:
    """Why an op keeps its dtype; empty if it need not."""
    wide = element_type(_WIDE)
    for x in (*op.operands, *op.results):
        if x.type.element_type != wide:
            return f"it computes in {dtype_name(x.type.element_type)}"
    return ""


def _is_lone_copy(maker: Any) -> bool:
    """Whether an op only copies elements of its operand, for one user."""
    if not getattr(maker, "copies_elements", False):
        return False
    return len(list(maker.results[0].uses)) == 1
