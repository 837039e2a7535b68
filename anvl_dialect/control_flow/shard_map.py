"""`anvl.shard_map`: functions that each device of a mesh runs on its parts of the arguments."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.dialect.control_flow.call import FUNCTION_RULES, Callee, FunctionRule, call
from anvl.dialect.control_flow.loop_values import scatter_flagged
from anvl.dialect.core.attributes import replaced_entries
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Symbol, Texts
from anvl.dialect.core.params.sharding_params import MeshText
from anvl.dialect.core.shardings import MeshShape, Spec, check_sharding
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.subprogram import Program, batch_of, jvp_of, vjp_of

__all__ = ["ShardMap", "ShardMapParts", "shard_map_attribute"]

# Note [Manual computations]
#
# `func.func private @f(..) attributes {anvl.shard_map = {body = @b, mesh = "x=4", in = ["x,-"],
# out = ["-"]}}` is declared on whole arrays; `@b` takes and returns the parts of one device, cut
# as the specs say.  The declaration stays until `anvl-lower-to-stablehlo`, which writes the calls
# that XLA reads (`passes/lower/manual_computations.py`).
#
# The rules see one linear map of all devices' values, as those of the collectives do (Note [Named
# axes]):
#
# * An argument that is whole along an axis is copied to each device of it.  Its cotangent is the
#   sum over the copies: an `all_reduce` over the axes that its spec does not name.
# * A result that is whole along an axis must be equal on all devices of it, which the person who
#   writes the function promises: it follows from a sum, a maximum or a gathered array.  Any one of
#   the copies is the result, so it is their mean, and the cotangent of each is a share of the
#   result's: it is divided by the number of copies.
#
# So nothing tracks which values are equal on several devices: a sum over devices in the function
# has a sum of the shares as its adjoint, which is the cotangent itself.  What tracking saves is
# this sum.  JAX tracks the axes along which a value varies, and writes conversions (`pvary`) whose
# transpose is a sum; inside of the function its gradients of values that do not vary are summed
# already, where these are of one device's copy.  Outside of it, both are the same.


class ShardMapParts(NamedTuple):
    """The attribute, read."""

    body: Callee
    mesh: MeshShape
    ins: tuple[Spec, ...]
    outs: tuple[Spec, ...]

    def copies(self, spec: Spec) -> tuple[str, ...]:
        """The axes along which an array of this spec is whole."""
        return tuple(name for name in self.mesh.names if name not in spec.axes)


class ShardMap(FunctionRule):
    """`{body = @b, mesh = "x=4", in = ["x,-"], out = ["x,-"]}`: the body on each device's parts."""

    attribute = "anvl.shard_map"
    form = '{body = @b, mesh = "x=4", in = ["x,-"], out = ["x,-"]}'
    declares = True
    outlives_inlining = True

    def read(self, f: Callee) -> ShardMapParts:
        request = f.request(self)
        return ShardMapParts(
            f.function_named(Symbol.decode(request["body"])),
            MeshText.decode(request["mesh"]),
            tuple(map(Spec.parse, Texts.decode(request["in"]))),
            tuple(map(Spec.parse, Texts.decode(request["out"]))),
        )

    def check(self, f: Callee) -> None:
        parts = self.read(f)
        inputs, outputs = f.types
        body = parts.body
        for what, types, specs, local in (
            ("argument", inputs, parts.ins, body.types[0]),
            ("result", outputs, parts.outs, body.types[1]),
        ):
            if not len(types) == len(specs) == len(local):
                raise ValueError(
                    f"it has {len(types)} {what}s, {len(specs)} specs of {what}s, and its body "
                    f"@{body.name} has {len(local)}; give one spec for each"
                )
            for i, (type_, spec, of_one) in enumerate(zip(types, specs, local, strict=True)):
                check_sharding(f"{what} {i}", parts.mesh, spec, type_.shape, even=True)
                if spec.is_open:
                    raise ValueError(f"{what} {i} has spec {str(spec)!r}; ? has no place here")
                wanted = _local(type_, parts.mesh, spec)
                if of_one != wanted:
                    raise ValueError(
                        f"{what} {i} is {type_}, so {wanted} on a device by spec {str(spec)!r}, "
                        f"and {of_one} in its body @{body.name}"
                    )

    def with_constants(self, request: Any, ranks: Sequence[int]) -> ir.Attribute:
        """Put arrays that are whole on each device, of these ranks, before the arguments."""
        whole = [str(Spec.whole(rank)) for rank in ranks]
        ins = Texts.encode([*whole, *Texts.decode(request["in"])])
        return replaced_entries(request, **{"in": ins})

    def stateless(self, request: Any) -> Sequence[str]:
        return [Symbol.decode(request["body"])]

    def operands_read(self, f: Callee, is_wanted: Sequence[bool]) -> list[bool]:
        return super().operands_read(self.read(f).body, is_wanted)

    def bodies(self, f: Callee, moves: Sequence[bool]) -> Sequence[tuple[Program, Sequence[bool]]]:
        return [(self.read(f).body.program, moves)]

    def emit(
        self,
        f: Callee,
        suffix: str,
        operands: Sequence[tuple[Value, Spec]],
        outs: Sequence[tuple[ir.Type, Spec]],
        body: Callable[..., Sequence[Value]],
    ) -> list[Value]:
        """Emit another manual computation over the mesh of f.

        `outs` are the types and specs of the whole results.
        """
        parts = self.read(f)
        locals_ = [_local(x.type, parts.mesh, spec) for x, spec in operands]
        made_body = parts.body.add(suffix, body, locals_)
        name, request = shard_map_attribute(
            made_body.name, parts.mesh, [s for _, s in operands], [s for _, s in outs]
        )
        types = [x.type for x, _ in operands], [type_ for type_, _ in outs]
        made = f.declare(suffix, *types, {name: request})
        return call(made, [x for x, _ in operands])

    def adjoint(
        self,
        f: Callee,
        gs: Sequence[Value | None],
        xs: Sequence[Value],
        ys: Sequence[Value],
        active: Sequence[bool],
    ) -> Sequence[Any]:
        parts, n = self.read(f), len(xs)
        program = parts.body.program
        seeds = [(g, spec) for g, spec in zip(gs, parts.outs, strict=True) if g is not None]
        has_seed = [g is not None for g in gs]
        wrt = [i for i, x in enumerate(xs) if differentiable(x.type) and active[i]]

        def pullback(*values: Value) -> list[Value]:
            shares = [
                _over(parts.mesh.along(parts.copies(spec)), g)
                for g, (_, spec) in zip(values[n:], seeds, strict=True)
            ]
            given = scatter_flagged(shares, has_seed)
            found = vjp_of(program, values[:n], given, active=active, symbols=f.symbols)
            return [
                _summed(found[i], values[i], parts.mesh, parts.copies(parts.ins[i])) for i in wrt
            ]

        operands = [*zip(xs, parts.ins, strict=True), *seeds]
        outs = [(xs[i].type, parts.ins[i]) for i in wrt]
        found = iter(self.emit(f, "adjoint", operands, outs, pullback))
        return [next(found) if i in wrt else None for i in range(n)]

    def tangent(
        self, f: Callee, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Value | None]:
        parts, n = self.read(f), len(xs)
        program = parts.body.program
        moving = [(t, spec) for t, spec in zip(ts, parts.ins, strict=True) if t is not None]
        moves = [t is not None for t in ts]
        floats = [differentiable(y.type) for y in ys]

        def pushforward(*values: Value) -> list[Value]:
            given = scatter_flagged(values[n:], moves)
            found = jvp_of(program, values[:n], given, symbols=f.symbols)
            pairs = zip(found, parts.body.types[1], floats, strict=True)
            return [_or_zero(t, type_) for t, type_, is_float in pairs if is_float]

        outs = [
            (y.type, s) for y, s, is_float in zip(ys, parts.outs, floats, strict=True) if is_float
        ]
        operands = [*zip(xs, parts.ins, strict=True), *moving]
        return scatter_flagged(self.emit(f, "tangent", operands, outs, pushforward), floats)

    def batch(self, f: Callee, xs: Sequence[Value], batched: Sequence[bool]) -> Sequence[Value]:
        parts = self.read(f)
        program = parts.body.program
        size = next(x.type.shape[0] for x, b in zip(xs, batched, strict=True) if b)

        def body(*values: Value) -> list[Value]:
            return batch_of(program, values, batched, symbols=f.symbols)

        ins = [s.with_axis(0, ()) if b else s for s, b in zip(parts.ins, batched, strict=True)]
        outs = [
            (tensor([size, *t.shape], t.element_type), spec.with_axis(0, ()))
            for t, spec in zip(f.types[1], parts.outs, strict=True)
        ]
        return self.emit(f, "batched", list(zip(xs, ins, strict=True)), outs, body)


