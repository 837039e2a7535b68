"""`anvl.prim`: the ops of the dialect as functions, one for each, with readable rules.

    >>> from anvl import prim
    >>> prim.mul.adjoint
    <adjoint of mul, from the family Elementwise> ...

Operands are arrays of the types that the op takes: nothing is promoted or broadcast here.  Bodies,
such as the combiner of `reduce`, are functions of scalars, written with `anvl.numpy`:

    >>> import numpy
    >>> x, zero = numpy.arange(6.0).reshape(2, 3), numpy.float64(0)
    >>> prim.reduce(x, zero, dimensions=(1,), body=lambda best, x: best + x * x)
    (Array([ 5., 50.], dtype=float64),)

User-defined ops are under the name of their dialect, `prim.my.softplus`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.core.tracing import emit
from anvl.dialect.core.dialect import own_dialects
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import MAYBE_RULES, OPS, RULES
from anvl.dialect.core.params.base import Param
from anvl.dialect.core.types import numpy_dtype
from anvl.dispatch.body_tracing import with_bodies
from anvl.dispatch.eager import anew, may_change
from anvl.dispatch.jit import Jit
from anvl.runtime import Array, hiding_frames

__all__ = ["Primitive", "Rule", "primitive", "primitives"]

import_module("anvl.numpy")  # attaches operators to arrays before any is created


class Rule:
    """A rule of an op: call it, or print it to read its source."""

    def __init__(self, op_class: type[AnvlOp], name: str) -> None:
        self._function: Callable[..., Any] = getattr(op_class, name)
        self.name = name
        self.op: str = op_class.short_name
        self.owner: type = next(c for c in op_class.__mro__ if name in c.__dict__)
        self.is_own: bool = self.owner is op_class

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        where = "its own" if self.is_own else f"from the family {self.owner.__name__}"
        return f"<{self.name} of {self.op}, {where}>\n{self.source}"

    @property
    def source(self) -> str:
        """Python source of the rule."""
        return inspect.getsource(self._function)


class Rename(Rule):
    """The `lower` rule of an op that StableHLO has: the same operands, parameters and types."""

    def __init__(self, op_class: type[AnvlOp]) -> None:
        super().__init__(op_class, "lower")
        self._class = op_class
        hlo = op_class.hlo or ""
        self.target: str = hlo if "." in hlo else f"stablehlo.{hlo}"

    def __call__(self, hlo: Any, *xs: Any, **params: Any) -> Any:
        """Emit the StableHLO op, at the insertion point of `lower` rules."""
        of = self._class
        found = of.result_type(*(x.type for x in xs), **params)
        types = found if of.multiple_results else [found]
        op = ir.Operation.create(self.target, types, xs, of.encode(params))
        return list(op.results) if of.multiple_results else op.result

    def __repr__(self) -> str:
        return f"<lower of {self.op}, a rename>\n{self.source}"

    @property
    def source(self) -> str:
        """The lowering as Python source."""
        names = tuple(self._class.attribute_params)
        given = ", ".join(("*xs", *(f"{name}={name}" for name in names)))
        return f"def lower(hlo, {', '.join(('*xs', *names))}):\n    return {self.target}({given})\n"


class Primitive:
    """An op as a function of arrays, or of tracers within a trace."""

    def __init__(self, op_class: type[AnvlOp]) -> None:
        self.op_class = op_class
        self.__name__: str = op_class.short_name
        self.__doc__ = op_class.__doc__
        self._eager: Jit | None = None

    @hiding_frames
    def __call__(self, *xs: Any, **params: Any) -> Any:
        self._check(xs, params)
        if current.trace is not None:
            return self._emit(*xs, **params)
        if self._eager is None:
            self._eager = Jit(self._emitting(), static=None)
            self._eager._static.names = frozenset(self.op_class.params)
        if any(map(may_change, params.values())):
            return anew(self._emitting(), self._eager, xs, params)
        return self._eager(*xs, **params)

    def _emitting(self) -> Callable[..., Any]:
        def run(*xs: Any, **params: Any) -> Any:
            return self._emit(*xs, **params)

        run.__name__ = self.__name__  # for messages
        return run

    def _emit(self, *xs: Any, **params: Any) -> Any:
        return emit(self.op_class, xs, with_bodies(self.op_class, params))

    def _check(self, xs: tuple[Any, ...], params: dict[str, Any]) -> None:
        name = self.__name__
        self.op_class.check_count(len(xs))
        for x in xs:
            _check_operand(name, x)
        known = self.op_class.params
        required = [k for k, kind in known.items() if not kind.optional]
        if set(required) <= set(params) <= set(known):
            for k, value in params.items():
                params[k] = _checked(name, k, known[k], value)
            return
        raise TypeError(
            f"{name}: takes the parameters {', '.join(known) or 'none'}, "
            f"got {', '.join(params) or 'none'}"
        )

    def __getattr__(self, name: str) -> Any:
        if name not in (*RULES, *MAYBE_RULES):
            raise AttributeError(
                f"{self.__name__}: there is no rule {name!r}; an op has "
                f"{', '.join((*RULES, *MAYBE_RULES))}"
            )
        if not self.op_class.has_rule(name) and not (name == "lower" and self.op_class.hlo):
            raise MissingRule(f"{self.__name__}: has no `{name}` rule")
        if name == "lower" and not self.op_class.has_rule(name):
            return Rename(self.op_class)
        return Rule(self.op_class, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _OF_PRIMITIVES:
            raise AttributeError(
                f"{self.__name__}: {name} cannot be set: rules belong to the op class, which "
                "other programs share; define another op, or a function with anvl.custom_vjp"
            )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<primitive {self.__name__}>"


_OF_PRIMITIVES = ("op_class", "__name__", "__doc__", "_eager")


def _check_operand(op: str, x: Any) -> None:
    """Refuse a non-array operand, naming the op."""
    if isinstance(x, Tracer | Array):
        return
    if isinstance(x, np.ndarray | np.generic):
        try:
            numpy_dtype(x.dtype)
        except TypeError as error:
            raise TypeError(f"{op}: an operand has a {error}") from None
    elif current.trace is not None or not isinstance(x, bool | int | float | complex):
        raise TypeError(
            f"{op}: an operand is {x!r} of type {type(x).__name__}; primitives take arrays, "
            "anvl.numpy also takes Python numbers"
        )


def _checked(op: str, name: str, kind: type[Param], value: Any) -> Any:
    """Canonicalize a parameter; errors name the op."""
    try:
        return kind.checked(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{op}: {name} {error}") from None


_made: dict[str, Primitive] = {}


def primitive(op: Any) -> Primitive:
    """The function of an op, which is to a user-defined op what `prim.sin` is to `anvl.sin`.

    Parameters
    ----------
    op : class, str or line of a table
        The op, or its name in the IR.

    Returns
    -------
    Primitive

    Raises
    ------
    TypeError
        Other values.

    Examples
    --------
    >>> from anvl.prim import primitive
    >>> primitive("anvl.sin")
    <primitive sin>
    """
    op_class = OPS.get(op) if isinstance(op, str) else getattr(op, "op_class", op)
    if not (isinstance(op_class, type) and issubclass(op_class, AnvlOp) and op_class.short_name):
        raise TypeError(
            f"primitive: {op!r} is not an op; give its class, or its name such as 'anvl.sin'"
        )
    name = op_class.OPERATION_NAME
    if name not in _made or _made[name].op_class is not op_class:
        _made[name] = Primitive(op_class)
    return _made[name]


def primitives() -> dict[str, Primitive]:
    """Every primitive by name.

    Returns
    -------
    dict of str to Primitive

    Examples
    --------
    >>> from anvl.prim import primitives
    >>> primitives()["sin"]
    <primitive sin>
    """
    return {op.short_name: primitive(op) for op in OPS.values()}


class OwnPrimitives:
    """The ops of a user-defined dialect: `prim.my`."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect

    def __getattr__(self, name: str) -> Primitive:
        op_class = OPS.get(f"{self._dialect}.{name.removesuffix('_')}")
        if op_class is None:
            raise AttributeError(
                f"anvl.prim: there is no op {self._dialect}.{name}; "
                f"the dialect has {', '.join(dir(self))}"
            )
        return primitive(op_class)

    def __dir__(self) -> list[str]:
        prefix = f"{self._dialect}."
        return [name.removeprefix(prefix) for name in OPS if name.startswith(prefix)]

    def __repr__(self) -> str:
        return f"<primitives of the dialect {self._dialect}>"


def __getattr__(name: str) -> Any:
    bare = name.removesuffix("_")
    op_class = OPS.get(f"anvl.{bare}") or OPS.get(f"stablehlo.{bare}")
    if op_class is not None:
        return primitive(op_class)
    if name in own_dialects():
        return OwnPrimitives(name)
    raise AttributeError(f"anvl.prim: there is no op anvl.{name}")


def __dir__() -> list[str]:
    return [*__all__, *own_dialects(), *(n for n in primitives() if "." not in n)]
