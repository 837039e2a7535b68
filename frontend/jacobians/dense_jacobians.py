"""`jacfwd` and `jacrev`: full derivative matrices; `hvp`: Hessian-vector products."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import anvl.numpy as anp
from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core.arguments import (
    Arguments,
    StaticArguments,
    input_names,
    name_of,
    wrap_non_arrays,
    wrap_plain_leaves,
)
from anvl.core.avals import Aval
from anvl.core.promote import abstract
from anvl.core.spellings import argument_choice
from anvl.core.trace_state import current
from anvl.dialect.core.types import element_type, kind
from anvl.dispatch.nested_calls import call_in_trace
from anvl.runtime import hiding_frames
from anvl.transforms.aux_results import check_has_aux, with_aux
from anvl.transforms.declare import check_callable, numbered, runnable
from anvl.transforms.jvp import jvp_of, push_forward
from anvl.transforms.vjp import Reverse
from anvl.transforms.vmap import emit_along
from anvl.transforms.wrt import Chosen, Wrt

__all__ = ["Call", "columns", "hvp", "is_real", "jacfwd", "jacobian_of", "jacrev", "rows"]


@spelled("fun argnums has_aux holomorphic")
def jacfwd(
    f: Callable[..., Any] | None = None,
    wrt: Any = 0,
    has_aux: bool = False,
    *,
    argnums: Any = None,
) -> Any:
    """Make a function that returns the Jacobian of f, by forward mode: for few inputs.

    Parameters
    ----------
    f : callable
    wrt : int, str or tuple of these
        What to differentiate with respect to: the position or name of an argument, or the path to a
        part of one (`"params.w"`).
    has_aux : bool
        Whether f returns a pair, of which only the first part is differentiated.
    argnums : int or tuple of int
        JAX's spelling of `wrt`.

    Returns
    -------
    A function of the same arguments, with `has_aux` of a pair: that and what f returned as second.
    Its result has the structure of the result of f; each array
    of shape S there is replaced by the structure of `wrt`'s part, with an array of shape S + T for
    each of its arrays of shape T.

    Raises
    ------
    TypeError
        A part in `wrt`, or a result, holds no real floats (the message names the paths).
    ValueError
        `wrt` names nothing of f.

    Notes
    -----
    Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), section 3.1.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.jacfwd(lambda x: x * x)(np.asarray([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """
    chosen = argument_choice("jacfwd", f, wrt, argnums)
    if f is None:
        given = {"wrt": wrt, "argnums": argnums}
        return functools.partial(jacfwd, has_aux=has_aux, **given)
    wrt = chosen
    return jacobian_of(f, wrt, "jacfwd", columns, has_aux)


@spelled("fun argnums has_aux holomorphic allow_int")
def jacrev(
    f: Callable[..., Any] | None = None,
    wrt: Any = 0,
    has_aux: bool = False,
    *,
    argnums: Any = None,
) -> Any:
    """Make a function that returns the Jacobian of f, by reverse mode: for few outputs.

    As `jacfwd`; since it is reverse mode, `wrt` may also name a value tagged by `anvl.tag`.

    Parameters
    ----------
    f : callable
        A function of arrays, numbers and pytrees of them.
    wrt : str, int or tuple of these
        As of `jacfwd`: names, positions and paths of arguments.
    has_aux : bool
        Whether f returns a pair, whose second part is returned as it is.
    argnums : int or tuple of int, optional
        JAX's name of `wrt`.

    Returns
    -------
    callable
        From the arguments of f to the Jacobian: arrays of shape S + T.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.jacrev(lambda x: np.sum(x * x))(np.asarray([1.0, 2.0])))
    [2. 4.]
    """
    chosen = argument_choice("jacrev", f, wrt, argnums)
    if f is None:
        given = {"wrt": wrt, "argnums": argnums}
        return functools.partial(jacrev, has_aux=has_aux, **given)
    wrt = chosen
    return jacobian_of(f, wrt, "jacrev", rows, has_aux)


@hiding_frames
def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Hessian-vector product of a scalar function: forward mode over reverse mode.

    Parameters
    ----------
    f : callable
        Returns one float scalar.
    primals : tuple
        The positional arguments of f.
    tangents : tuple
        Their directions, of the same structure, dtypes and shapes; None for no direction.

    Returns
    -------
    The tangent of the gradient: a tuple with an entry for each argument, of its structure, with
    None for non-floats.

    Raises
    ------
    TypeError
        f does not return one float scalar.  For tangents as `jvp`.

    Notes
    -----
    Source: B. Pearlmutter, Fast Exact Multiplication by the Hessian (Neural Computation 6, 1994).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> (moved,) = anvl.hvp(np.prod, (np.asarray([2.0, 3.0, 5.0]),), (np.asarray([1.0, 0.0, 0.0]),))
    >>> print(moved)
    [0. 5. 3.]
    """
    check_callable("hvp", f)

    @functools.wraps(f)
    def slopes(*args: Any) -> Any:
        arguments = StaticArguments(f, None).split(*wrap_plain_leaves((args, {}), integers=True))
        reverse = Reverse("hvp", f, arguments)
        outs = reverse.out_avals
        if len(outs) != 1 or outs[0].shape != () or not is_real(outs[0]):
            what = ", ".join(map(repr, outs)) or "nothing"
            raise TypeError(
                f"hvp: {name_of(f)} returns {what}, not one float scalar; reduce it, for example "
                "with anvl.numpy.sum, or use anvl.jvp of anvl.vjp with cotangents of its results"
            )
        return reverse.pullback(tree.unflatten(reverse.out_tree, [1.0]))

    return jvp_of("hvp", slopes, primals, tangents)[1]


def jacobian_of(
    f: Callable[..., Any],
    wrt: Any,
    transform: str,
    matrices: Callable[..., Any],
    has_aux: bool,
) -> Callable[..., Any]:
    """A function that returns the blocks that `matrices` makes of a call of f, in its structure."""
    check_callable(transform, f)
    check_has_aux(transform, has_aux)
    why = "only real floats have a Jacobian"
    has_tags = transform == "jacrev"  # forward mode differentiates with respect to inputs
    entries = Wrt(f, wrt, transform, accepts=is_real, why=why, has_tags=has_tags)

    def in_trace(*args: Any, **kwargs: Any) -> Any:
        call = Call(f, transform, args, kwargs, has_aux)
        named = entries.of_call(*numbered(call.arguments))
        out_tree, blocks = matrices(call, named)
        # For each result the blocks of all parts of `wrt`, in its structure.
        found = [tree.unflatten(named.structure, row) for row in blocks]
        found = tree.unflatten(out_tree, found)
        return (found, call.pair(*args, **kwargs)[1]) if has_aux else found

    def eager(*args: Any, **kwargs: Any) -> Any:
        return wrap_non_arrays(in_trace(*args, **kwargs))

    doc = f"The {transform} of {name_of(f)} with respect to {wrt!r}."
    return runnable(f, in_trace, doc, eager if has_aux else None)


class Call:
    """A call of f in the current trace: its arguments, and f as a function that is traced once."""

    def __init__(
        self,
        f: Callable[..., Any],
        transform: str,
        args: Any,
        kwargs: dict[str, Any],
        has_aux: bool,
    ) -> None:
        self.transform = transform
        self.name = name_of(f)
        self.given = args, kwargs
        self._static = StaticArguments(f, None)
        self.arguments = self.again(args, kwargs)
        self.paths = input_names(f, self.arguments)
        leaves = zip(self.arguments.leaves, self.paths, strict=True)
        self.avals = [abstract(x, path) for x, path in leaves]
        self._f = f

        traced = with_aux(f, transform) if has_aux else f

        @functools.wraps(f)
        def once(*args: Any, **kwargs: Any) -> Any:
            assert current.trace is not None
            arguments = self.again(args, kwargs)
            return call_in_trace(self, traced, self._static, current.trace, arguments)

        @functools.wraps(f)
        def first(*args: Any, **kwargs: Any) -> Any:
            return once(*args, **kwargs)[0]

        self.pair = once  # with `has_aux`
        self.f = first if has_aux else once

    def again(self, args: Any, kwargs: dict[str, Any]) -> Arguments:
        """The arguments of another call of this function."""
        return self._static.split(*wrap_plain_leaves((args, kwargs), integers=True))

    def check_outputs(self, avals: Sequence[Aval], out_tree: Any) -> None:
        """Refuse results that have no real derivative."""
        for of, path in zip(avals, tree.leaf_paths(out_tree, "result"), strict=True):
            if not is_real(of):
                raise TypeError(
                    f"{self.transform}: {path} of {self.name} is {of}; only real floats have a "
                    "Jacobian: return it from another function, or cast it"
                )


def is_real(of: Aval) -> bool:
    return kind(element_type(of.dtype)) == "float"


def columns(call: Call, named: Chosen) -> tuple[Any, list[list[Any]]]:
    """Jacobian blocks of all chosen leaves for each result, from a batch of tangents per leaf."""
    chosen = named.leaves(call.avals)
    if not chosen:
        return rows(call, named)  # it has the structure of the result, and no direction
    columns = []
    out_tree: Any = None
    for i in chosen:
        of = call.avals[i]

        def push(t: Any, i: int = i) -> list[Any]:
            nonlocal out_tree
            again = i != chosen[0]
            value, tangent = push_forward(call.f, call.arguments, [i], [t], again=again)
            results, out_tree = tree.flatten(value)
            call.check_outputs([abstract(y) for y in results], out_tree)
            return tree.leaves(tangent)

        if of.size == 1:
            columns.append([y.reshape((*y.shape, *of.shape)) for y in push(_single_direction(of))])
            continue
        found = emit_along(push, _basis(of), out_axes=-1)
        columns.append([y.reshape((*y.shape[:-1], *of.shape)) for y in found])
    return out_tree, [list(row) for row in zip(*columns, strict=True)]


def rows(call: Call, named: Chosen) -> tuple[Any, list[list[Any]]]:
    """Jacobian blocks for each result, from a batch of cotangents for each result."""
    chosen = named.leaves(call.avals)
    reverse = Reverse(call.transform, call.f, call.arguments, chosen)
    reverse.tags = named.tags(reverse.nested)
    outs, out_tree = reverse.out_avals, reverse.out_tree
    call.check_outputs(outs, out_tree)
    blocks = []
    for j, of in enumerate(outs):

        def pull(g: Any, j: int = j) -> list[Any]:
            seeds = [g if k == j else None for k in range(len(outs))]
            return reverse.pull_back(tree.unflatten(out_tree, seeds))

        if of.size == 1:
            blocks.append([x.reshape((*of.shape, *x.shape)) for x in pull(_single_direction(of))])
            continue
        found = emit_along(pull, _basis(of))
        found = named.in_order(found[: len(chosen)], found[len(chosen) :])
        blocks.append([x.reshape((*of.shape, *x.shape[1:])) for x in found])
    return out_tree, blocks


def _single_direction(of: Aval) -> Any:
    """The only direction of an array of one element, without the axis of a batch."""
    return anp.ones(of.shape, dtype=of.dtype)


def _basis(of: Aval) -> Any:
    """All unit directions of an array: the rows of an identity matrix."""
    return anp.eye(of.size, dtype=of.dtype).reshape((of.size, *of.shape))
