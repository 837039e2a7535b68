"""Elementwise ops in a line each: `unary` and `binary` define one, as a row of a table does.

The columns: the op of StableHLO, the kinds of elements it takes, its derivatives, and the range
from which the numeric tests draw samples.  `F C I B` are the kinds float, complex, integer, bool.
"""

import sys
from typing import Any

from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.op import Operand, Result, Value

__all__ = [
    "ALL", "ANY", "BITS", "FC", "FI", "FIC", "POSITIVE", "REAL", "B", "Binary", "C", "F", "I", "S",
    "Unary", "binary", "unary",
]  # fmt: skip

F, C, I, B = "float", "complex", "int uint", "bool"  # noqa: E741
S = "int"  # signed
FC, FI, FIC, BITS, REAL, ALL = (
    f"{F} {C}",
    f"{F} {I}",
    f"{F} {I} {C}",
    f"{I} {B}",
    f"{F} {I} {B}",
    f"{F} {I} {C} {B}",
)
ANY, POSITIVE = (-3.0, 3.0), (0.1, 4.0)


class Unary(Elementwise):
    """Base of unary elementwise ops: y[i] = f(x[i])."""

    x: Operand
    y: Result


class Binary(Elementwise):
    """Base of binary elementwise ops: z[i] = f(x[i], y[i])."""

    x: Operand
    y: Operand
    z: Result


def _table_op(
    base: Any,
    name: str,
    hlo: Any,
    kinds: str,
    passes: tuple[Any, ...],
    domains: tuple[Any, ...],
    **rules: Any,
) -> Any:
    home = sys._getframe(2).f_globals  # globals of the file that holds the row
    described = {
        "zero_derivative_reason": "flat where it is continuous" if _is_flat(kinds, passes) else "",
        "__doc__": f"`{name}`, elementwise.  StableHLO `{hlo}`.",
        "__module__": home["__name__"],
        "hlo": hlo,
        "kinds": kinds,
        "passes": passes,
        "domains": domains,
        **rules,
    }
    if callable(hlo):
        described |= _composed(name, hlo)
    class_name = "".join(part.title() for part in name.rpartition(".")[2].split("_")) + "Op"
    made = type(class_name, (base,), described, name=name)
    build: Any = made.build  # type: ignore[attr-defined]
    build.op_class = made
    if home["__name__"].startswith("anvl.dialect."):
        home[class_name] = made
    return build


def _composed(name: str, f: Any) -> dict[str, Any]:
    """Attributes of an op composed of other ops: `f` emits them from its operands."""

    def lower(cls: Any, hlo: Any, *xs: Value) -> Value:
        return f(*xs)

    lower.formula = f  # type: ignore[attr-defined]  # messages name its line
    return {
        "__doc__": f"`{name}`, elementwise, composed of other ops.",
        "hlo": None,
        "lower": classmethod(lower),
    }


def _is_flat(kinds: str, passes: tuple[Any, ...]) -> bool:
    return F in kinds.split() and not any(passes)


def unary(name: str, hlo: Any, kinds: str, dx: Any, domain: tuple[float, float] = ANY) -> Any:
    """Define a unary op; `hlo` is the name of a StableHLO op, or a function of x that emits ops.

    `dx` maps `(g, x, y)` to g dy/dx; samples are drawn from `domain`.  Returns the op's builder.

    Parameters
    ----------
    name : str
    hlo : str or callable
    kinds : str
        Of the kinds `B I F C` (`anvl.dialect.F`, ...), with spaces between them.
    dx : callable
    domain : pair of float

    Returns
    -------
    The op's builder: a function of a value that emits the op.
    """
    return _table_op(Unary, name, hlo, kinds, (dx,), (domain,))


def binary(
    name: str,
    hlo: Any,
    kinds: str,
    dx: Any,
    dy: Any,
    first: tuple[float, float] = ANY,
    second: Any = None,
    **rules: Any,
) -> Any:
    """Define a binary op; `dx` and `dy` map `(g, x, y, z)` to g dz/dx and g dz/dy.

    `rules` are those of its block that do not follow from these, by name.

    Parameters
    ----------
    name : str
    hlo : str or callable
    kinds : str
        As of `unary`.
    dx : callable
    dy : callable
    first : pair of float
        Where samples of x are drawn from.
    second : pair of float, optional
        Where those of y are; by default as x.
    **rules : callables

    Returns
    -------
    The op's builder: a function of two values that emits the op.
    """
    return _table_op(Binary, name, hlo, kinds, (dx, dy), (first, second or first), **rules)
