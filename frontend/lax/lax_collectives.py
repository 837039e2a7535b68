"""Collectives over named axes, with the names and the argument order of `jax.lax`.

They are for functions given to `vmap(axis_name=)`, and to `shard_map`, where the axes are those of
the mesh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.core.promote import as_tracer
from anvl.core.tracing import emit
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.shardings import MeshShape
from anvl.lax.collective_groups import Groups, checked_groups
from anvl.runtime import hiding_frames
from anvl.sharding.named_axes import named_axis

__all__ = [
    "all_gather",
    "all_to_all",
    "axis_index",
    "axis_size",
    "pmax",
    "pmean",
    "pmin",
    "ppermute",
    "pshuffle",
    "psum",
    "psum_scatter",
    "pswapaxes",
]  # fmt: skip


class _Axes(NamedTuple):
    """Axes of one mesh: of devices, or of a batch, whose `place` is known."""

    mesh: MeshShape
    names: tuple[str, ...]
    place: Any

    @property
    def size(self) -> int:
        return self.mesh.along(self.names)

    @property
    def index(self) -> Any:
        """The tracer of the place along the axes."""
        if self.place is not None:
            return as_tracer(self.place)
        return emit(OPS["anvl.axis_index"], (), {"mesh": self.mesh, "axes": self.names})

    def emit(self, op: str, x: Any, **params: Any) -> Any:
        """Emit a collective along these axes."""
        params |= {"mesh": self.mesh, "axes": self.names}
        return emit(OPS[f"anvl.{op}"], (x, self.index), params)


def _axes(function: str, axis_name: Any) -> list[_Axes]:
    """The axes by their meshes, in the order of the names, the outermost first."""
    names = axis_name if isinstance(axis_name, tuple | list) else (axis_name,)
    if not names or len(set(names)) != len(names):
        raise ShardingError(f"{function}: axis_name is {axis_name!r}; name different axes")
    found: list[_Axes] = []
    for name in names:
        axis = named_axis(function, name)
        if found and axis.place is None and found[-1].place is None:
            found[-1] = found[-1]._replace(names=(*found[-1].names, name))
        else:
            found.append(_Axes(axis.mesh, (name,), axis.place))
    return found


def _only(function: str, axis_name: Any) -> _Axes:
    """Axes that must be of one mesh."""
    axes = _axes(function, axis_name)
    if len(axes) > 1:
        raise ShardingError(
            f"{function}: axis_name is {axis_name!r}, axes of different batches or meshes; call it "
            "for one after the other"
        )
    return axes[0]


def _in_order_of_mesh(function: str, axis_name: Any) -> _Axes:
    """Axes of one mesh, for permutations: with their names in another order JAX's mean another."""
    axes = _only(function, axis_name)
    names = tuple(name for name in axes.mesh.names if name in axes.names)
    if names != axes.names:
        raise ShardingError(
            f"{function}: axis_name is {axis_name!r}, and the order of the axes of mesh "
            f"{str(axes.mesh)!r} is another, by which JAX counts the members; name them as "
            f"{names!r}, and count so in perm"
        )
    return axes


def _map(f: Callable[[Any], Any], x: Any) -> Any:
    return tree.map(lambda leaf: f(as_tracer(leaf)), x)


def _groups(function: str, axis_name: Any, given: Any) -> Groups | None:
    """The groups of members that are given; None for one of all."""
    if given is None:
        return None
    axes = _only(function, axis_name)

    def permute(x: Any, pairs: Sequence[tuple[int, int]]) -> Any:
        return axes.emit("collective_permute", x, pairs=tuple(i for pair in pairs for i in pair))

    return Groups(checked_groups(function, given, axes.size), axes.index, permute)


def _reduced(function: str, kind: str, x: Any, axis_name: Any, given: Any) -> Any:
    axes, groups = _axes(function, axis_name), _groups(function, axis_name, given)

    def reduce(y: Any) -> Any:
        if kind == "sum":
            y = _counted(y)
        if groups is not None:
            return emit(OPS[f"anvl.{kind}"], (groups.gathered(y),), {"axes": (0,)})
        for axis in reversed(axes):
            y = axis.emit("all_reduce", y, kind=kind)
        return y

    return _map(reduce, x)


