"""The check of padding rules: an op at a padded size against itself at the true size.

Each axis of each operand is padded in turn, with NaN, or with the largest and the least integers.
Rules may refuse an axis; `PaddingCheck.accepted` counts those that they take.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anvl.dialect.core.create import full
from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.types import dtype_name, element_type, integer_range, kind, tensor
from anvl.dialect.interpreters.pad_axes import can_pad
from anvl.dialect.interpreters.padding import CannotPad, Length, Padded, Padding, padded_type
from anvl.testing.checks import Check, listed
from anvl.testing.draw import Call
from anvl.testing.findings import NARROW, TOLERANCES, Findings

__all__ = ["PaddingCheck"]

_MORE = 3  # elements of padding

Axes = Mapping[int, Length]


class PaddingCheck(Check):
    """The padding rule against the op at the true size."""

    accepted = 0

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        """The rule of an elementwise op builds it again: nothing can be wrong with it."""
        plain = issubclass(op_class, Elementwise) and not op_class.has_rule("pad_axes")
        is_wide = all(dtype_name(x.dtype) not in NARROW for x in call.operands)
        return can_pad(op_class) and not plain and is_wide

    def emit(self, *xs: ir.Value) -> list[ir.Value]:
        ys = self.build(*xs)
        self.labels: list[str] = []
        self.misdeclared: list[str] = []
        found = list(ys)
        has_integers = any(x.dtype.kind in "biu" for x in self.call.operands)
        for high in (True, False) if has_integers else (True,):
            for axes, position, wanted in self._choices(xs, ys):
                label = f"{axes} of its operands" if position is None else f"{wanted} of its result"
                padded = self._padded(xs, ys, axes, position, wanted, high)
                if padded is not None:
                    self.labels.append(label)
                    found += padded
        self.accepted = len(self.labels)
        return found

    def _choices(self, xs: Sequence[ir.Value], ys: Sequence[ir.Value]) -> Iterator[Any]:
        """Padded axes by operand, or the result and the axes of it that are wanted."""
        for i, x in enumerate(xs):
            for axis, n in enumerate(x.type.shape):
                if n:
                    yield {i: {axis: n}}, None, {}
        for i, y in enumerate(ys):
            for axis, n in enumerate(y.type.shape):
                if n:
                    yield {}, i, {axis: n}

    def _padded(
        self,
        xs: Sequence[ir.Value],
        ys: Sequence[ir.Value],
        axes: Mapping[int, Mapping[int, int]],
        position: int | None,
        wanted: Mapping[int, int],
        high: bool,
    ) -> list[ir.Value] | None:
        """The true elements of the padded results; None where the rule refuses."""

        def widen(x: Padded, of: Axes) -> Padded:
            missing = {a: n for a, n in of.items() if a not in x.axes}
            return _filled(x, missing, high) if missing else x

        op = ys[0].owner
        pads = Padding(op, _lengths(wanted), widen, None, position)
        given = [
            widen(Padded(x, tuple(x.type.shape), {}, x), _lengths(axes.get(i, {})))
            for i, x in enumerate(xs)
        ]
        try:
            found = self.op_class.pad_axes(pads, given, **self.op_class.read(op))
        except CannotPad:
            return None
        pairs = listed(self.op_class, found)
        if position is not None and not wanted.keys() <= pairs[position][1].keys():
            return None
        for (value, of), y in zip(pairs, ys, strict=True):
            if not _fits(value, of, y):
                sizes = {axis: (n.true, n.padded) for axis, n in of.items()}
                self.misdeclared.append(f"{value.type} is not {y.type} with padded axes {sizes}")
        return [_cut(value, y) for (value, _), y in zip(pairs, ys, strict=True)]

    def check_emitted(self, findings: Findings) -> None:
        findings.problems += [f"padding: {self.name}: {wrong}" for wrong in self.misdeclared]

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        limit = NARROW[self.narrow] if self.narrow else TOLERANCES["batch"]
        count = len(found) // (len(self.labels) + 1)
        ys = found[:count]
        for k, label in enumerate(self.labels):
            again = found[(k + 1) * count : (k + 2) * count]
            for y, wanted in zip(again, ys, strict=True):
                findings.compare("padding", f"{self.name} padded along {label}", y, wanted, limit)


def _lengths(sizes: Mapping[int, int]) -> dict[int, Length]:
    i32 = tensor([], element_type("i32"))
    return {a: Length(n, n + _MORE, full(i32, n)) for a, n in sizes.items()}


def _filled(x: Padded, axes: Axes, high: bool) -> Padded:
    """x with the worst numbers in the padding of these axes."""
    rank = len(x.shape)
    more = [axes[a].padded - axes[a].true if a in axes else 0 for a in range(rank)]
    value = emit.pad(
        x.value,
        full(tensor([], x.element), _worst(x.element, high)),
        edge_padding_low=(0,) * rank,
        edge_padding_high=tuple(more),
        interior_padding=(0,) * rank,
    )
    return Padded(value, x.shape, {**x.axes, **axes}, x.source)


def _worst(element: Any, high: bool) -> complex:
    of_kind = kind(element)
    if of_kind == "float":
        return float("nan")
    if of_kind == "complex":
        return complex("nan+nanj")
    if of_kind == "bool":
        return int(high)
    return integer_range(element)[high]


def _fits(value: ir.Value, axes: Axes, y: ir.Value) -> bool:
    """Whether the axes that a rule says to have padded are those of its result."""
    shape = tuple(y.type.shape)
    is_true = all(axis < len(shape) and n.true == shape[axis] for axis, n in axes.items())
    return is_true and value.type == padded_type(shape, axes, y.type.element_type)


def _cut(value: ir.Value, y: ir.Value) -> ir.Value:
    """The elements at the true positions."""
    shape = tuple(y.type.shape)
    if tuple(value.type.shape) == shape:
        return value
    return emit.slice(
        value, start_indices=(0,) * len(shape), limit_indices=shape, strides=(1,) * len(shape)
    )
