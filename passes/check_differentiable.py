"""anvl-check-differentiable: report all obstacles to a derivative at once.

Writes the derivative into a copy of the module, with zeros where rules are missing: so its findings
are those of anvl-gradient.  The module is not changed.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from anvl.dialect.control_flow.checkpoint import Checkpoint
from anvl.dialect.core.attributes import VJP, signature_of
from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.ad_diagnostics import Finding, Search, missing
from anvl.dialect.interpreters.blocked_paths import dead_ends
from anvl.passes.expand.checks import check_floats, is_float
from anvl.passes.expand.declarations import (
    KINDS,
    Expansion,
)
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.symbol_utils import functions_of, terminator_of

__all__ = ["CheckDifferentiable", "Report", "check_declared", "check_function"]

_NAME = "anvl-check-differentiable"


class Report(NamedTuple):
    """Findings: `missing` rules, and for arguments, by position, why their derivative is zero."""

    missing: list[Finding]
    zero: dict[int, list[Finding]]


@dataclass(frozen=True)
class CheckDifferentiable(Pass, argument=_NAME):
    """Report each op that makes a function not differentiable; the module is not changed.

    With `function=f wrt=0,2`: fails with every op between these arguments and result `target` that
    anvl-gradient could not differentiate: its location, the reason, and the path of ops that reach
    it, also through calls, declared derivatives and bodies of ops.  Arguments whose derivative is
    zero are reported on stderr, with the ops that block it.

    Without a function, checks all transformations that the module declares.
    """

    anchor = "builtin.module"

    function: str = option("", help="the function to check; all declarations where not given")
    wrt: tuple[int, ...] = option((), help="positions of arguments; all float ones where not given")
    target: int = option(0, help="position of the result to differentiate")
    #: Called with the findings, which then are no error.
    on_report: Callable[[Report], None] | None = field(default=None, compare=False)

    def run(self, module: ir.Operation) -> None:
        if not self.function and (self.wrt or self.target):
            raise PassError(_NAME, "wrt and target need function=f")
        if self.function:
            report = check_function(module, self.function, self.wrt, (self.target,))
        else:
            report = Report(check_declared(module), {})
        if self.on_report is not None:
            self.on_report(report)
            return
        for i, ends in report.zero.items():
            said = f"the derivative with respect to argument {i} of @{self.function} is zero"
            print(f"{_NAME}: note: {said}: {'; '.join(map(str, ends))}", file=sys.stderr)
        if report.missing:
            error = missing(report.missing)
            where = f"@{self.function}: " if self.function else ""
            raise MissingRule(f"{_NAME}: {where}{error}", error.location, error.findings)


def check_declared(module: ir.Operation) -> list[Finding]:
    """Rules missing for the transformations that a module declares."""
    search = Search()
    copy = _copied(module)
    functions = functions_of(copy.operation)
    expansion = Expansion(copy.operation, functions, _NAME, search)
    for name in [n for n, op in functions.items() if any(k in op.attributes for k in KINDS)]:
        _attempt(search, partial(expansion.define, name))
    return search.findings


def check_function(
    module: ir.Operation, name: str, wrt: Sequence[int], targets: Sequence[int]
) -> Report:
    """Rules missing for the derivatives of results of a function with respect to arguments.

    Raises `PassError` for positions out of range, or of values that are not floats.
    """
    search = Search()
    copy = _copied(module)
    expansion = Expansion(copy.operation, functions_of(copy.operation), _NAME, search)
    if not _attempt(search, lambda: expansion.define(name)):
        return Report(search.findings, {})
    function = expansion.find(name)
    inputs, outputs = signature_of(function)
    place = str(function.location)
    wrt = wrt or tuple(i for i, type_ in enumerate(inputs) if is_float(type_))
    if not wrt:
        raise PassError(
            _NAME, f"@{name} has no float argument to differentiate with respect to", place
        )
    check_floats(_NAME, name, "wrt", wrt, inputs, place)
    check_floats(_NAME, name, "target", targets, outputs, place)
    zero: dict[int, list[Finding]] = {}

    def attempt() -> None:
        made = expansion.public_copy(name, _free_suffix(name, expansion.functions))
        params = KINDS[VJP].read({"wrt": Ints.encode(wrt), "targets": Ints.encode(targets)})
        expansion.write(KINDS[VJP], made, name, params)
        found = _dead_ends(made, [wrt[i] for i in search.zeros], targets, expansion)
        # Past a missing rule there is no derivative, which does not explain a zero.
        zero.update({i: e for i, e in found.items() if e and (e[0].path or not search.findings)})

    _attempt(search, attempt)
    return Report(search.findings, zero)


def _attempt(search: Search, write: Callable[[], None]) -> bool:
    """Run `write`; return False if a rule of another kind is missing, which is recorded."""
    try:
        write()
    except MissingRule as error:
        place = error.location.removeprefix("loc(").removesuffix(")")
        search.add(error.findings or [Finding("", place, str(error), ())])
        return False
    return True


def _dead_ends(
    function: ir.Operation, zeros: Sequence[int], targets: Sequence[int], symbols: SymbolTable
) -> dict[int, list[Finding]]:
    block = function.regions[0].blocks[0]
    returned = terminator_of(block).operands
    results = [returned[i] for i in targets]
    return {i: dead_ends(block, block.arguments[i], results, symbols) for i in zeros}


def _free_suffix(name: str, functions: dict[str, ir.Operation]) -> str:
    suffix = "_checked"
    while name + suffix in functions:
        suffix += "_"
    return suffix


def _copied(module: ir.Operation) -> ir.Module:
    copy = ir.Module.create(module.location)
    point = ir.InsertionPoint(copy.body)
    for op in module.regions[0].blocks[0].operations:
        made = op.operation.clone(ip=point).operation
        if Checkpoint.attribute in made.attributes:  # its residuals make no difference here
            made.attributes[Checkpoint.attribute] = Checkpoint.keeping(0)
    return copy
