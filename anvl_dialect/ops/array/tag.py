"""`tag`: a name for an intermediate value of a program."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Text

__all__ = ["TagOp"]


class TagOp(AnvlOp, name="tag"):
    """Identity that names x `label`; derivatives can be requested with respect to the name.

    It lowers to its operand.
    """

    x: Operand
    label: Text
    y: Result
    naming_param = "label"
    diagonal = True
    preserves_zeros = True

    @classmethod
    def policy_variant(cls, op: ir.Operation) -> str:
        label: str = cls.read(op)["label"]
        return label.partition("[")[0]  # of an array in a pytree the name alone

    @classmethod
    def result_type(cls, x: Any, label: str) -> Any:
        if not label:
            raise TypeError("tag: label is ''; give the value a name")
        return x

    @classmethod
    def lower(cls, hlo: Any, x: Value, label: str) -> Value:
        return x

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, label: str) -> Sequence[Any]:
        return [g]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, label: str
    ) -> Value | None:
        return ts[0]  # not tagged: the name belongs to x

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], label: str) -> Value:
        return emit.tag(xs[0], label=label)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3)], {"label": "x"}), ([draw.floats(0)], {"label": "hidden state"}),
            ([draw.ints(3)], {"label": "n"}), ([draw.bools(2)], {"label": "b"}),
        )  # fmt: skip
