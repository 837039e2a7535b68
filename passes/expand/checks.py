"""Checks of what a transformation is asked for: options, and positions of arguments and results."""

from collections.abc import Sequence

from anvl.dialect.core.errors import PassError
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import shape_text
from anvl.passes.framework.pass_base import Pass

__all__ = ["check_floats", "check_function_given", "check_positions", "is_float"]


def is_float(type_: ir.Type) -> bool:
    """Whether values of this type have a derivative."""
    return isinstance(type_, ir.RankedTensorType) and differentiable(type_)


def check_function_given(pass_: Pass, but: Sequence[str] = ()) -> None:
    """Refuse options that need `function=`, where it is not given.

    The options in `but` apply to all functions.
    """
    options = [(name, option) for name, option in pass_.options().items() if name not in but]
    given = [name for name, option in options if getattr(pass_, name) != option.default]
    if given and "function" not in given:
        verb = "needs" if len(given) == 1 else "need"
        problem = f"{' and '.join(given)} {verb} function=f"
        raise PassError(pass_.argument, problem)


def check_positions(
    argument: str, name: str, role: str, positions: Sequence[int], count: int, place: str
) -> None:
    """Refuse positions that do not exist, or repeat."""
    if len(set(positions)) != len(positions):
        problem = f"{role} {shape_text(positions)} repeats a position"
        raise PassError(argument, f"@{name}: {problem}", place)
    for i in positions:
        if not 0 <= i < count:
            problem = f"{role} {i} is out of range for {count} positions"
            raise PassError(argument, f"@{name}: {problem}", place)


def check_floats(
    argument: str,
    name: str,
    role: str,
    positions: Sequence[int],
    types: Sequence[ir.Type],
    place: str,
) -> None:
    """Refuse positions of values that are not floats, that do not exist, or that repeat."""
    check_positions(argument, name, role, positions, len(types), place)
    for i in positions:
        if not is_float(types[i]):
            problem = f"{role} {i} is {types[i]}; only floats have a derivative"
            raise PassError(argument, f"@{name}: {problem}", place)
