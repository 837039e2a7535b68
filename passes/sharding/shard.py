"""anvl-shard: how the arguments and results of a function lie on a mesh, from the command line."""

import dataclasses
import functools
import re
from dataclasses import dataclass
from typing import Any, Self

from anvl.dialect.core.errors import PassError, ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import MeshShape, Spec, joined
from anvl.passes.framework import options
from anvl.passes.framework.options import Option
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.placements import ARGUMENTS, RESULTS, set_shardings, shardings_of
from anvl.passes.functions.symbol_utils import functions_of

__all__ = ["Shard"]

_NAME = "anvl-shard"
_POSITION = re.compile(r"(arg|result)(\d+)")
_WHICH = {"arg": ARGUMENTS, "result": RESULTS}


@dataclass(frozen=True)
class Shard(Pass, argument=_NAME):
    """Say how arguments and results of a function lie on a mesh of devices.

    `mesh=x:4,y:2 arg0=x,- result1=-,y` gives argument 0 and result 1 the attribute `anvl.sharding`,
    in place of one that they have; the others are left to the partitioner.  A spec has an entry
    for each dimension: an axis that it is cut along, `x*y` for two, `-` for none, `?` if the
    partitioner may choose.  The derivatives and batches of the function have the shardings too: a
    cotangent lies as its argument does.
    """

    anchor = "builtin.module"

    mesh: str = option(help="axes and their sizes, such as x:4,y:2")
    function: str = option("main", help="the function whose arguments and results are cut")
    #: Names like `arg0` and `result1`, with their specs: further options on the command line.
    specs: tuple[tuple[str, str], ...] = dataclasses.field(default=())

    @classmethod
    def from_text(cls, text: str) -> Self:
        known = cls.options() | {
            name: Option(name, str, False, "", "its spec")
            for name in re.findall(rf"\b({_POSITION.pattern.replace('(', '(?:')})\s*=", text)
        }
        given = options.parse(cls.argument, text, known)
        specs = tuple((name, value) for name, value in given.items() if _POSITION.fullmatch(name))
        return cls(**{name: given[name] for name in cls.options() if name in given}, specs=specs)

    @functools.cached_property
    def _text(self) -> str:
        return self._with_specs(options.show(vars(self), self.options()))

    def text_with_defaults(self) -> str:
        return self._with_specs(options.show_all(vars(self), self.options()))

    def _with_specs(self, shown: str) -> str:
        return f"{self.argument}{{{' '.join([shown, *(f'{n}={s}' for n, s in self.specs)])}}}"

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        function = functions.get(self.function)
        if function is None:
            known = ", ".join(f"@{name}" for name in functions) or "none"
            problem = f"there is no function @{self.function}; the module has {known}"
            raise PassError(_NAME, problem)
        texts = self._texts(function)
        for which, of in texts.items():
            before = function.attributes[which] if which in function.attributes else None
            set_shardings(function, which, of)
            try:
                shardings_of(_NAME, function, which)
            except PassError:
                _restore(function, which, before)
                raise

    def _texts(self, function: ir.Operation) -> dict[str, dict[int, str]]:
        """The text of each argument and result that is named, by position."""
        type_ = function.attributes["function_type"].value
        counts = {ARGUMENTS: len(type_.inputs), RESULTS: len(type_.results)}
        found: dict[str, dict[int, str]] = {ARGUMENTS: {}, RESULTS: {}}
        mesh = self._mesh(str(function.location))
        for name, spec in self.specs:
            kind, position = _named(name)
            which = _WHICH[kind]
            if position >= counts[which]:
                problem = f"{name} is out of range; @{self.function} has {counts[which]}"
                raise PassError(_NAME, problem, str(function.location))
            try:
                found[which][position] = joined(mesh, Spec.parse(spec))
            except ShardingError as error:
                raise PassError(_NAME, str(error), str(function.location)) from None
        return found

    def _mesh(self, location: str) -> MeshShape:
        try:
            return MeshShape.parse(self.mesh)
        except ShardingError as error:
            raise PassError(_NAME, str(error), location) from None


def _named(name: str) -> tuple[str, int]:
    match = _POSITION.fullmatch(name)
    if match is None:
        raise PassError(_NAME, f"{name!r} names no argument or result; write arg0 or result0")
    return match[1], int(match[2])


def _restore(function: ir.Operation, which: str, before: Any) -> None:
    if before is None:
        del function.attributes[which]
    else:
        function.attributes[which] = before
