"""`anvl.custom_vjp` and `anvl.custom_jvp`: functions with user-defined derivatives.

One rule serves all modes.  An adjoint is linear in the cotangents, and its transpose is the
tangent; a tangent is linear in the tangents, and its transpose is the adjoint.  Batching batches
the function and its rule.
Source: A. Radul et al., You Only Linearize Once: Tangents Transpose to Gradients (POPL 2023).
"""

import abc
from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.control_flow.call import FUNCTION_RULES, Callee, FunctionRule, call, symbol
from anvl.dialect.control_flow.linearity import first_nonlinear
from anvl.dialect.core.attributes import replaced_entries, shifted
from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int, Ints, Symbol
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.subprogram import Program, batch_of, jvp_of, transpose_of, vjp_of

__all__ = ["CustomJvp", "CustomVjp", "batched_types"]

# Note [Rules that call their own functions]
#
# `y = exp_(x); return y, y * t`: the rule of @exp_ calls @exp_, and so on to any order, since a
# call stays a call until it is differentiated.  Two walks would not terminate.  The batched rule
# calls the batched function that it is the rule of, by its name (`being_batched`).  And the
# transpose of `exp_mul(x, t)`, in the rule of @exp_mul, is the transpose of the body of @exp_mul:
# along a tangent it is linear, so no rule applies.  (JAX always transposes the body.)
#
# Where a rule calls its function with other functions or types each time, as the implicit
# derivative of a fixed point does, each call has a rule of its own, which is traced at once.  At
# some depth the attribute is `{nested = n : i64}`, and taking that derivative raises an error.


class Custom(FunctionRule):
    """`{rule = @f_rule, wrt = array<i64: ...>}`: @f_rule has the derivative in the arguments `wrt`.

    It takes the arguments of @f, then the results of @f, then the cotangents or tangents.
    """

    form = "{rule = @f_rule, wrt = array<i64: ...>}"

    def check(self, f: Callee) -> None:
        if "nested" in f.request(self):
            return
        rule, wrt = self.read(f)
        inputs, outputs = f.types
        if list(wrt) != sorted(set(wrt)) or not set(wrt) <= set(range(len(inputs))):
            raise ValueError(
                f"wrt {list(wrt)} must be positions of its {len(inputs)} arguments, in order"
            )
        for i in wrt:
            if not differentiable(inputs[i]):
                raise ValueError(f"wrt {i} is {inputs[i]}; only floats have a derivative")
        floats = [y for y in outputs if differentiable(y)]
        taken, given = self.rule_types([inputs[i] for i in wrt], floats)
        wanted = [*inputs, *outputs, *taken], given
        if rule.types != wanted:
            found = ir.FunctionType.get(*rule.types)
            raise ValueError(
                f"its rule @{rule.name} is {found}, but must be {ir.FunctionType.get(*wanted)}"
            )

    def operands_read(self, f: Callee, is_wanted: Sequence[bool]) -> list[bool]:
        """Also what its rule reads: the copy of a call is differentiated, too."""
        by_body = super().operands_read(f, is_wanted)
        if not any(is_wanted) or "nested" in f.request(self):
            return by_body
        program = self.read(f)[0].program
        by_rule = program.slice().values
        pairs = zip(by_body, program.arguments, strict=False)
        return [read or x in by_rule for read, x in pairs]

    def with_state(self, request: Any, count: int) -> ir.Attribute:
        if "nested" in request:
            return super().with_state(request, count)
        return replaced_entries(request, wrt=shifted(request["wrt"], count))

    def stateless(self, request: Any) -> Sequence[str]:
        return () if "nested" in request else (Symbol.decode(request["rule"]),)

    @abc.abstractmethod
    def rule_types(
        self, inputs: list[ir.Type], outputs: list[ir.Type]
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        """Types of the rule's last arguments, and of its results."""

    def read(self, f: Callee) -> tuple[Callee, tuple[int, ...]]:
        """The rule function, and the positions of the arguments `wrt`."""
        request = f.request(self)
        if "nested" in request:
            order = Int.decode(request["nested"])
            raise MissingRule(
                f"{self.attribute.removeprefix('anvl.')}: the rule of @{f.name} calls it each time "
                f"with other functions, dtypes or shapes, and is traced {order} deep: there are no "
                f"derivatives beyond order {order}"
            )
        return f.function_named(Symbol.decode(request["rule"])), Ints.decode(request["wrt"])

    def batch(self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]) -> Sequence[Value]:
        if "nested" in f.request(self):
            return call(self._batched(f, [x.type for x in xs], batched, f.request(self)), xs)
        return self.batch_with_rule(f, xs, batched)

    @abc.abstractmethod
    def batch_with_rule(
        self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]
    ) -> Sequence[Value]:
        """Batch a call of a function together with its rule."""

    def _batched(
        self, f: Callee, types: Sequence[ir.Type], batched: Sequence[bool], request: ir.Attribute
    ) -> Callee:
        """Add the batched function, with this attribute."""
        program = f.program

        def emit_all(*values: Value) -> list[Value]:
            return batch_of(program, values, batched, symbols=f.symbols)

        return f.add("batched", emit_all, types, {self.attribute: request})

    def batched_call(
        self,
        f: Callee,
        xs: Sequence[Value],
        batched: Sequence[bool],
        rule: Callable[..., Sequence[Value]],
        taken: Sequence[ir.Type],
    ) -> Sequence[Value]:
        """Emit a call of the batched function; `rule`, which also takes `taken`, is batched."""
        author, wrt = self.read(f)
        types = [x.type for x in xs]
        key = f.name, tuple(types), tuple(batched)
        if key in f.being_batched:  # by its own rule
            return call(f.being_batched[key], xs)
        request = {"rule": symbol(author), "wrt": Ints.encode(wrt)}
        function = self._batched(f, types, batched, ir.DictAttr.get(request))
        f.being_batched[key] = function
        try:
            results = batched_types(f.types[1], xs, batched)
            made = author.add("batched", rule, [*types, *results, *taken])
        finally:
            del f.being_batched[key]
        request["rule"] = symbol(made)
        function.function.attributes[self.attribute] = ir.DictAttr.get(request)
        return call(function, xs)


