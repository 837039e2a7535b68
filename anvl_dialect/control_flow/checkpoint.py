"""`anvl.checkpoint`: functions whose values are recomputed for their adjoint, not saved.

Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), chapter 12; T. Chen et al.,
Training Deep Nets with Sublinear Memory Cost (2016).
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.control_flow.call import FUNCTION_RULES, Callee, FunctionRule, call
from anvl.dialect.core.context import context
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.interpreters.subprogram import Program, batch_of, jvp_of, vjp_of

__all__ = ["Checkpoint"]


class Checkpoint(FunctionRule):
    """`{kept = n : i64}`: the last n results are saved as residuals, not recomputed."""

    attribute = "anvl.checkpoint"
    form = "{kept = n : i64}"
    transparent = True

    @staticmethod
    def keeping(kept: int) -> ir.Attribute:
        """Attribute that keeps the last `kept` results."""
        return ir.DictAttr.get({"kept": Int.encode(kept)}, context())

    def check(self, f: Callee) -> None:
        if "budget" in f.request(self) or "policy" in f.request(self):
            raise ValueError("its residuals are not chosen yet; run anvl-remat first")
        n_kept, n = Int.decode(f.request(self)["kept"]), len(f.types[1])
        if not 0 <= n_kept <= n:
            raise ValueError(f"kept is {n_kept}; it must be from 0 to its number of results, {n}")

    def bodies(self, f: Callee, moves: Sequence[bool]) -> Sequence[tuple[Program, Sequence[bool]]]:
        return [(f.program, moves)]

    def adjoint(
        self,
        f: Callee,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        active: Sequence[bool],
    ) -> Sequence[Any]:
        n_kept = Int.decode(f.request(self)["kept"])
        kept = list(ys[len(ys) - n_kept :])
        seeds = [g for g in gs if g is not None]
        # The barrier keeps an optimizer from merging the recomputation with the first computation,
        # and from running it before the cotangents are available.
        found = iter(emit.optimization_barrier(*xs, *kept, *seeds))
        operands = [next(found) for _ in xs]
        known = [next(found) for _ in kept]
        given = [None if g is None else next(found) for g in gs]
        return vjp_of(f.program, operands, given, known, active=active, symbols=f.symbols)

    def tangent(
        self, f: Callee, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Value | None]:
        program, n = f.program, len(xs)
        moving = [t for t in ts if t is not None]

        def pushforward(*values: Value) -> list[Value]:
            remaining = iter(values[n:])
            given = [None if t is None else next(remaining) for t in ts]
            found = jvp_of(program, values[:n], given, symbols=f.symbols)
            return [t for t in found if t is not None]

        types = [v.type for v in (*xs, *moving)]
        made = f.add("tangent", pushforward, types, {self.attribute: self.keeping(0)})
        found = iter(call(made, [*xs, *moving]))
        return [next(found) if differentiable(y.type) else None for y in ys]

    def batch(self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]) -> Sequence[Value]:
        program = f.program
        made = f.add(
            "batched",
            lambda *vs: batch_of(program, vs, batched, symbols=f.symbols),
            [x.type for x in xs],
            {self.attribute: f.request(self)},
        )
        return call(made, xs)


FUNCTION_RULES[Checkpoint.attribute] = Checkpoint()
