"""`jit(in_shardings=, out_shardings=)`: shardings of the leaves of a call and of its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core.argument_roots import roots_of_leaves
from anvl.core.arguments import Arguments, StaticArguments, input_names, name_of, positions_of
from anvl.dialect.core.errors import ShardingError
from anvl.dispatch.transfers import prefix_leaves
from anvl.runtime import Array, Placement
from anvl.sharding.meshes import Mesh, mesh_settings
from anvl.sharding.specs import PartitionSpec, Sharding, over_default_mesh

__all__ = ["JitShardings", "jit_shardings", "result_shardings"]


class JitShardings(NamedTuple):
    """The shardings of a jitted function.

    Attributes
    ----------
    mesh : Mesh
        The mesh of the first of them; all have its devices.
    everywhere : Sharding or None
        That of all arguments.
    by_root : mapping of int or str
        For each argument, by position or name, a pytree prefix of shardings.
    results : pytree
        A prefix of the results.
    """

    mesh: Mesh
    everywhere: Sharding | None
    by_root: Mapping[int | str, Any]
    results: Any

    @property
    def place(self) -> Placement:
        """Where numbers, and arrays without a sharding of their own, are: on each device."""
        return Sharding(self.mesh).placement

    def of_leaves(self, f: Callable[..., Any], arguments: Arguments) -> list[Sharding | None]:
        """The shardings of the leaves of a call; None for those that are as they are given."""
        if self.everywhere is not None:
            return [self.everywhere] * arguments.treedef.num_leaves
        found: list[Sharding | None] = []
        for root, part in _roots(f, arguments):
            name = f"in_shardings[{root!r}]"
            prefix = self.by_root.get(root)
            found += prefix_leaves(f"jit: {name_of(f)}", name, prefix, part)
        return found

    def place_of(self, x: Any, wanted: Sharding | None, what: str) -> Placement | None:
        """Where a leaf goes; None if it is there already."""
        if wanted is not None:
            wanted.check(what, np.shape(x))
            place: Placement = wanted.placement
        elif type(x) is Array and x.aval.placement.devices == self.mesh.devices:
            return None
        else:
            place = self.place
        return None if type(x) is Array and x.aval.placement is place else place

    def places(
        self, f: Callable[..., Any], arguments: Arguments, leaves: Sequence[Any]
    ) -> list[Placement | None]:
        """Where the leaves of a call go; None for those that are there already.

        Raises
        ------
        ShardingError
            An argument does not divide over the mesh, or is over another one.
        """
        wanted = self.of_leaves(f, arguments)
        try:
            return [
                self.place_of(x, sharding, "argument")
                for x, sharding in zip(leaves, wanted, strict=True)
            ]
        except ShardingError:  # only now are the names worth their time
            names = input_names(f, arguments)
            for x, sharding, name in zip(leaves, wanted, names, strict=True):
                self.place_of(x, sharding, f"{name_of(f)}: argument {name}")
            raise


def _roots(f: Callable[..., Any], arguments: Arguments) -> Iterator[tuple[int | str, Any]]:
    """The arguments of a call, by position or name, with their structures."""
    roots = iter(roots_of_leaves(f, arguments))
    for part in arguments.treedef.children():
        for child in part.children():
            if child.num_leaves:
                yield next(roots), child
                for _ in range(child.num_leaves - 1):
                    next(roots)


def jit_shardings(
    f: Callable[..., Any], static: StaticArguments, given_in: Any, given_out: Any
) -> JitShardings | None:
    """Check `in_shardings` and `out_shardings`; its errors are those of `jit`."""
    if given_in is None and given_out is None:  # pytrees load jaxlib
        return None
    given_in, given_out = (
        tree.map(
            _over_default_mesh, given, is_leaf=lambda x: x is None or isinstance(x, PartitionSpec)
        )
        for given in (given_in, given_out)
    )
    found = list(_leaves("in_shardings", given_in)) + list(_leaves("out_shardings", given_out))
    if not found:
        return None
    (first_name, first), *others = found
    for name, other in others:
        if other.mesh.devices != first.mesh.devices:
            raise ShardingError(
                f"jit: {name_of(f)}: {first_name} is over {first.mesh!r}, {name} over "
                f"{other.mesh!r}; a program runs over the devices of one mesh, in one order"
            )
    everywhere = given_in if isinstance(given_in, Sharding) else None
    by_root = {} if everywhere is not None else _by_root(f, static, given_in)
    return JitShardings(first.mesh, everywhere, by_root, given_out)


def _over_default_mesh(place: Any) -> Any:
    is_alone = isinstance(place, PartitionSpec) and mesh_settings.default_mesh is not None
    return over_default_mesh(place, "jit") if is_alone else place


def _by_root(f: Callable[..., Any], static: StaticArguments, given: Any) -> dict[int | str, Any]:
    """The shardings by argument, from a tuple with one for each that is not static, or a dict."""
    if given is None:
        return {}
    by_root: dict[int | str, Any] = {}
    if isinstance(given, Mapping):
        for name, prefix in given.items():
            (root,) = positions_of(f, name, "in_shardings")
            by_root[root] = prefix
        return by_root
    if isinstance(given, tuple | list):
        positions = (i for i in range(len(given) + len(static.positions)))
        dynamic = (i for i in positions if i not in static.positions)
        by_root = dict(zip(dynamic, given, strict=False))
        positions_of(f, list(by_root), "in_shardings")  # refuses more than there are
        return by_root
    raise TypeError(
        f"jit: in_shardings must be a Sharding, a tuple with an entry for each argument, or a dict "
        f"by their names, got {given!r} of type {type(given).__name__}"
    )


def _leaves(name: str, given: Any) -> Iterator[tuple[str, Sharding]]:
    """The shardings in an option, with their paths."""
    is_leaf: Callable[[Any], bool] = lambda x: x is None or isinstance(x, PartitionSpec)  # noqa: E731
    leaves, treedef = tree.flatten(given, is_leaf=is_leaf)
    for leaf, path in zip(leaves, tree.leaf_paths(treedef, name), strict=True):
        if isinstance(leaf, Sharding):
            leaf.placement  # noqa: B018  # refuses dimensions that are left open
            yield path, leaf
        elif leaf is not None:
            mesh = (
                f"; give Sharding(mesh, {leaf!r}), or `with mesh:`"
                if isinstance(leaf, PartitionSpec)
                else ""
            )
            raise TypeError(
                f"jit: {path} must be a Sharding or None, got {leaf!r} of type "
                f"{type(leaf).__name__}{mesh}"
            )


def result_shardings(
    function: str, given: Any, out_tree: Any, shapes: Sequence[Sequence[int]]
) -> list[Sharding | None]:
    """The shardings of the results; None for those that the partitioner places.

    Raises
    ------
    ShardingError
        A result does not divide over the mesh.
    """
    if given is None or out_tree is None:
        return [None] * len(shapes)
    found: list[Sharding | None] = prefix_leaves(
        f"jit: {function}", "out_shardings", given, out_tree
    )
    paths = tree.leaf_paths(out_tree, "result")
    for sharding, shape, path in zip(found, shapes, paths, strict=True):
        if sharding is not None:
            sharding.check(f"{function}: {path}", shape)
    return found
