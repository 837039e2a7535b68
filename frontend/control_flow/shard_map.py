"""`shard_map`: a function that each device of a mesh runs on its parts of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracing import Trace
from anvl.dialect.control_flow.shard_map import shard_map_attribute
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import Spec, check_sharding, drawn
from anvl.dispatch.nested_calls import call_function
from anvl.dispatch.partitioning.constraints import run_over
from anvl.runtime import hiding_frames
from anvl.sharding.meshes import Mesh
from anvl.sharding.named_axes import NamedAxis, binding, meshes
from anvl.sharding.specs import PartitionSpec, Sharding
from anvl.transforms.declare import check_callable, closed_over, runnable

__all__ = ["shard_map"]


@hiding_frames
def shard_map(
    f: Callable[..., Any], mesh: Mesh, in_specs: Any, out_specs: Any, *,
    axis_names: Collection[str] | None = None, check_vma: bool = True,
) -> Any:  # fmt: skip
    """Run f on each device of a mesh, on its parts of the arguments.

    In f arrays have the shapes of parts, and devices combine their values along the axes of the
    mesh by the collectives of `anvl.lax`, such as `psum`.

    Parameters
    ----------
    f : callable
        Takes positional arguments, and may close over arrays, which are whole on each device.
    mesh : Mesh
    in_specs : PartitionSpec, or a tuple of pytree prefixes of these, one for each argument
    out_specs : PartitionSpec, or a pytree prefix of these
        How the parts that the devices return make up each result.  Along axes that a spec does not
        name, all devices must return equal parts, as `psum` over these gives; one of them is the
        result.
    axis_names : collection of str, optional
        The axes of the mesh whose devices run f on parts of their own, by default all.  Specs and
        collectives name these alone; along the others the partitioner divides f, as it does the
        program around it.
    check_vma : bool
        Whether to refuse results, and choices and loops with collectives, for which values must be
        equal on devices and may differ, as far as the ops of f tell.  The name is JAX's.

    Returns
    -------
    A function of whole arrays, with derivatives of both modes and batches.

    Raises
    ------
    ShardingError
        A spec does not fit the mesh, its axes or an array; shard_map is called within another one;
        values may differ that must be equal.
    TypeError
        A spec is no PartitionSpec; a keyword argument is passed.
    ValueError
        Specs do not fit the structure of the arguments or of the result.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> from anvl.sharding import P
    >>> mesh = anvl.Mesh({"x": 1})
    >>> norm = anvl.shard_map(lambda x: lax.psum(np.sum(x * x), "x"), mesh, P("x"), P())
    >>> print(norm(np.asarray([3.0, 4.0])))
    25.0
    """
    check_callable("shard_map", f)
    request = _Request(f, mesh, in_specs, out_specs, _axes(mesh, axis_names), check_vma)

    def in_trace(*args: Any, **kwargs: Any) -> Any:
        return request.emit(*args, **kwargs)

    return runnable(f, in_trace, f"{name_of(f)} on each device of {mesh!r}, on its parts.")


def _axes(mesh: Mesh, names: Collection[str] | None) -> tuple[str, ...]:
    """The axes whose devices run the function, in the order of the mesh."""
    if not isinstance(mesh, Mesh):
        raise TypeError(
            f"shard_map: mesh must be a Mesh, got {mesh!r} of type {type(mesh).__name__}"
        )
    if names is None:
        return mesh.names
    if isinstance(names, str) or not isinstance(names, Collection):
        raise TypeError(f"shard_map: axis_names must be a set of names of axes, got {names!r}")
    others = [name for name in names if name not in mesh.names]
    if others or not names:
        raise ShardingError(
            f"shard_map: axis_names has {', '.join(map(repr, others)) or 'no axis'}; name axes of "
            f"mesh {str(mesh.grid_shape)!r}"
        )
    return tuple(name for name in mesh.names if name in names)


class _Request:
    """A call of a function on the parts of arrays."""

    def __init__(
        self,
        f: Callable[..., Any],
        mesh: Mesh,
        in_specs: Any,
        out_specs: Any,
        axes: Sequence[str],
        check_vma: bool,
    ) -> None:
        self.f, self.mesh, self.axes, self.check_vma = f, mesh, axes, check_vma
        self.in_specs, self.out_specs = in_specs, out_specs

    def emit(self, *args: Any, **kwargs: Any) -> Any:
        trace = current.trace
        assert trace is not None
        for outer_mesh in meshes():
            raise ShardingError(
                f"shard_map: it is called within another one, over {str(outer_mesh)!r}, whose "
                "devices have their parts already; combine them by the collectives of anvl.lax"
            )
        if kwargs:
            raise TypeError(
                f"shard_map: {name_of(self.f)} got {', '.join(kwargs)} by name; pass arguments by "
                "position, as in_specs are given"
            )
        (args,) = wrap_plain_leaves((args,))
        static = StaticArguments(self.f, None)
        arguments = static.split(args, {})
        paths = input_names(self.f, arguments)
        avals = [
            abstract(x, f"shard_map: {p}") for x, p in zip(arguments.leaves, paths, strict=True)
        ]
        in_specs = self.in_specs
        if isinstance(in_specs, list):
            in_specs = tuple(in_specs)
        ins = self._specs("in_specs", in_specs, args, paths, avals)
        run_over("shard_map", trace.program, self.mesh, self.mesh)
        nested = self._traced(static, arguments, self._parts(avals, ins), paths)
        outer = closed_over(nested)
        ins += [Spec.whole(x.ndim) for x in outer]
        result = tree.unflatten(nested.out_tree, nested.out_avals)
        of_result = tree.leaf_paths(nested.out_tree, "result")
        outs = self._specs("out_specs", self.out_specs, result, of_result, nested.out_avals)
        outputs = [
            aval(of.dtype, s.global_shape(self.mesh.grid_shape, of.shape))
            for of, s in zip(nested.out_avals, outs, strict=True)
        ]
        inputs = [*avals, *(x.aval for x in outer)]
        name = self._declared(trace, nested, (inputs, ins), (outputs, outs))
        found = call_function(trace, name, [*arguments.leaves, *outer], outputs)
        return tree.unflatten(nested.out_tree, found)

    def _specs(
        self, name: str, prefix: Any, along: Any, paths: Sequence[str], avals: Sequence[Aval]
    ) -> list[Spec]:
        """The spec of each leaf, checked: of whole arguments, and of parts of results."""
        grid = self.mesh.grid_shape
        found = []
        for entry, path, of in zip(self._of_leaves(name, prefix, along), paths, avals, strict=True):
            if len(entry) > of.ndim:
                raise ShardingError(
                    f"shard_map: {path}: {entry!r} has {len(entry)} entries, and {of} has "
                    f"{of.ndim} dimensions; give at most one for each"
                )
            spec = Sharding(self.mesh, entry).of_rank(of.ndim)
            if spec.is_open:
                raise ShardingError(f"shard_map: {path} has spec {entry!r}; '?' has no place here")
            others = [axis for axis in spec.axes if axis in grid.names and axis not in self.axes]
            if others:
                raise ShardingError(
                    f"shard_map: {path} has spec {entry!r}, and f runs for each device along "
                    f"{', '.join(self.axes)} of {str(grid)!r} alone; add {', '.join(others)} to "
                    f"axis_names, or leave it out here\n{drawn(grid, spec, of.shape)}"
                )
            shape = of.shape if name == "in_specs" else spec.global_shape(grid, of.shape)
            check_sharding(f"shard_map: {path}, {of}", grid, spec, shape, even=True)
            found.append(spec)
        return found

    def _of_leaves(self, name: str, prefix: Any, along: Any) -> list[PartitionSpec]:
        leaves = tree.map(_Leaf, prefix, is_leaf=lambda s: isinstance(s, PartitionSpec))
        try:
            parts = tree.prefix_parts(leaves, along, root=name)
        except ValueError as error:
            raise ValueError(f"shard_map: {name} does not fit: {error}") from None
        found = []
        for leaf, path, part in parts:
            spec = leaf.spec if isinstance(leaf, _Leaf) else leaf
            if not isinstance(spec, PartitionSpec):
                raise TypeError(f"shard_map: {path} is {spec!r}; give a PartitionSpec, such as P()")
            found += [spec] * len(tree.leaves(part))
        return found

    def _parts(self, avals: Sequence[Aval], specs: Sequence[Spec]) -> list[Aval]:
        grid = self.mesh.grid_shape
        return [
            aval(of.dtype, spec.local_shape(grid, of.shape), of.weak_type)
            for of, spec in zip(avals, specs, strict=True)
        ]

    def _traced(
        self, static: StaticArguments, arguments: Arguments, parts: list[Aval], paths: list[str]
    ) -> Traced:
        assert current.trace is not None
        axes = {name: NamedAxis(self.mesh.grid_shape) for name in self.axes}
        with binding(axes):
            abstracted = arguments._replace(leaves=parts)
            return trace_call(self.f, static, abstracted, current.trace.program, paths)

    def _declared(
        self,
        trace: Trace,
        nested: Traced,
        takes: tuple[Sequence[Aval], Sequence[Spec]],
        gives: tuple[Sequence[Aval], Sequence[Spec]],
    ) -> str:
        """Declare the function of whole arrays; returns its name."""
        name = trace.program.fresh_name(f"{nested.trace.name}_shard_map")
        inputs, outputs = ([of.type for of in avals] for avals, _ in (takes, gives))
        key, request = shard_map_attribute(
            nested.trace.name, self.mesh.grid_shape, takes[1], gives[1],
            axes=self.axes, is_checked=self.check_vma,
        )  # fmt: skip
        ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get(name, context()),
                "sym_visibility": ir.StringAttr.get("private", context()),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, outputs, context())),
                key: request,
            },
            regions=1,
            ip=ir.InsertionPoint(trace.program.module.body),
            loc=nested.trace.function.location,
        )
        return name


class _Leaf:
    """A leaf of specs: a spec is a tuple, and would be a container."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
