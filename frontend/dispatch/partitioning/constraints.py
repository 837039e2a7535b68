"""`with_sharding`: how a value within a program lies on a mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl import tree
from anvl.core.arguments import Arguments
from anvl.core.promote import as_tracer
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.core.tracing import Program, emit
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.shardings import check_sharding, drawn
from anvl.dialect.ops.sharding.with_sharding import WithShardingOp
from anvl.dispatch.partitioning.jit_shardings import JitShardings
from anvl.dispatch.transfers import device_put, prefix_leaves
from anvl.runtime import Array, hiding_frames
from anvl.sharding.meshes import Mesh, mesh_settings
from anvl.sharding.named_axes import manual_axes
from anvl.sharding.specs import PartitionSpec, Sharding, mesh_of

__all__ = ["call_with_shardings", "run_over", "with_sharding"]


@hiding_frames
def with_sharding(x: Any, sharding: Any) -> Any:
    """Say how the arrays of a pytree lie on a mesh; within a trace a wish to the partitioner.

    Parameters
    ----------
    x : array or pytree of arrays
    sharding : Sharding or PartitionSpec, or a pytree prefix of x of these
        A spec alone is over the mesh of the arguments of the program, or that of `with mesh:`.  Its
        entry `"?"` leaves a dimension to the partitioner; dimensions without an entry are whole on
        each device.  Parts may be uneven within a trace.

    Returns
    -------
    array or pytree of arrays
        Of the shapes, dtypes and values of x.  The derivative lies as x does.  Outside of traces
        the arrays are put there, as by `device_put`.

    Raises
    ------
    ShardingError
        The spec does not fit the mesh or an array; the mesh is another one than that of the
        arguments, or not known.
    TypeError
        `sharding` is none of the above.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl.sharding import P, Sharding
    >>> rows = Sharding(anvl.Mesh({"x": 1}), P("x"))
    >>> f = anvl.jit(lambda x: anvl.with_sharding(x * 2, rows).sum())
    >>> print(f(np.ones((4, 2))))
    16.0
    """
    leaves, treedef = tree.flatten(x)
    if current.trace is None:
        mesh = mesh_of(leaf.aval.placement for leaf in leaves if isinstance(leaf, Array))
        places = _leaves(leaves, treedef, sharding, mesh)
        return device_put(x, tree.unflatten(treedef, places))
    program = current.trace.program
    places = _leaves(leaves, treedef, sharding, program.mesh)
    return tree.unflatten(
        treedef, [_constrained(y, place) for y, place in zip(leaves, places, strict=True)]
    )


def _leaves(leaves: Any, treedef: Any, sharding: Any, mesh: Mesh | None) -> list[Sharding | None]:
    """The sharding of each leaf, with specs over the mesh."""
    prefix = tree.map(
        lambda s: _over(s, mesh), sharding, is_leaf=lambda s: isinstance(s, PartitionSpec)
    )
    what = "a Sharding or a PartitionSpec"
    found = prefix_leaves("with_sharding", "sharding", prefix, treedef, what)
    for place in found:
        if place is not None and not isinstance(place, Sharding):
            raise TypeError(
                f"with_sharding: sharding must be a Sharding or a PartitionSpec, got {place!r} of "
                f"type {type(place).__name__}"
            )
    return found


def _over(sharding: Any, mesh: Mesh | None) -> Any:
    if not isinstance(sharding, PartitionSpec):
        return sharding
    mesh = mesh or mesh_settings.default_mesh
    if mesh is None:
        raise ShardingError(
            f"with_sharding: {sharding!r} is over the mesh of the arguments, and none of them is "
            f"over a mesh; give Sharding(mesh, {sharding!r}), or call it in a block of `with mesh:`"
        )
    return Sharding(mesh, sharding)


def _constrained(x: Any, sharding: Sharding | None) -> Any:
    if sharding is None:
        return x
    traced: Tracer = as_tracer(x)
    mesh, spec = sharding.mesh.grid_shape, sharding.of_rank(traced.ndim)
    check_sharding("with_sharding", mesh, spec, traced.shape, even=False)
    taken = [name for name in spec.axes if name in manual_axes()]
    if taken:
        raise ShardingError(
            f"with_sharding: {sharding!r} cuts along {', '.join(taken)}, in a function given to "
            "shard_map, where each device along it has a part already; name other axes, or call it "
            f"outside\n{drawn(mesh, spec, traced.shape)}"
        )
    assert current.trace is not None
    run_over("with_sharding", current.trace.program, sharding.mesh, sharding)
    return emit(WithShardingOp, (traced,), {"mesh": mesh, "spec": spec})


def run_over(function: str, program: Program, mesh: Mesh, named: Any) -> None:
    """Let the program run over the devices of a mesh; refuse it if it runs over others."""
    if program.mesh is None:
        program.mesh = mesh
    elif program.mesh.devices != mesh.devices:
        raise ShardingError(
            f"{function}: {named!r} is over other devices than the program, which runs over "
            f"{program.mesh!r}; use one mesh"
        )


def call_with_shardings(
    shardings: JitShardings,
    f: Callable[..., Any],
    arguments: Arguments,
    call: Callable[[Arguments], Any],
) -> Any:
    """Call a function with shardings in a trace: there they are wishes for its values."""
    wanted = shardings.of_leaves(f, arguments)
    leaves = [
        x if place is None else _constrained(x, place)
        for x, place in zip(arguments.leaves, wanted, strict=True)
    ]
    result = call(arguments._replace(leaves=leaves))
    return result if shardings.results is None else with_sharding(result, shardings.results)
