"""`pad`: linear in the array and in the padding value; its inverse is a slice.

Source: StableHLO specification, `pad`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.families import with_batch_axis
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import element_type, shape_text, tensor
from anvl.dialect.sparsity.combinations import spread

__all__ = ["PadOp", "unpadded", "zero_of"]


class PadOp(AnvlOp, name="pad"):
    """Pad each axis with `padding_value` at both ends, and `interior_padding` times inside.

    A negative edge padding removes elements.  StableHLO `pad`.
    """

    x: Operand
    padding_value: Operand
    edge_padding_low: Ints
    edge_padding_high: Ints
    interior_padding: Ints
    y: Result
    hlo = "pad"
    moves_elements = True

    @classmethod
    def result_type(
        cls, x: Any, padding_value: Any, edge_padding_low: Any, edge_padding_high: Any,
        interior_padding: Any,
    ) -> Any:  # fmt: skip
        if padding_value != tensor([], x.element_type):
            raise TypeError(
                f"pad: padding_value is {padding_value}; it must be {tensor([], x.element_type)}"
            )
        sizes = x.shape
        if not (
            len(edge_padding_low) == len(edge_padding_high) == len(interior_padding) == len(sizes)
        ):
            raise TypeError(
                f"pad: edge_padding_low {shape_text(edge_padding_low)}, edge_padding_high "
                f"{shape_text(edge_padding_high)} and interior_padding "
                f"{shape_text(interior_padding)} must each have one entry for each axis of {x}"
            )
        if any(i < 0 for i in interior_padding):
            raise TypeError(
                f"pad: interior_padding {shape_text(interior_padding)} of {x} must not be negative"
            )
        shape = [
            n + max(n - 1, 0) * inner + low + high
            for n, inner, low, high in zip(
                sizes, interior_padding, edge_padding_low, edge_padding_high, strict=True
            )
        ]
        if any(n < 0 for n in shape):
            raise TypeError(
                f"pad: edge paddings {shape_text(edge_padding_low)} and "
                f"{shape_text(edge_padding_high)} cut more from {x} than it has"
            )
        return tensor(shape, x.element_type)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, edge_padding_low: Any,
        edge_padding_high: Any, interior_padding: Any,
    ) -> Sequence[Any]:  # fmt: skip
        def of_operand() -> Value:
            return unpadded(g, xs[0].type, edge_padding_low, edge_padding_high, interior_padding)

        def of_value() -> Value:
            axes = tuple(range(g.type.rank))
            outside = _outside(
                xs[0].type.shape,
                edge_padding_low=edge_padding_low,
                edge_padding_high=edge_padding_high,
                interior_padding=interior_padding,
            )
            return emit.sum(emit.select(outside, g, zeros_like(g)), axes=axes)

        return [of_operand, of_value]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, **params: Any
    ) -> Value | None:
        t, t_value = ts
        if t is None and t_value is None:
            return None
        t = zeros_like(xs[0]) if t is None else t
        return emit.pad(t, zero_of(y) if t_value is None else t_value, **params)

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], edge_padding_low: Any,
        edge_padding_high: Any, interior_padding: Any,
    ) -> Value:  # fmt: skip
        x, value = xs
        params = {
            "edge_padding_low": (0, *edge_padding_low),
            "edge_padding_high": (0, *edge_padding_high),
            "interior_padding": (0, *interior_padding),
        }
        if not batched[1]:
            return emit.pad(x, value, **params)
        x, values = with_batch_axis(xs, batched)
        return _pad_each(x, values, params)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], **params: Any) -> Any:
        x, value = xs
        steps = [n + 1 for n in params["interior_padding"]]
        return spread(x, params["edge_padding_low"], params["edge_padding_high"], steps, value)

    @classmethod
    def pad_axes(
        cls, pads: Any, xs: Sequence[Any], edge_padding_low: Any, edge_padding_high: Any,
        interior_padding: Any,
    ) -> Any:  # fmt: skip
        """Along a padded axis, only a shift.

        To the left it moves padding to true positions: so the value is put there before.  Elsewhere
        more of the value at the end makes a result of the padded size.
        """
        x, value = xs
        edges = list(zip(edge_padding_low, edge_padding_high, interior_padding, strict=True))
        kept = {a for a, (low, high, inner) in enumerate(edges) if low + high == 0 == inner}
        x = pads.widened(x, {a: n for a, n in pads.wanted.items() if a in kept})
        for a in x.axes.keys() - kept:
            pads.refuse(a, "what is appended would stand behind the padding")
        moved_left = {a for a in x.axes if edges[a][0] < 0}
        operand = pads.masked(x, value.value, moved_left)
        high = [
            hi + pads.wanted[a].padded - pads.wanted[a].true
            if a in pads.wanted and a not in kept
            else hi
            for a, hi in enumerate(edge_padding_high)
        ]
        params = {"edge_padding_low": edge_padding_low, "interior_padding": interior_padding}
        y = cls.build(operand, value.value, edge_padding_high=tuple(high), **params)
        return y, {**x.axes, **pads.wanted}

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def edges(low: Any, high: Any, inner: Any) -> dict[str, Any]:
            return {
                "edge_padding_low": low, "edge_padding_high": high, "interior_padding": inner,
            }  # fmt: skip

        return draw.calls(
            ([draw.floats(2, 3), draw.floats()], edges((1, 0), (0, 2), (0, 1))),
            ([draw.floats(5), draw.floats()], edges((-1,), (-2,), (2,))),
            ([draw.floats(4), draw.floats()], edges((2,), (-3,), (0,))),
            ([draw.floats(4), draw.floats()], edges((-6,), (3,), (1,))),
            ([draw.floats(0), draw.floats()], edges((1,), (1,), (3,))),
            ([draw.floats(), draw.floats()], edges((), (), ())),
        )


def zero_of(x: Value) -> Value:
    """A scalar zero of the dtype of x."""
    return full(tensor([], x.type.element_type), 0)


def unpadded(g: Value, x: Any, low: Any, high: Any, inner: Any) -> Value:
    """The elements of g that came from the operand, in its shape; 0 at elements cut off."""
    if all(n >= 0 for n in (*low, *high)):
        return emit.slice(
            g,
            start_indices=tuple(low),
            limit_indices=tuple(n - edge for n, edge in zip(g.type.shape, high, strict=True)),
            strides=tuple(i + 1 for i in inner),
        )
    cut = emit.pad(
        g,
        zero_of(g),
        edge_padding_low=tuple(-n for n in low),
        edge_padding_high=tuple(-n for n in high),
        interior_padding=(0,) * len(low),
    )
    if not any(inner):
        return cut
    return emit.slice(
        cut,
        start_indices=(0,) * len(low),
        limit_indices=tuple(cut.type.shape),
        strides=tuple(i + 1 for i in inner),
    )


def _pad_each(x: Value, values: Value, params: dict[str, Any]) -> Value:
    """Pad each member of a batch with its own value: pad with 0, then fill the padding."""
    padded = emit.pad(x, zero_of(x), **params)
    fill = emit.broadcast_in_dim(values, shape=tuple(padded.type.shape), broadcast_dimensions=(0,))
    return emit.select(_outside(x.type.shape, **params), fill, padded)


def _outside(shape: Any, **params: Any) -> Value:
    """Mask of the elements of the padded array that hold the padding value."""
    false, true = (full(tensor([], element_type("bool")), v) for v in (0, 1))
    inside = emit.broadcast_in_dim(false, shape=tuple(shape), broadcast_dimensions=())
    return emit.pad(inside, true, **params)