@hiding_frames
def psum(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    """Sum over all members along a named axis, which each of them gets.

    The sum of a Python number is one too: `psum(1, "i")` is the size of the axis, and known.  Bools
    are counted.

    Parameters
    ----------
    x : array or pytree of arrays
    axis_name : str or tuple of str
    axis_index_groups : list of lists of int, optional
        Groups of members, of one size, each of which is summed by itself.  A group exchanges its
        values member by member; in an axis of its own, XLA may do better.

    Returns
    -------
    array or pytree of arrays

    Raises
    ------
    ShardingError
        There is no axis of this name; the groups have not each member once, or several sizes.

    Notes
    -----
    The derivative of a sum over members is a sum: the gradient of one member is that of the sum of
    what all members return.  Each device must reach it: in `shard_map`, devices must not differ in
    a branch that has one.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> print(anvl.vmap(lambda x: x / lax.psum(x, "i"), axis_name="i")(np.asarray([1.0, 3.0])))
    [0.25 0.75]
    """
    if type(x) in (bool, int, float, complex):
        return x * _size("psum", axis_name, axis_index_groups)
    return _reduced("psum", "sum", x, axis_name, axis_index_groups)


@hiding_frames
def pmean(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    """Mean over all members along a named axis, which each of them gets: as `psum`.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> print(anvl.vmap(lambda x: x - lax.pmean(x, "i"), axis_name="i")(np.asarray([1.0, 3.0])))
    [-1.  1.]
    """
    size = _size("pmean", axis_name, axis_index_groups)
    total = psum(tree.map(as_tracer, x), axis_name, axis_index_groups=axis_index_groups)
    return tree.map(lambda y: y / size, total)


@hiding_frames
def pmax(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    """Maximum over all members along a named axis; members that attain it share its slope evenly.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> print(anvl.vmap(lambda x: lax.pmax(x, "i"), axis_name="i")(np.asarray([1.0, 3.0])))
    [3. 3.]
    """
    return _reduced("pmax", "max", x, axis_name, axis_index_groups)


@hiding_frames
def pmin(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    """Minimum over all members along a named axis, as `pmax`.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> print(anvl.vmap(lambda x: lax.pmin(x, "i"), axis_name="i")(np.asarray([1.0, 3.0])))
    [1. 1.]
    """
    return _reduced("pmin", "min", x, axis_name, axis_index_groups)


@hiding_frames
def axis_index(axis_name: Any) -> Any:
    """Where this member stands along a named axis, an i32; the last of several varies fastest.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> print(anvl.vmap(lambda x: x + lax.axis_index("i"), axis_name="i")(np.zeros(3)))
    [0. 1. 2.]
    """
    first, *rest = _axes("axis_index", axis_name)
    place = first.index
    for axis in rest:
        place = place * np.int32(axis.size) + axis.index
    return place


@hiding_frames
def axis_size(axis_name: Any) -> int:
    """The number of members along a named axis, known while tracing.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> print(anvl.vmap(lambda x: x * lax.axis_size("i"), axis_name="i")(np.ones(3)))
    [3. 3. 3.]
    """
    size = 1
    for axis in _axes("axis_size", axis_name):
        size *= axis.size
    return size


@hiding_frames
def all_gather(
    x: Any, axis_name: Any, *, axis_index_groups: Any = None, axis: int = 0, tiled: bool = False
) -> Any:
    """Each member's x, in an array along a new axis, or, `tiled`, along an axis of x.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> print(anvl.vmap(lambda x: lax.all_gather(x, "i"), axis_name="i")(np.asarray([1.0, 3.0])))
    [[1. 3.]
     [1. 3.]]
    """
    axes = _axes("all_gather", axis_name)
    groups = _groups("all_gather", axis_name, axis_index_groups)

    def gather(y: Any) -> Any:
        y = y if tiled else anp.expand_dims(y, axis)
        at = _axis("all_gather", axis, y)
        if groups is not None:
            return groups.joined(groups.gathered(y), at)
        for one in reversed(axes):
            y = one.emit("all_gather", y, dimension=at)
        return y

    return _map(gather, x)


@hiding_frames
def psum_scatter(
    x: Any,
    axis_name: Any,
    *,
    scatter_dimension: int = 0,
    axis_index_groups: Any = None,
    tiled: bool = False,
) -> Any:
    """Sum over all members, of which each gets a part along `scatter_dimension`.

    That axis has the size of the named one, and goes; `tiled`, it is cut into as many parts.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> x = np.asarray([[1.0, 2.0], [10.0, 20.0]])
    >>> print(anvl.vmap(lambda x: lax.psum_scatter(x, "i"), axis_name="i")(x))
    [11. 22.]
    """
    axes = _axes("psum_scatter", axis_name)
    size = _size("psum_scatter", axis_name, axis_index_groups)
    groups = _groups("psum_scatter", axis_name, axis_index_groups)

    def scatter(y: Any) -> Any:
        at = _axis("psum_scatter", scatter_dimension, y)
        _check_parts("psum_scatter", y, at, size, tiled)
        if groups is not None:
            total = emit(OPS["anvl.sum"], (groups.gathered(y),), {"axes": (0,)})
            y = groups.part(total, at)
        for one in axes if groups is None else ():
            y = one.emit("reduce_scatter", y, dimension=at)
        return y if tiled else anp.squeeze(y, at)

    return _map(scatter, x)


@hiding_frames
def all_to_all(
    x: Any,
    axis_name: Any,
    split_axis: int,
    concat_axis: int,
    *,
    axis_index_groups: Any = None,
    tiled: bool = False,
) -> Any:
    """Give part k of x along `split_axis` to member k, which joins its parts along `concat_axis`.

    The axis that is split has the size of the named one, and goes, and the parts lie along a new
    one; `tiled`, the first is cut into as many parts, and these are joined along the second.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> x = np.arange(4).reshape(2, 2)
    >>> print(anvl.vmap(lambda x: lax.all_to_all(x, "i", 0, 0), axis_name="i")(x))
    [[0 2]
     [1 3]]
    """
    axes = _only("all_to_all", axis_name)
    groups = _groups("all_to_all", axis_name, axis_index_groups)
    size = axes.size if groups is None else groups.size

    def exchange(y: Any) -> Any:
        split = _axis("all_to_all", split_axis, y)
        concat = _axis("all_to_all", concat_axis, y)
        _check_parts("all_to_all", y, split, size, tiled)
        if groups is not None:
            parts = groups.part(groups.gathered(y), split + 1)
            if tiled:
                return groups.joined(parts, concat)
            return anp.moveaxis(anp.squeeze(parts, split + 1), 0, concat)
        if tiled:
            return axes.emit("all_to_all", y, split_dimension=split, concat_dimension=concat)
        y = axes.emit(
            "all_to_all", anp.expand_dims(y, 0), split_dimension=split + 1, concat_dimension=0
        )
        return anp.moveaxis(anp.squeeze(y, split + 1), 0, concat)

    return _map(exchange, x)


@hiding_frames
def pswapaxes(x: Any, axis_name: Any, axis: int, *, axis_index_groups: Any = None) -> Any:
    """Swap the named axis, over which members lie, with an axis of x of the same size.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> x = np.arange(4).reshape(2, 2)
    >>> print(anvl.vmap(lambda x: lax.pswapaxes(x, "i", 0), axis_name="i")(x))
    [[0 2]
     [1 3]]
    """
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


@hiding_frames
def ppermute(x: Any, axis_name: Any, perm: Sequence[tuple[int, int]]) -> Any:
    """Send x to other members: `perm` has pairs of source and target.

    A member that is no target gets zeros.  Of several axes, members are counted as by `axis_index`,
    the last axis fastest.  The names must be in the order of the mesh: JAX counts members in that
    order whatever the order of the names, other than its `axis_index`.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> shift = lambda x: lax.ppermute(x, "i", [(0, 1), (1, 2)])
    >>> print(anvl.vmap(shift, axis_name="i")(np.asarray([1.0, 2.0, 3.0])))
    [0. 1. 2.]
    """
    axes = _in_order_of_mesh("ppermute", axis_name)
    pairs = tuple(_pairs(axes, perm))
    return _map(lambda y: axes.emit("collective_permute", y, pairs=pairs), x)


@hiding_frames
def pshuffle(x: Any, axis_name: Any, perm: Sequence[int]) -> Any:
    """The x of member `perm[k]` for member k: as `ppermute`, for permutations of all members.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import lax
    >>> shuffle = lambda x: lax.pshuffle(x, "i", [2, 0, 1])
    >>> print(anvl.vmap(shuffle, axis_name="i")(np.asarray([1.0, 2.0, 3.0])))
    [3. 1. 2.]
    """
    axes = _in_order_of_mesh("pshuffle", axis_name)
    if sorted(perm) != list(range(axes.size)):
        raise ShardingError(
            f"pshuffle: perm is {list(perm)}; it must be a permutation of 0 to {axes.size - 1}"
        )
    return ppermute(x, axis_name, list(zip(perm, range(axes.size), strict=True)))


def _size(function: str, axis_name: Any, given: Any) -> int:
    """The number of members, of all or of a group."""
    size = axis_size(axis_name)
    return size if given is None else len(checked_groups(function, given, size)[0])


def _counted(x: Any) -> Any:
    """A bool array as numbers, 1 where it is true."""
    found = as_tracer(x)
    return found.astype("int32") if found.dtype == np.bool_ else x


def _pairs(axes: _Axes, perm: Sequence[tuple[int, int]]) -> Iterator[int]:
    for pair in perm:
        if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise ShardingError(f"ppermute: perm has {pair!r}; give pairs of source and target")
        source, target = pair
        for member in (source, target):
            if not isinstance(member, int | np.integer):
                raise ShardingError(f"ppermute: {tuple(pair)} must be two integers")
            if not 0 <= member < axes.size:
                raise ShardingError(
                    f"ppermute: {tuple(pair)} names member {member}, of 0 to {axes.size - 1}"
                )
        yield int(source)
        yield int(target)
    ends = list(zip(*perm, strict=True))
    if any(len(set(of)) != len(of) for of in ends):
        raise ShardingError(
            f"ppermute: perm {list(map(tuple, perm))} names a source or a target twice; each "
            "member sends and gets once"
        )


def _axis(function: str, axis: int, x: Any) -> int:
    if not isinstance(axis, int | np.integer) or not -x.ndim <= axis < x.ndim:
        raise ShardingError(f"{function}: axis {axis} is not an axis of {x.aval}")
    return axis % x.ndim


def _check_parts(function: str, x: Any, axis: int, size: int, tiled: bool) -> None:
    length = x.shape[axis]
    if length % size if tiled else length != size:
        wanted = f"a multiple of {size}" if tiled else f"{size}, or tiled=True and a multiple"
        raise ShardingError(
            f"{function}: axis {axis} of {x.aval} has size {length}, and there are {size} members; "
            f"it must be {wanted}"
        )
