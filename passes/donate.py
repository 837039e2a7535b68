"""anvl-donate: arguments give their memory to results."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from anvl.dialect.core.attributes import entries_of
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.symbol_utils import body_of, functions_of

__all__ = ["ALIASED", "Donate"]

_NAME = "anvl-donate"

#: Of an argument, the position of the result that takes its memory (XLA's import of StableHLO).
ALIASED = "tf.aliasing_output"


@dataclass(frozen=True)
class Donate(Pass, argument=_NAME):
    """Mark arguments whose memory results may take, as PJRT plugins read it.

    Each argument in `args` of the function gets the attribute `tf.aliasing_output = k : i32` for
    the first result k of its type that no other argument has.  One without such a result stays
    unmarked, and is reported: it keeps its memory.  Arguments that are marked already keep their
    results.
    """

    anchor = "builtin.module"

    function: str = option("main", help="the function whose arguments are donated")
    args: tuple[int, ...] = option((), help="positions of the donated arguments")
    #: Called with the positions of the arguments that no result can use; from Python only.
    on_report: Callable[[list[int]], None] | None = field(default=None, compare=False)

    def run(self, module: ir.Operation) -> None:
        function = functions_of(module).get(self.function)
        if not self.args:
            return
        if function is None or body_of(function) is None:
            raise PassError(
                _NAME, f"there is no function @{self.function} with a body; name one by function="
            )
        inputs = function.attributes["function_type"].value.inputs
        for position in self.args:
            if not 0 <= position < len(inputs):
                raise PassError(
                    _NAME,
                    f"args has {position}, but @{self.function} has {len(inputs)} arguments",
                    str(function.location),
                )
        unused = _mark(function, sorted(set(self.args)))
        if self.on_report is not None:
            self.on_report(unused)
            return
        for position in unused:
            print(
                f"{_NAME}: note: argument {position} of @{self.function}, {inputs[position]}, is "
                "not donated: no result of its type is left",
                file=sys.stderr,
            )


def _mark(function: ir.Operation, positions: list[int]) -> list[int]:
    """Mark the arguments at these positions; returns those that no result can use."""
    type_ = function.attributes["function_type"].value
    attributes = _argument_attributes(function, len(type_.inputs))
    taken = {a[ALIASED].value for a in attributes if ALIASED in a}
    unused: list[int] = []
    for position in positions:
        if ALIASED in attributes[position]:
            continue
        fitting = [
            k for k, y in enumerate(type_.results) if y == type_.inputs[position] and k not in taken
        ]
        if not fitting:
            unused.append(position)
            continue
        taken.add(fitting[0])
        attributes[position] = _with_result(attributes[position], fitting[0])
    if len(unused) < len(positions):
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes, function.context)
    return unused


def _argument_attributes(function: ir.Operation, count: int) -> list[ir.DictAttr]:
    if "arg_attrs" in function.attributes:
        return list(function.attributes["arg_attrs"])
    return [ir.DictAttr.get({}, function.context)] * count


def _with_result(attributes: ir.DictAttr, result: int) -> ir.DictAttr:
    i32 = ir.IntegerType.get_signless(32, attributes.context)
    entries = {ALIASED: ir.IntegerAttr.get(i32, result)}
    return ir.DictAttr.get(entries_of(attributes) | entries, attributes.context)
