"""`jacobian` and `hessian`: dense, or sparse in as few directions as their patterns need."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core.avals import Aval
from anvl.core.spellings import argument_choice
from anvl.jacobians.compressed import sparse_hessian, sparse_jacobian
from anvl.jacobians.dense_jacobians import Call, columns, is_real, jacobian_of, rows
from anvl.transforms.vjp import Reverse
from anvl.transforms.wrt import Chosen

__all__ = ["hessian", "jacobian"]


@spelled("fun argnums has_aux holomorphic allow_int")
def jacobian(
    f: Callable[..., Any] | None = None,
    wrt: Any = 0,
    has_aux: bool = False,
    *,
    argnums: Any = None,
    sparsity: Any = None,
    mode: str | None = None,
) -> Any:
    """Make a function that returns the Jacobian of f, dense or sparse.

    With `sparsity="auto"` the pattern is found in the program of f: it holds for all values of the
    arguments.  Columns that share no row, or rows that share no column, are computed in one
    direction: a tridiagonal Jacobian takes 3, whatever its size.

    Parameters
    ----------
    f, wrt, has_aux, argnums
        As of `jacfwd`.
    sparsity : None, "auto", array of bool or pair of arrays of int
        None for dense arrays; `"auto"` to find the pattern; or the pattern, for one result and one
        argument: bools, of shape S + T or a row for each element of the result, or a pair of the
        rows and the columns.
    mode : None, "forward" or "reverse"
        The mode of differentiation; None takes the one of fewer directions.

    Returns
    -------
    callable
        From the arguments of f to the Jacobian, in the structure of the result of f, in it that of
        `wrt`.  Dense: arrays of shape S + T.  Sparse: a `SparseMatrix` for each.

    Raises
    ------
    TypeError
        As `jacfwd`.
    ValueError
        `sparsity` or `mode` is none of these, or the pattern does not fit the shapes.
    CheckError
        From a call: a pattern that was given lacks elements that the Jacobian has.

    Notes
    -----
    Source: A. Gebremedhin and others, What Color Is Your Jacobian? (SIAM Review 47, 2005).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> f = lambda x: x[1:] * x[:-1]
    >>> print(anvl.jacobian(f)(np.asarray([1.0, 2.0])))
    [[2. 1.]]
    >>> found = anvl.jacobian(f, sparsity="auto")(np.arange(1000.0))
    >>> print(found.shape, found.nnz, found.colors)
    (999, 1000) 1998 2
    """
    chosen = argument_choice("jacobian", f, wrt, argnums)
    if f is None:
        given = {"wrt": wrt, "argnums": argnums}
        return functools.partial(jacobian, has_aux=has_aux, sparsity=sparsity, mode=mode, **given)
    return jacobian_of(f, chosen, "jacobian", _way(sparsity, mode), has_aux)


def _way(sparsity: Any, mode: str | None) -> Callable[..., Any]:
    """The function that makes the blocks of a Jacobian."""
    ways = {"forward": columns, "reverse": rows, None: _fewer}
    if mode not in ways:
        raise ValueError(f"jacobian: mode is {mode!r}; give 'forward', 'reverse' or None")
    _check_sparsity("jacobian", sparsity)
    if sparsity is None:
        return ways[mode]
    return functools.partial(sparse_jacobian, sparsity=sparsity, mode=mode)


def _fewer(call: Call, named: Chosen) -> tuple[Any, list[list[Any]]]:
    """Dense blocks, by the mode of fewer directions."""
    reverse = Reverse(call.transform, call.f, call.arguments, [])
    inputs = sum(call.avals[i].size for i in named.leaves(call.avals))
    way = columns if inputs <= sum(of.size for of in reverse.out_avals) else rows
    return way(call, named)


def _check_sparsity(transform: str, sparsity: Any) -> None:
    if isinstance(sparsity, str) and sparsity != "auto":
        raise ValueError(
            f"{transform}: sparsity is {sparsity!r}; give 'auto', an array of bools, a pair of "
            "rows and columns, or None for dense arrays"
        )


@spelled("fun argnums has_aux holomorphic")
def hessian(
    f: Callable[..., Any] | None = None,
    wrt: Any = 0,
    has_aux: bool = False,
    *,
    argnums: Any = None,
    sparsity: Any = None,
) -> Any:
    """Make a function that returns the Hessian of f: forward mode over reverse mode.

    Parameters and errors as of `jacfwd`.  The result has the structure of the result of f, in it
    twice that of the `wrt` part: arrays of shape S + T + U.  With `sparsity`, f returns one float
    scalar, and there is a `SparseMatrix` for each pair of arrays in `wrt`; where the pattern is
    symmetric, so is the Hessian taken to be, which needs fewer directions.

    Parameters
    ----------
    f, wrt, has_aux, argnums
        As of `jacfwd`.
    sparsity : None, "auto", array of bool or pair of arrays of int
        As of `jacobian`.

    Returns
    -------
    callable
        From the arguments of f to the Hessian.

    Raises
    ------
    TypeError
        As `jacfwd`; with `sparsity`, f does not return one float scalar.
    ValueError
        `sparsity` is none of these, does not fit the shapes, or is not symmetric.
    CheckError
        From a call: a pattern that was given lacks elements that the Hessian has.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.hessian(lambda x: np.prod(x))(np.asarray([2.0, 3.0, 5.0])))
    [[0. 5. 3.]
     [5. 0. 2.]
     [3. 2. 0.]]
    """
    chosen = argument_choice("hessian", f, wrt, argnums)
    if f is None:
        given = {"wrt": wrt, "argnums": argnums}
        return functools.partial(hessian, has_aux=has_aux, sparsity=sparsity, **given)
    _check_sparsity("hessian", sparsity)
    if sparsity is None:
        gradient = jacobian_of(f, chosen, "hessian", rows, has_aux)
        return jacobian_of(gradient, chosen, "hessian", columns, has_aux)

    def blocks(call: Call, named: Chosen) -> tuple[Any, list[list[Any]]]:
        gradient = _gradient_of(call, named.leaves(call.avals))
        found = sparse_hessian(gradient, named, sparsity)
        within = [tree.unflatten(named.structure, row) for row in found]
        return gradient.out_tree, [within]

    return jacobian_of(f, chosen, "hessian", blocks, has_aux)


class _Gradient(Call):
    """A call of the gradient of a function, as the list of its chosen leaves."""

    out_tree: Any = None


def _gradient_of(call: Call, chosen: Sequence[int]) -> _Gradient:
    """The same call, of the gradient of its function with respect to these leaves."""

    @functools.wraps(call.f)
    def slopes(*args: Any, **kwargs: Any) -> list[Any]:
        inner = call.again(args, kwargs)
        reverse = Reverse(call.transform, call.f, inner, chosen)
        _check_scalar(call, reverse.out_avals)
        gradient.out_tree = reverse.out_tree
        return reverse.pull_back(tree.unflatten(reverse.out_tree, [1.0]))

    args, kwargs = call.given
    gradient = _Gradient(slopes, call.transform, args, kwargs, False)
    return gradient


def _check_scalar(call: Call, outs: Sequence[Aval]) -> None:
    if len(outs) != 1 or outs[0].shape != () or not is_real(outs[0]):
        what = ", ".join(map(repr, outs)) or "nothing"
        raise TypeError(
            f"{call.transform}: with sparsity {call.name} must return one float scalar, and "
            f"returns {what}; reduce it, for example with anvl.numpy.sum, or leave sparsity out"
        )
