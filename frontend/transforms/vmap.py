"""`vmap`: vectorize a function over a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core.arguments import Arguments, StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract, as_tracer
from anvl.core.trace_state import current
from anvl.core.traced import Traced, known_numbers, trace_call
from anvl.dialect.core.shardings import MeshShape
from anvl.dialect.interpreters.subprogram import Program
from anvl.dialect.interpreters.variance import Variance
from anvl.dispatch.nested_calls import call_function
from anvl.passes.functions.symbol_utils import KnownFunctions
from anvl.sharding.named_axes import NamedAxis, binding
from anvl.transforms.declare import check_callable, closed_over, declare_vmap, runnable

__all__ = ["vmap"]


@spelled("fun in_axes out_axes")
def vmap(
    f: Callable[..., Any] | None = None,
    in_axes: Any = 0,
    out_axes: Any = 0,
    axis_size: int | None = None,
    axis_name: str | None = None,
) -> Any:
    """Vectorize f over a batch.

    Parameters
    ----------
    f : callable
    in_axes : int, None, or tuple or list of these and of pytree prefixes
        The batch axis of each positional argument: one for all, or an entry for each; an entry may
        be a pytree prefix of its argument.  None is for unbatched arguments.  Negative axes count
        from the end.  Keyword arguments are batched along axis 0.
    out_axes : int, None, or pytree prefix of these
        The batch axis of each result; None for results that members share, such as a `psum`.
    axis_size : int, optional
        The size of the batch, if no argument is batched.
    axis_name : str, optional
        A name for the batch axis, along which members combine values by `anvl.lax.psum` and others.

    Returns
    -------
    A function of the same arguments, each with the batch axis added.

    Raises
    ------
    ValueError
        Batch sizes differ, an axis is out of range, or the axes do not fit the structure of the
        arguments (the message names the paths).
    TypeError
        An axis is not an integer, or its name is no identifier.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> dots = anvl.vmap(np.dot, in_axes=(0, None))
    >>> print(dots(np.asarray([[1.0, 2.0], [3.0, 4.0]]), np.asarray([1.0, 10.0])))
    [21. 43.]
    """
    if f is None:
        return functools.partial(
            vmap, in_axes=in_axes, out_axes=out_axes, axis_size=axis_size, axis_name=axis_name
        )
    check_callable("vmap", f)
    in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
    if not isinstance(in_axes, tuple) and not _is_axis(in_axes):
        raise TypeError(
            f"vmap: in_axes is {in_axes!r}; give an integer, None, or a tuple with an entry for "
            f"each argument of {name_of(f)}"
        )
    _check_axis_of_members(axis_size, axis_name)
    request = _Request(f, in_axes, out_axes, axis_size, axis_name=axis_name)

    def in_trace(*args: Any, **kwargs: Any) -> Any:
        return request.emit(*args, **kwargs)

    return runnable(f, in_trace, f"{name_of(f)} of each member of a batch, along {in_axes!r}.")


def _check_axis_of_members(size: Any, name: Any) -> None:
    if size is not None and (not _is_axis(size) or size < 0):
        raise TypeError(f"vmap: axis_size is {size!r}; it must be an integer of at least 0")
    if name is not None and not (isinstance(name, str) and name.isidentifier()):
        raise TypeError(f"vmap: axis_name is {name!r}; give a name such as 'i'")


def emit_along(f: Callable[..., Any], directions: Any, out_axes: int = 0) -> Any:
    """f of each of these directions, in a batch of which no message speaks, in the current trace.

    It is of the transformation that asks for it, not of the person who called that.
    """
    return _Request(f, 0, out_axes, None, is_implicit=True).emit(directions)


def _is_axis(x: Any) -> bool:
    return x is None or (isinstance(x, int | np.integer) and not isinstance(x, bool))


class _Request:
    """A batched call of a function."""

    def __init__(
        self,
        f: Callable[..., Any],
        in_axes: Any,
        out_axes: Any,
        axis_size: int | None,
        is_implicit: bool = False,
        axis_name: str | None = None,
    ) -> None:
        self.f = f
        self.name = name_of(f)
        self.in_axes = in_axes
        self.out_axes = out_axes
        self.axis_size = axis_size
        self.is_implicit = is_implicit
        self.axis_name = axis_name

    def emit(self, *args: Any, **kwargs: Any) -> Any:
        trace = current.trace
        assert trace is not None
        args, kwargs = wrap_plain_leaves((args, kwargs))
        static = StaticArguments(self.f, None)
        arguments = static.split(args, kwargs)
        paths = input_names(self.f, arguments)
        avals = [abstract(x, f"vmap: {p}") for x, p in zip(arguments.leaves, paths, strict=True)]
        axes = self._axes(args, kwargs)
        size = self._size(paths, avals, axes)
        batched = [i for i, axis in enumerate(axes) if axis is not None]
        operands = _with_axis_first(arguments.leaves, axes)
        members = [
            of if axis is None else _member(of, axis) for of, axis in zip(avals, axes, strict=True)
        ]
        place, nested = self._traced_along(size, static, arguments, members, paths)
        outer = closed_over(nested)
        members += [x.aval for x in outer]
        batched += _put_places(outer, place, size, len(operands))
        out_axes = self._out_axes(nested, batched)
        results = [i for i, axis in enumerate(out_axes) if axis is not None]
        inputs = _with_axis(members, batched, size)
        outputs = _with_axis(nested.out_avals, results, size)
        name = declare_vmap(
            trace, nested, inputs, batched, outputs, results, size, self.is_implicit
        )
        found = call_function(trace, name, [*operands, *outer], outputs)
        moved = [
            y if axis is None else anp.moveaxis(y, 0, axis)
            for y, axis in zip(found, out_axes, strict=True)
        ]
        return tree.unflatten(nested.out_tree, moved)

    def _traced_along(self, size: int, *call: Any) -> tuple[Any, Traced]:
        """The traced function, and its place along the named axis: a tracer that it may read."""
        if self.axis_name is None:
            return None, self._traced(*call)
        place = as_tracer(anp.zeros((), np.int32))
        mesh = MeshShape((self.axis_name,), (max(size, 1),))
        with binding({self.axis_name: NamedAxis(mesh, place)}):
            return place, self._traced(*call)

    def _traced(
        self,
        static: StaticArguments,
        arguments: Arguments,
        members: Sequence[Aval],
        paths: list[str],
    ) -> Traced:
        assert current.trace is not None
        abstracted = arguments._replace(leaves=list(members))
        known = known_numbers(arguments.leaves)  # a number has no axis
        return trace_call(self.f, static, abstracted, current.trace.program, paths, known)

    # -- axes of arguments -----------------------------------------------------------------------

    def _axes(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int | None]:
        """Batch axis of each leaf of the arguments."""
        in_axes = self.in_axes
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise ValueError(
                f"vmap: in_axes {in_axes!r} has {len(in_axes)} entries, but {self.name} was called "
                f"with {len(args)} positional arguments; give one for each"
            )
        axes = _axes_of_leaves("in_axes", in_axes, args, f"the arguments of {self.name}")
        return [*axes, *[0 for _ in tree.leaves(kwargs)]]

    def _size(self, paths: Sequence[str], avals: Sequence[Aval], axes: Sequence[int | None]) -> int:
        """Size of the batch, on which all batched arguments must agree."""
        sizes = {}
        for path, of, axis in zip(paths, avals, axes, strict=True):
            if axis is None:
                continue
            if not -of.ndim <= axis < of.ndim:
                raise ValueError(f"vmap: {path} of {self.name} is {_without_axis(path, of, axis)}")
            sizes[path] = (of, axis)
        different = {of.shape[axis] for of, axis in sizes.values()}
        if self.axis_size is not None:
            different.add(self.axis_size)
        if not different:
            raise ValueError(
                f"vmap: no argument of {self.name} has an axis for the members; give in_axes, or "
                "axis_size"
            )
        if len(different) > 1:
            listed = [
                f"{path} {of} has {of.shape[axis]} along axis {axis}"
                for path, (of, axis) in sizes.items()
            ]
            if self.axis_size is not None:
                listed.append(f"axis_size is {self.axis_size}")
            raise ValueError(
                f"vmap: the arguments of {self.name} differ in how many members they have: "
                f"{', '.join(listed)}"
            )
        return int(different.pop())

    # -- axes of results -------------------------------------------------------------------------

    def _out_axes(self, nested: Traced, batched: Sequence[int]) -> list[int | None]:
        """Batch axis of each leaf of the result."""
        avals, out_tree = nested.out_avals, nested.out_tree
        paths = tree.leaf_paths(out_tree, "result")
        result = tree.unflatten(out_tree, avals)
        axes = _axes_of_leaves("out_axes", self.out_axes, result, f"the result of {self.name}")
        for path, of, axis in zip(paths, avals, axes, strict=True):
            if axis is not None and not -of.ndim - 1 <= axis <= of.ndim:
                raise ValueError(
                    f"vmap: {path} of {self.name} is {of}, and with the axis of the members has "
                    f"axes {-of.ndim - 1} to {of.ndim}, but out_axes says {axis}"
                )
        if None in axes:
            self._check_shared(nested, batched, paths, axes)
        return axes

    def _check_shared(
        self,
        nested: Traced,
        batched: Sequence[int],
        paths: Sequence[str],
        axes: Sequence[int | None],
    ) -> None:
        """Refuse None for results that differ over the batch."""
        symbols = KnownFunctions(nested.program.module.operation)
        block = nested.trace.block
        *_, terminator = block.operations
        program = Program(block, list(terminator.operands), symbols=symbols)
        # Of results of derivatives the pass decides it.
        variance = Variance(symbols, everywhere=None)
        along = frozenset({self.axis_name or "members"})
        given = [along if i in batched else frozenset[str]() for i in range(len(program.arguments))]
        differs = variance.results(program, given)
        for path, varies, axis in zip(paths, differs, axes, strict=True):
            if axis is None and varies:
                raise ValueError(
                    f"vmap: out_axes is None for {path} of {self.name}, which differs from member "
                    "to member; give it an axis, or combine the members, as by lax.psum"
                )


def _put_places(outer: list[Any], place: Any, size: int, first: int) -> list[int]:
    """Replace the place of one member, if the function reads it, by those of all.

    Returns its position among the arguments, of which `first` are before `outer`.
    """
    found = [i for i, x in enumerate(outer) if x is place]
    for i in found:
        outer[i] = anp.arange(size, dtype=np.int32)
    return [first + i for i in found]


def _axes_of_leaves(role: str, axes: Any, along: Any, what: str) -> list[int | None]:
    """Axis of each leaf of a tree, from a pytree prefix of axes."""
    try:
        parts = tree.prefix_parts(axes, along, role)
    except ValueError as error:
        raise ValueError(f"vmap: {role} does not fit the structure of {what}: {error}") from None
    leaf_axes: list[int | None] = []
    for axis, path, part in parts:
        if not _is_axis(axis):
            raise TypeError(f"vmap: {path} is {axis!r}; an axis is an integer or None")
        leaf_axes += [axis] * len(tree.leaves(part))
    return leaf_axes


def _member(of: Aval, axis: int) -> Aval:
    """Aval of one member of a batch."""
    at = axis % of.ndim
    return aval(of.dtype, of.shape[:at] + of.shape[at + 1 :], of.weak_type)


def _with_axis_first(xs: Sequence[Any], axes: Sequence[int | None]) -> list[Any]:
    """Arrays with their batch axis, if they have one, moved to the front."""
    return [
        x if axis is None else anp.moveaxis(as_tracer(x), axis, 0)
        for x, axis in zip(xs, axes, strict=True)
    ]


def _with_axis(avals: Sequence[Aval], which: Sequence[int], size: int) -> list[Aval]:
    """Avals, with a leading axis of this size added to those at the positions `which`."""
    return [
        aval(a.dtype, (size, *a.shape), a.weak_type) if i in which else a
        for i, a in enumerate(avals)
    ]


def _without_axis(path: str, of: Aval, axis: int) -> str:
    """Describe an argument that lacks the axis of the batch, and what to do."""
    have = f"axes {-of.ndim} to {of.ndim - 1}" if of.ndim else "no axes"
    remedy = "give another axis, or None for an unbatched argument"
    if of.weak_type and path.endswith("]"):
        remedy += "; of a list of numbers anvl.numpy.asarray makes one array"
    return f"{of}, which has {have}, but in_axes says {axis}; {remedy}"