FUNCTION_RULES[ShardMap.attribute] = ShardMap()


def shard_map_attribute(
    body: str, mesh: MeshShape, ins: Sequence[Spec], outs: Sequence[Spec]
) -> tuple[str, ir.Attribute]:
    """The name and value of the attribute that declares a manual computation."""
    request = {
        "body": ir.FlatSymbolRefAttr.get(body, context()),
        "mesh": MeshText.encode(mesh),
        "in": Texts.encode(list(map(str, ins))),
        "out": Texts.encode(list(map(str, outs))),
    }
    return ShardMap.attribute, ir.DictAttr.get(request, context())


def _local(type_: Any, mesh: MeshShape, spec: Spec) -> ir.Type:
    return tensor(spec.local_shape(mesh, type_.shape), type_.element_type)


def _over(count: int, g: Value) -> Value:
    return g if count == 1 else emit.div(g, full_like(g, count))


def _summed(g: Value | None, x: Value, mesh: MeshShape, axes: tuple[str, ...]) -> Value:
    if g is None:
        return full_like(x, 0)
    if mesh.along(axes) == 1:
        return g
    place = emit.axis_index(mesh=mesh, axes=axes)
    return emit.all_reduce(g, place, mesh=mesh, axes=axes, kind="sum")


def _or_zero(t: Value | None, type_: ir.Type) -> Value:
    return full(type_, 0) if t is None else t
