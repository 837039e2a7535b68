"""`with_sharding`: how a value is to lie on a mesh of devices."""

import re
from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.attributes import attribute_of, entries_of
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.families import Linear
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Operand, Result, Value, emit
from anvl.dialect.core.params.base import Bool, Text
from anvl.dialect.core.params.sharding_params import MeshText, SpecText
from anvl.dialect.core.shardings import (
    MeshShape,
    Spec,
    check_sharding,
    mesh_from_sdy,
    sharding_from_sdy,
)

__all__ = [
    "FRONTEND", "WithShardingOp", "frontend_attributes", "frontend_sharding", "meshes_around",
    "placement_call",
]  # fmt: skip

# Note [Shardings in StableHLO]
#
# XLA's partitioner, Shardy, has a dialect of its own, `sdy`, which StableHLO's portable artifacts
# cannot hold.  For them it has a second form, in which JAX exports programs, too: its attributes as
# strings, in `mhlo.frontend_attributes`, and custom calls for its ops: `@Sharding`,
# `@xla.sdy.GlobalToLocalShape` and `@xla.sdy.LocalToGlobalShape`.  XLA reads it back before it
# partitions (seen in jaxlib 0.10.2: arguments, constraints, results and manual computations).  A
# result has a constraint, from which XLA takes its sharding: the attribute of a result would need
# the form of the older partitioner, and `@xla.sdy.FuncResultSharding`, a program for several
# devices.  The mesh is written into each of them, as `mesh<["x"=4]>`, where a named
# one would need an attribute of the module.
# Source: openxla/xla, xla/service/spmd/shardy/sdy_round_trip.

#: The attribute that holds Shardy's strings.
FRONTEND = "mhlo.frontend_attributes"


_CONSTRAINTS = ("Sharding", "xla.sdy.FuncResultSharding")
_SHARDING, _MESHES = "xla.sdy.sharding", "xla.sdy.meshes"
_MESH = re.compile(r"([\w$.-]+)\s*=\s*#sdy\.mesh(<[^>]*>)")


class WithShardingOp(Linear, name="with_sharding"):
    """Identity that asks for x to be cut over a mesh of devices, by `spec`.

    `mesh` is a text like `x=4,y=2`; `spec` has an entry for each dimension of x: an axis that it is
    cut along, `x*y` for two, `-` for none, `?` if the partitioner may choose.  The cotangent is cut
    in the same way.  A cut may be uneven.  On one device it changes nothing.
    """

    x: Operand
    mesh: MeshText
    spec: SpecText
    y: Result
    diagonal = True
    cheap = True
    lifts = "stablehlo.custom_call"

    @classmethod
    def result_type(cls, x: Any, mesh: MeshShape, spec: Spec) -> Any:
        try:
            check_sharding(f"with_sharding of {x}", mesh, spec, x.shape, even=False)
        except ShardingError as error:
            raise TypeError(str(error).partition("\n")[0]) from None
        return x

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        """Lift the calls of Note [Shardings in StableHLO], from programs of JAX's too."""
        target: Any = attribute_of(op, "call_target_name")
        if target is None or target.value not in _CONSTRAINTS:
            return None
        try:
            mesh, spec = frontend_sharding(op, attribute_of(op, FRONTEND))
        except KeyError:  # its sharding is in another form than Shardy's
            return None
        return list(op.operands), {"mesh": mesh, "spec": spec}

    @classmethod
    def lower(cls, hlo: Any, x: Value, mesh: MeshShape, spec: Spec) -> Value:
        return placement_call("Sharding", x, "sharding", mesh, spec)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, mesh: MeshShape, spec: Spec
    ) -> Sequence[Any]:
        return [emit.with_sharding(g, mesh=mesh, spec=spec)]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], mesh: MeshShape, spec: Spec
    ) -> Value:
        """Leave the batch axis to the partitioner: members may lie on different devices already."""
        return emit.with_sharding(xs[0], mesh=mesh, spec=spec.with_axis(0))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], mesh: MeshShape, spec: Spec) -> Any:
        return xs[0]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def cut(x: Any, mesh: str, spec: str) -> Any:
            return [x], {"mesh": MeshShape.parse(mesh), "spec": Spec.parse(spec)}

        return draw.calls(
            cut(draw.floats(2, 3), "x=2,y=1", "x,-"), cut(draw.floats(), "x=1", ""),
            cut(draw.floats(0, 3), "x=3", "?,x*?"), cut(draw.ints(4), "x=2,y=2", "x*y"),
            cut(draw.bools(3, 1), "x=2", "x,-"), cut(draw.complexes(3), "x=3", "-"),
        )  # fmt: skip


def frontend_attributes(**texts: str) -> dict[str, ir.Attribute]:
    """Shardy's attributes as XLA reads them: `sharding` is written as `xla.sdy.sharding`."""
    entries = {f"xla.sdy.{name}": ir.StringAttr.get(t, context()) for name, t in texts.items()}
    return {FRONTEND: ir.DictAttr.get(entries, context())}


def frontend_sharding(op: ir.Operation, attributes: Any) -> tuple[MeshShape, Spec]:
    """The sharding in a dictionary of Shardy's strings, of an op or of an argument.

    Raises `ShardingError` for a text that a spec cannot say, `KeyError` if there is none.
    """
    texts = entries_of(attributes) if attributes is not None else {}
    text: str = texts[_SHARDING].value
    return sharding_from_sdy(text, meshes_around(op))


def meshes_around(op: ir.Operation) -> dict[str, MeshShape]:
    """The meshes that the module of an op names, as JAX's exported programs do."""
    while op.parent is not None:
        op = op.parent.operation
    found = attribute_of(op, FRONTEND)
    texts = {} if found is None else entries_of(found)
    if _MESHES not in texts:
        return {}
    text: str = texts[_MESHES].value
    return {name: mesh_from_sdy(mesh) for name, mesh in _MESH.findall(text)}


def placement_call(
    target: str, x: Value, name: str, mesh: MeshShape, spec: Spec, *, type: Any = None, **more: str
) -> Value:
    """Emit a custom call that says how its result, or its operand, lies on a mesh.

    See Note [Shardings in StableHLO].  The attribute is called `name`, others are in `more`.
    """
    text = f"#sdy.sharding_per_value<[<{mesh.to_sdy()}, {spec.to_sdy()}>]>"
    attributes: dict[str, Any] = {
        "call_target_name": Text.encode(target),
        **frontend_attributes(**{name: text.replace("#sdy.mesh", "mesh")}, **more),
    }
    if target != "Sharding":  # else XLA drops a call whose operand has the same type
        attributes["has_side_effect"] = Bool.encode(True)
    types = [x.type if type is None else type]
    return ir.Operation.create("stablehlo.custom_call", types, [x], attributes).result
