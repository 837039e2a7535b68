"""Scatter bodies and their rules: assign, add, mul, extrema.

Formulas are for one element x that meets updates u1, u2, ..., possibly none.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.families import add_tangents
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.interpreters.subprogram import Program
from anvl.dialect.ops.indexing.scatter_windows import ScatterPositions, newer
from anvl.dialect.ops.indexing.segment_prod import products_of_others

__all__ = ["COMBINERS", "Combiner", "separated", "updated"]


# -- bodies ----------------------------------------------------------------------------------------


class Part(NamedTuple):
    """One result of a body: combiner `name` of the old value and `of_update` or its inverse."""

    name: str
    of_update: Value
    inverse: bool = False

    def is_plain(self, body: Program) -> bool:
        """Whether the body is exactly this combiner's."""
        return self.name == "keep" or (
            not self.inverse and self.of_update == body.arguments[len(body.arguments) // 2]
        )

    def mapped(self, body: Program, updates: Sequence[Value]) -> Value:
        """Map the updates to the operand that the combiner takes."""
        n = len(updates)
        if self.of_update in body.arguments:
            u = updates[body.arguments.index(self.of_update) - n]
        else:
            # It depends on the updates alone: the stand-ins for old values are not read.
            (u,) = Program(body.block, [self.of_update], body).mapped(*updates, *updates)
        if not self.inverse:
            return u
        return emit.neg(u) if self.name == "add" else emit.div(full_like(u, 1), u)


def separated(body: Program) -> list[Part] | None:
    """Split the body by results, if each result has a known form; else None."""
    n = len(body.arguments) // 2
    old = set(body.arguments[:n])
    for op in body.block.operations:
        if not old.isdisjoint(op.operands):
            old.update(op.results)
    parts = [_part(body.arguments[i], y, old) for i, y in enumerate(body.results)]
    return None if any(p is None for p in parts) else parts  # type: ignore[return-value]


def _part(x: Value, y: Value, old: set[Value]) -> Part | None:
    """Classify one result; `old` are all values that depend on old ones."""
    if y not in old:
        return Part("assign", y)
    if y == x:
        return Part("keep", y)
    name = "" if isinstance(y, ir.BlockArgument) else y.owner.operation.name.removeprefix("anvl.")
    if name not in _FORMS:
        return None
    left, right = y.owner.operands
    combiner, inverse = _FORMS[name]
    if left == x and right not in old:
        return Part(combiner, right, inverse)
    if right == x and left not in old and not inverse:
        return Part(combiner, left)
    return None


_FORMS = {
    "add": ("add", False),
    "sub": ("add", True),
    "mul": ("mul", False),
    "div": ("mul", True),
    "maximum": ("maximum", False),
    "minimum": ("minimum", False),
}


def updated(
    positions: ScatterPositions, body: Program, inputs: Sequence[Value], updates: Sequence[Value]
) -> list[Value]:
    """Emit the scatter as gather, body and assignment, for distinct positions."""
    old = [positions.gather(x, u.type) for x, u in zip(inputs, updates, strict=True)]
    # Updates out of bounds get no derivative, even where the body's is infinite or NaN.
    met = [positions.where_met(x.type, u) for x, u in zip(inputs, updates, strict=True)]
    new = body.mapped(*old, *met)
    return [positions.scatter(newer, x, v) for x, v in zip(inputs, new, strict=True)]


# -- combiners -------------------------------------------------------------------------------------


class Combiner:
    """A body that combines updates with an element, and the rules of its scatter."""

    @staticmethod
    def body(old: Value, new: Value) -> Value:
        raise NotImplementedError

    @classmethod
    def adjoint(
        cls, positions: ScatterPositions, g: Value, x: Value, u: Value, y: Value
    ) -> tuple[Any, Any]:
        """Cotangents of x and of u."""
        raise NotImplementedError

    @classmethod
    def tangent(
        cls,
        positions: ScatterPositions,
        t: Value | None,
        tu: Value | None,
        x: Value,
        u: Value,
        y: Value,
    ) -> Value | None:
        """Tangent of y from the tangents of x and of u."""
        raise NotImplementedError


class Add(Combiner):
    """y = x + u1 + u2 + ..."""

    @staticmethod
    def body(old: Value, new: Value) -> Value:
        return emit.add(old, new)

    @classmethod
    def adjoint(
        cls, positions: ScatterPositions, g: Value, x: Value, u: Value, y: Value
    ) -> tuple[Any, Any]:
        return g, lambda: positions.gather(g, u.type)

    @classmethod
    def tangent(
        cls,
        positions: ScatterPositions,
        t: Value | None,
        tu: Value | None,
        x: Value,
        u: Value,
        y: Value,
    ) -> Value | None:
        if tu is None:
            return t
        return positions.scatter(emit.add, zeros_like(x) if t is None else t, tu)


class Assign(Combiner):
    """y = the update written last; x if there is none.

    The order is implementation-defined.  The rules determine the last update by scattering update
    numbers to the same positions, as JAX does: correct where two scatters with the same indices are
    executed in the same order, as in XLA:CPU.
    """

    @staticmethod
    def body(old: Value, new: Value) -> Value:
        return new

    @classmethod
    def adjoint(
        cls, positions: ScatterPositions, g: Value, x: Value, u: Value, y: Value
    ) -> tuple[Any, Any]:
        if positions.unique_indices:
            return (
                lambda: positions.scatter(newer, g, zeros_like(u)),
                lambda: positions.gather(g, u.type),
            )
        numbers, none = positions.numbered(x, u.type)
        winner = positions.scatter(newer, none, numbers)

        def of_input() -> Value:
            kept = emit.compare(winner, none, comparison_direction="EQ")
            return emit.select(kept, g, zeros_like(g))

        def of_update() -> Value:
            won = emit.compare(positions.gather(winner, u.type), numbers, comparison_direction="EQ")
            return emit.select(won, positions.gather(g, u.type), zeros_like(u))

        return of_input, of_update

    @classmethod
    def tangent(
        cls,
        positions: ScatterPositions,
        t: Value | None,
        tu: Value | None,
        x: Value,
        u: Value,
        y: Value,
    ) -> Value | None:
        if t is None and tu is None:
            return None
        return positions.scatter(
            newer, zeros_like(x) if t is None else t, zeros_like(u) if tu is None else tu
        )


class Keep(Combiner):
    """y = x."""

    @staticmethod
    def body(old: Value, new: Value) -> Value:
        return old

    @classmethod
    def adjoint(
        cls, positions: ScatterPositions, g: Value, x: Value, u: Value, y: Value
    ) -> tuple[Any, Any]:
        return g, None

    @classmethod
    def tangent(
        cls,
        positions: ScatterPositions,
        t: Value | None,
        tu: Value | None,
        x: Value,
        u: Value,
        y: Value,
    ) -> Value | None:
        return t


class Mul(Combiner):
    """y = x * u1 * u2 * ...

    The derivative in each factor is the product of the others, never y / u: exact at zeros, to
    every order.
    """

    @staticmethod
    def body(old: Value, new: Value) -> Value:
        return emit.mul(old, new)

    @classmethod
    def adjoint(
        cls, positions: ScatterPositions, g: Value, x: Value, u: Value, y: Value
    ) -> tuple[Any, Any]:
        return (
            lambda: emit.mul(g, cls._of_updates(positions, x, u)),
            lambda: cls._times_others(positions, emit.mul(g, x), u),
        )

    @classmethod
    def tangent(
        cls,
        positions: ScatterPositions,
        t: Value | None,
        tu: Value | None,
        x: Value,
        u: Value,
        y: Value,
    ) -> Value | None:
        parts = []
        if t is not None:
            parts.append(emit.mul(t, cls._of_updates(positions, x, u)))
        if tu is not None:
            steps = emit.mul(tu, cls._times_others(positions, x, u))
            parts.append(positions.scatter(emit.add, zeros_like(x), steps))
        return add_tangents(parts)

    @staticmethod
    def _of_updates(positions: ScatterPositions, x: Value, u: Value) -> Value:
        """Product of the updates of each element."""
        return positions.scatter(emit.mul, full_like(x, 1), u)

    @staticmethod
    def _times_others(positions: ScatterPositions, v: Value, u: Value) -> Value:
        """For each update, v at its position times the other updates of that position."""
        there = positions.gather(v, u.type)
        return (
            there
            if positions.unique_indices
            else emit.mul(there, products_of_others(positions, v.type, u))
        )


class Extremum(Combiner):
    """y = the extreme one of x, u1, u2, ...; ties share the derivative evenly."""

    @classmethod
    def _winners(
        cls, positions: ScatterPositions, x: Value, u: Value, y: Value
    ) -> tuple[Value, Value, Value]:
        """Whether x is extreme, which updates are, and the number of ties of each element."""
        of_x = emit.compare(x, y, comparison_direction="EQ")
        of_u = emit.compare(u, positions.gather(y, u.type), comparison_direction="EQ")
        start = emit.select(of_x, full_like(x, 1), zeros_like(x))
        count = positions.scatter(
            emit.add, start, emit.select(of_u, full_like(u, 1), zeros_like(u))
        )
        return of_x, of_u, count

    @classmethod
    def adjoint(
        cls, positions: ScatterPositions, g: Value, x: Value, u: Value, y: Value
    ) -> tuple[Any, Any]:
        of_x, of_u, count = cls._winners(positions, x, u, y)
        share = emit.div(g, count)
        return (
            lambda: emit.select(of_x, share, zeros_like(x)),
            lambda: emit.select(of_u, positions.gather(share, u.type), zeros_like(u)),
        )

    @classmethod
    def tangent(
        cls,
        positions: ScatterPositions,
        t: Value | None,
        tu: Value | None,
        x: Value,
        u: Value,
        y: Value,
    ) -> Value | None:
        if t is None and tu is None:
            return None
        of_x, of_u, count = cls._winners(positions, x, u, y)
        won = zeros_like(x) if t is None else emit.select(of_x, t, zeros_like(x))
        if tu is not None:
            won = positions.scatter(emit.add, won, emit.select(of_u, tu, zeros_like(u)))
        return emit.div(won, count)


class Maximum(Extremum):
    """y = the largest of x, u1, u2, ..."""

    @staticmethod
    def body(old: Value, new: Value) -> Value:
        return emit.maximum(old, new)


class Minimum(Extremum):
    """y = the smallest of x, u1, u2, ..."""

    @staticmethod
    def body(old: Value, new: Value) -> Value:
        return emit.minimum(old, new)


COMBINERS: dict[str, type[Combiner]] = {
    "add": Add, "assign": Assign, "keep": Keep, "mul": Mul, "maximum": Maximum, "minimum": Minimum,
}  # fmt: skip