class CustomVjp(Custom):
    """The rule maps cotangents of the float results to cotangents of the arguments `wrt`."""

    attribute = "anvl.custom_vjp"

    def rule_types(
        self, inputs: list[ir.Type], outputs: list[ir.Type]
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        return outputs, inputs

    def adjoint(
        self,
        f: Callee,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        active: Sequence[bool],
    ) -> Sequence[Any]:
        rule, wrt = self.read(f)
        pairs = [(g, y) for g, y in zip(gs, ys, strict=True) if differentiable(y.type)]
        given = [zeros_like(y) if g is None else g for g, y in pairs]
        return _placed(rule.program(*xs, *ys, *given), wrt, len(xs))

    def tangent(
        self, f: Callee, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Value | None]:
        rule, wrt = self.read(f)
        floats = [y.type for y in ys if differentiable(y.type)]
        n, program = len(floats), rule.program
        with f.being_transposed() as already:
            if already:  # Note [Rules that call their own functions]
                return jvp_of(f.program, xs, ts, symbols=f.symbols)
            transposed = _transposed(
                lambda *vs: program(*vs[n:], *vs[:n]),
                floats,
                [*xs, *ys],
                [ts[i] for i in wrt],
                f"custom_vjp: @{rule.name}, the rule of @{f.name}, is not linear in the cotangent",
                f.symbols,
            )
        found = iter(transposed)
        return [next(found) if differentiable(y.type) else None for y in ys]

    def batch_with_rule(
        self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]
    ) -> Sequence[Value]:
        rule, wrt = self.read(f)
        program, count = rule.program, len(xs)

        def each(*values: Value) -> list[Value]:
            flags = [*batched, *[True] * (len(values) - count)]
            found = batch_of(program, values, flags, symbols=f.symbols)
            # The cotangent of an unbatched argument is summed over the batch.
            pairs = zip(wrt, found, strict=True)
            return [g if batched[i] else emit.sum(g, axes=(0,)) for i, g in pairs]

        floats = [y.type for y in f.program.results if differentiable(y.type)]
        return self.batched_call(f, xs, batched, each, batched_types(floats, xs, batched))


