"""`anvl.shard_map`: functions that each device of a mesh runs on its parts of the arguments."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple, TypeVar

from anvl.dialect.control_flow.call import (
    FUNCTION_RULES,
    Callee,
    FunctionRule,
    Motion,
    call,
)
from anvl.dialect.control_flow.loop_values import scatter_flagged
from anvl.dialect.core.attributes import replaced_entries
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Bool, Symbol, Texts
from anvl.dialect.core.params.sharding_params import MeshText
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.shardings import MeshShape, Spec, check_sharding
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.interpreters.replaced import Replaced
from anvl.dialect.interpreters.residual_selection import residuals
from anvl.dialect.interpreters.slices import forward_slice, live_in
from anvl.dialect.interpreters.subprogram import (
    Program,
    batch_of,
    found_and_values,
    jvp_of,
    sweep_backward,
)
from anvl.dialect.interpreters.variance import Variance

__all__ = ["ShardMap", "ShardMapParts", "meshes_of_computations", "shard_map_attribute"]

_T = TypeVar("_T")

#: Entries of the attribute that may be absent: whether what must be equal on devices is checked, by
#: default it is; and the axes that the body is written for, by default all of the mesh.
_CHECK, _AXES = "check", "axes"

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
# With `axes = ["x"]` the body is for the parts along these axes, and the partitioner divides it
# along the others, as it does the rest of the program; specs and collectives name these axes alone.
#
# So nothing tracks which values are equal on several devices: a sum over devices in the function
# has a sum of the shares as its adjoint, which is the cotangent itself.  What tracking saves is
# this sum.  JAX tracks the axes along which a value varies, and writes conversions (`pvary`) whose
# transpose is a sum; inside of the function its gradients of values that do not vary are summed
# already, where these are of one device's copy.  Outside of it, both are the same.
#
# Note [Residuals of manual computations]
#
# The adjoint is two manual computations, as that of a scan is two scans.  The first, in place of
# the original one, also returns the residuals; the second reads them, so that no collective runs
# again.  Which values these are is decided as for all derivatives (Note [Residuals]): the parts of
# arguments are available.  The residuals of all devices lie along a new axis, the first, which all
# axes of the body cut: each device keeps its own, and nothing moves.  A result that every axis cuts
# is its own residual; one that is whole along an axis may differ from copy to copy by rounding, so
# each device keeps the part that it computed.


class ShardMapParts(NamedTuple):
    """The attribute, read."""

    body: Callee
    mesh: MeshShape
    ins: tuple[Spec, ...]
    outs: tuple[Spec, ...]
    axes: tuple[str, ...]
    is_checked: bool

    def copies(self, spec: Spec) -> tuple[str, ...]:
        """The axes of the body along which an array of this spec is whole."""
        return tuple(name for name in self.axes if name not in spec.axes)


class ShardMap(FunctionRule):
    """`{body = @b, mesh = "x=4", in = ["x,-"], out = ["x,-"]}`: the body on each device's parts."""

    attribute = "anvl.shard_map"
    form = '{body = @b, mesh = "x=4", in = ["x,-"], out = ["x,-"]}'
    declares = True
    outlives_inlining = True

    def read(self, f: Callee) -> ShardMapParts:
        request = f.request(self)
        mesh = MeshText.decode(request["mesh"])
        return ShardMapParts(
            f.function_named(Symbol.decode(request["body"])),
            mesh,
            tuple(map(Spec.parse, Texts.decode(request["in"]))),
            tuple(map(Spec.parse, Texts.decode(request["out"]))),
            tuple(Texts.decode(request[_AXES])) if _AXES in request else mesh.names,
            _CHECK not in request or Bool.decode(request[_CHECK]),
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
        _check_axes(parts)

    def equal_on_devices(self, f: Callee) -> None:
        """Refuse results, or ops with collectives, that need equal values on devices where they
        may differ: Note [Variance].

        Raises `ShardingError`.
        """
        parts = self.read(f)
        if not parts.is_checked:
            return
        cuts = frozenset(name for name in parts.axes if parts.mesh.along((name,)) > 1)
        variance = Variance(f.symbols, cuts)
        found = variance.results(parts.body.program, [cuts & {*s.axes} for s in parts.ins])
        for op, axes in variance.split:
            names = ", ".join(sorted(axes & cuts))
            raise ShardingError(
                f"shard_map: devices along {names} may differ in what {op.name} at {place_of(op)} "
                f"decides, and it has a collective along {names}, which all must reach; decide by "
                "a value that is equal on them, such as a psum or pmax, or, if it is for another "
                "reason, say check_vma=False"
            )
        for i, (varies, spec) in enumerate(zip(found, parts.outs, strict=True)):
            wrong = [name for name in parts.copies(spec) if name in varies]
            if wrong:
                names = ", ".join(wrong)
                raise ShardingError(
                    f"shard_map: result {i} of {parts.body.name} may differ between devices along "
                    f"{names}, and is whole along {names} by its spec {str(spec)!r} on mesh "
                    f"{str(parts.mesh)!r}; combine it along {names}, as psum and all_gather do, "
                    "cut it there by out_specs, or, if the parts are equal for another reason, say "
                    "check_vma=False"
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

    def simplify(
        self, f: Callee, xs: Sequence[Value], is_used: Sequence[bool], motion: Motion
    ) -> Sequence[Value | None] | None:
        """Drop results that are not used, with their collectives, and arguments not read."""
        parts = self.read(f)
        program = parts.body.program
        is_read = self.operands_read(f, is_used)
        if (all(is_used) and all(is_read)) or not motion.are_dce_able(program.block.operations):
            return None

        def fewer(*values: Value) -> list[Value]:
            wanted = _chosen(program.results, is_used)
            given: list[Any] = scatter_flagged(values, is_read)
            return Program(program.block, wanted, program)(*given)

        operands = _chosen(zip(xs, parts.ins, strict=True), is_read)
        outs = _chosen(zip(f.types[1], parts.outs, strict=True), is_used)
        return scatter_flagged(self.emit(f, "part", operands, outs, fewer), is_used)

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
        specs = [s for _, s in operands], [s for _, s in outs]
        name, request = shard_map_attribute(
            made_body.name, parts.mesh, *specs, axes=parts.axes, is_checked=parts.is_checked
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
    ) -> Any:
        parts = self.read(f)
        halves = _Halves(parts, gs, active)
        saved: Iterator[Value] = iter(())
        if halves.saved:
            with ir.InsertionPoint(ys[0].owner):
                outs = [*zip([y.type for y in ys], parts.outs, strict=True), *halves.stacked]
                given = list(zip(xs, parts.ins, strict=True))
                found = self.emit(f, "forward", given, outs, halves.forward)
            ys, saved = found[: len(ys)], iter(found[len(ys) :])
        kept = [
            (next(saved), halves.stacked_spec(x)) if i is None else (ys[i], parts.outs[i])
            for i, x in zip(halves.result_of, halves.kept, strict=True)
        ]
        known = _chosen(zip(xs, parts.ins, strict=True), halves.is_read)
        seeds = [(g, spec) for g, spec in zip(gs, parts.outs, strict=True) if g is not None]
        types = [(x.type, spec) for x, spec in zip(xs, parts.ins, strict=True)]
        outs = _chosen(types, halves.moves)
        back = self.emit(f, "adjoint", [*kept, *known, *seeds], outs, halves.backward)
        answer = scatter_flagged(back, halves.moves)
        return Replaced(ys, answer) if halves.saved else answer

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


class _Halves:
    """The adjoint of a body in two: what the first half saves, the second reads.

    See Note [Residuals of manual computations].

    Attributes
    ----------
    moves : list of bool
        The arguments that get a cotangent.
    is_read : list of bool
        The arguments that the second half reads.
    kept : list of Value
        The residuals.
    result_of : list of int or None
        For each of these the position of the result that it is.
    saved : list of Value
        The residuals that are no results.
    """

    def __init__(
        self, parts: ShardMapParts, gs: Sequence[Value | None], active: Sequence[bool]
    ) -> None:
        self.parts, self.body = parts, parts.body.program
        self.has_seed = [g is not None for g in gs]
        types = [x.type for x in self.body.arguments]
        seeded = _chosen(self.body.results, self.has_seed)
        reached = self.body.slice(seeded).values
        arguments = zip(self.body.arguments, active, strict=True)
        self.moves = [a and differentiable(x.type) and x in reached for x, a in arguments]
        made = Program.of(self._both, [*types, *(y.type for y in seeded)], self.body.symbols)
        count, n = len(self.body.results), len(types)
        self.arguments, self.seeds = made.arguments[:n], made.arguments[n:]
        self.values, cotangents = made.results[:count], made.results[count:]
        self.second = Program(made.block, cotangents, made)
        kept = self._residuals()
        ours = {
            y: i
            for i, (y, spec) in enumerate(zip(self.values, parts.outs, strict=True))
            if not parts.copies(spec)
        }
        self.saved = [x for x in kept if x not in ours]
        self.kept, self.result_of = kept, [ours.get(x) for x in kept]
        self.second.arguments = [*kept, *self.arguments, *self.seeds]
        read = self.second.slice().values
        self.is_read = [x in read for x in self.arguments]

    def _both(self, *values: Value) -> list[Value]:
        """The results, and the cotangents of the arguments that have some."""
        parts, n = self.parts, len(self.parts.ins)
        xs, given = values[:n], iter(values[n:])
        ys = self.body(*xs)
        pairs = [
            (y, _over(parts.mesh.along(parts.copies(spec)), next(given)))
            for y, spec, has in zip(ys, parts.outs, self.has_seed, strict=True)
            if has
        ]
        wrt, specs = _chosen(xs, self.moves), _chosen(parts.ins, self.moves)
        found, ys = found_and_values(ys, lambda: sweep_backward(pairs, wrt, self.body.symbols))
        summed = [
            _summed(g, parts.mesh, parts.copies(s)) for g, s in zip(found, specs, strict=True)
        ]
        return [*ys, *summed]

    def _residuals(self) -> list[Value]:
        whole = self.second.slice()
        late = forward_slice(whole.ops, self.seeds, whole_ops=True)
        read = [*live_in(late.ops, whole.values, self.body.symbols), *self.second.results]
        early = [op for op in whole.ops if late.values.isdisjoint(op.results)]
        return residuals([x for x in read if x not in late.values], self.arguments, early)

    def stacked_spec(self, x: Value) -> Spec:
        """The spec of a residual of all devices, along a new axis, the first."""
        return Spec((self.parts.axes, *((),) * x.type.rank))

    @property
    def stacked(self) -> list[tuple[ir.Type, Spec]]:
        """Types and specs of the residuals of all devices, along a new axis, the first."""
        count = self.parts.mesh.along(self.parts.axes)
        return [
            (tensor([count, *x.type.shape], x.type.element_type), self.stacked_spec(x))
            for x in self.saved
        ]

    def forward(self, *xs: Value) -> list[Value]:
        """Emit the body; return its results and residuals."""
        first = Program(self.second.block, [*self.values, *self.saved], self.second)
        first.arguments = self.arguments
        found = first(*xs)
        count = len(self.values)
        return [*found[:count], *(reshaped(x, (1, *x.type.shape)) for x in found[count:])]

    def backward(self, *given: Value) -> list[Value]:
        """Emit the cotangents from residuals, arguments that are read, and seeds."""
        kept = [
            x if i is not None else reshaped(x, tuple(x.type.shape[1:]))
            for x, i in zip(given, self.result_of, strict=False)
        ]
        known = _chosen(self.arguments, self.is_read)
        self.second.arguments = [*self.kept, *known, *self.seeds]
        return self.second(*kept, *given[len(kept) :])


FUNCTION_RULES[ShardMap.attribute] = ShardMap()


def meshes_of_computations(module: ir.Operation) -> list[MeshShape]:
    """The different meshes of the manual computations in a module."""
    found: dict[MeshShape, None] = {}
    for op in module.regions[0].blocks[0].operations:
        if ShardMap.attribute in op.attributes:
            found[MeshText.decode(op.attributes[ShardMap.attribute]["mesh"])] = None
    return list(found)


def shard_map_attribute(
    body: str,
    mesh: MeshShape,
    ins: Sequence[Spec],
    outs: Sequence[Spec],
    *,
    axes: Sequence[str] | None = None,
    is_checked: bool = True,
) -> tuple[str, ir.Attribute]:
    """The name and value of the attribute that declares a manual computation.

    Its body is for parts along `axes`, by default all of the mesh.
    """
    request = {
        "body": ir.FlatSymbolRefAttr.get(body, context()),
        "mesh": MeshText.encode(mesh),
        "in": Texts.encode(list(map(str, ins))),
        "out": Texts.encode(list(map(str, outs))),
    }
    if axes is not None and {*axes} != {*mesh.names}:
        request[_AXES] = Texts.encode(list(axes))
    if not is_checked:
        request[_CHECK] = Bool.encode(False)
    return ShardMap.attribute, ir.DictAttr.get(request, context())


def _check_axes(parts: ShardMapParts) -> None:
    """Refuse axes that the mesh has not, and specs that name others."""
    listed = ", ".join(parts.axes)
    if not parts.axes or not {*parts.axes} <= {*parts.mesh.names}:
        raise ValueError(f"axes are {listed or 'none'}; name axes of mesh {str(parts.mesh)!r}")
    for spec in (*parts.ins, *parts.outs):
        others = [name for name in spec.axes if name not in parts.axes]
        if others:
            raise ValueError(
                f"spec {str(spec)!r} names {', '.join(others)}, and the body is for parts along "
                f"{listed}; along others the partitioner decides"
            )


def _local(type_: Any, mesh: MeshShape, spec: Spec) -> ir.Type:
    return tensor(spec.local_shape(mesh, type_.shape), type_.element_type)


def _over(count: int, g: Value) -> Value:
    return g if count == 1 else emit.div(g, full_like(g, count))


def _summed(g: Value, mesh: MeshShape, axes: tuple[str, ...]) -> Value:
    if mesh.along(axes) == 1:
        return g
    place = emit.axis_index(mesh=mesh, axes=axes)
    return emit.all_reduce(g, place, mesh=mesh, axes=axes, kind="sum")


def _chosen(values: Iterable[_T], flags: Sequence[bool]) -> list[_T]:
    """The values where a flag is set."""
    return list(compress(values, flags))


def _or_zero(t: Value | None, type_: ir.Type) -> Value:
    return full(type_, 0) if t is None else t