class CustomJvp(Custom):
    """The rule maps tangents of the arguments `wrt` to tangents of the float results."""

    attribute = "anvl.custom_jvp"

    def rule_types(
        self, inputs: list[ir.Type], outputs: list[ir.Type]
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        return inputs, outputs

    def adjoint(
        self,
        f: Callee,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        active: Sequence[bool],
    ) -> Sequence[Any]:
        rule, wrt = self.read(f)
        n, program = len(wrt), rule.program
        with f.being_transposed() as already:
            if already:  # Note [Rules that call their own functions]
                return vjp_of(f.program, xs, gs, symbols=f.symbols)
            found = _transposed(
                lambda *vs: program(*vs[n:], *vs[:n]),
                [xs[i].type for i in wrt],
                [*xs, *ys],
                [g for g, y in zip(gs, ys, strict=True) if differentiable(y.type)],
                f"custom_jvp: @{rule.name}, the rule of @{f.name}, is not linear in the tangent",
                f.symbols,
            )
        return _placed(found, wrt, len(xs))

    def tangent(
        self, f: Callee, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Value | None]:
        rule, wrt = self.read(f)
        moving = [(ts[i], xs[i]) for i in wrt]
        given = [zeros_like(x) if t is None else t for t, x in moving]
        found = iter(rule.program(*xs, *ys, *given))
        return [next(found) if differentiable(y.type) else None for y in ys]

    def batch_with_rule(
        self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]
    ) -> Sequence[Value]:
        rule, wrt = self.read(f)
        program, results = rule.program, len(f.program.results)

        def each(*values: Value) -> list[Value]:
            flags = [*batched, *[True] * results, *[batched[i] for i in wrt]]
            return batch_of(program, values, flags, symbols=f.symbols)

        return self.batched_call(f, xs, batched, each, [xs[i].type for i in wrt])


FUNCTION_RULES[CustomVjp.attribute] = CustomVjp()
FUNCTION_RULES[CustomJvp.attribute] = CustomJvp()


def batched_types(
    types: Sequence[Any], xs: Sequence[Value], batched: Sequence[bool]
) -> list[ir.Type]:
    """Types with a batch axis of the size that `xs` have."""
    size = next(x.type.shape[0] for x, b in zip(xs, batched, strict=True) if b)
    return [tensor([size, *t.shape], t.element_type) for t in types]


def _placed(found: Sequence[Value], wrt: Sequence[int], count: int) -> list[Value | None]:
    """Place values of the arguments `wrt` at their positions; None elsewhere."""
    by_position = dict(zip(wrt, found, strict=True))
    return [by_position.get(i) for i in range(count)]


def _transposed(
    f: Callable[..., Sequence[Value]],
    types: Sequence[ir.Type],
    xs: Sequence[Value],
    gs: Sequence[Value | None],
    problem: str,
    symbols: SymbolTable,
) -> list[Value]:
    """Transpose of a rule, which must be linear in its arguments of these types."""
    rest = [x.type for x in xs]
    program = Program.of(lambda *vs: [y for y in f(*vs) if y is not None], [*types, *rest], symbols)
    moves = [*(True for _ in types), *(False for _ in xs)]
    found = first_nonlinear(program, moves, slopes=False)
    if found is None:
        try:
            return transpose_of(f, types, xs, gs, symbols=symbols)
        except ValueError:
            found = first_nonlinear(program, moves)
    why = "its derivative depends on its argument" if found is None else found.why
    raise MissingRule(f"{problem}: {why}; so it cannot be transposed for the other mode")
