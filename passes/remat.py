"""anvl-remat: choose the residuals of functions that are recomputed for their adjoint."""

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from anvl.dialect.control_flow.call import Callee, call
from anvl.dialect.control_flow.checkpoint import Checkpoint
from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Int
from anvl.dialect.interpreters.subprogram import Program
from anvl.passes.expand.declarations import Expansion, finish
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.dce import run_on
from anvl.passes.functions.inlining import inline_calls
from anvl.passes.functions.symbol_utils import functions_of, needed_by, terminator_of
from anvl.passes.residuals.remat_mincut import choose, levels_of

__all__ = ["Remat", "bytes_of"]

_NAME = "anvl-remat"
_ATTRIBUTE = Checkpoint.attribute


@dataclass(frozen=True)
class Remat(Pass, argument=_NAME):
    """Save the residuals that the budget or the policy of each checkpoint selects.

    A function with the attribute `anvl.checkpoint = {budget = n : i64}` saves the residuals that
    minimum cuts choose, so that its adjoint recomputes the least work with at most n bytes of its
    values live at once; with `{policy = ["dot_general", ...]}` the results of ops of these names.
    It becomes calls of segments, whose last n results are saved: `{kept = n : i64}`.  Afterwards no
    budget and no policy is left.

    With `function=f` and a budget or a policy, first make all of `@f` a checkpoint.
    """

    anchor = "builtin.module"

    function: str = option("", help="make a checkpoint of this function")
    budget: str = option("", help="bytes of values at once, such as 64MiB")
    policy: tuple[str, ...] = option((), help="names of the ops whose results to keep")

    def idle(self, marks: Set[str]) -> bool:
        return self.is_plain and _ATTRIBUTE not in marks

    def run(self, module: ir.Operation) -> None:
        if not self.function and (self.budget or self.policy):
            raise PassError(_NAME, "budget and policy need function=f")
        functions = functions_of(module)
        if self.function:
            self._wrap(module, functions)
        open_ones = [name for name, op in functions.items() if _is_open(op)]
        if not open_ones:
            return
        expansion = Expansion(module, functions, _NAME)
        pending = dict.fromkeys(open_ones)
        while pending:
            for name in _without_pending_callees(pending, functions):
                _keep(name, expansion)
                del pending[name]

    def _wrap(self, module: ir.Operation, functions: dict[str, ir.Operation]) -> None:
        """Move the body of the function into a checkpoint that it calls."""
        if self.budget and self.policy:
            raise PassError(_NAME, "give a budget or a policy, not both")
        expansion = Expansion(module, functions, _NAME)
        function = expansion.find(self.function)
        place = str(function.location)
        with module.context, function.location:
            try:
                request = request_of(self.budget, self.policy)
            except ValueError as error:
                raise PassError(_NAME, str(error), place) from None
            inner = function.clone(ip=ir.InsertionPoint(function)).operation
            inner.attributes["sym_name"] = ir.StringAttr.get(f"{self.function}_checkpoint")
            inner.attributes["sym_visibility"] = ir.StringAttr.get("private")
            inner.attributes[_ATTRIBUTE] = request
            name = expansion.insert(inner)
            block = function.regions[0].blocks[0]
            old = list(block.operations)
            results = [y.type for y in terminator_of(block).operands]
            callee = {"callee": ir.FlatSymbolRefAttr.get(name)}
            with ir.InsertionPoint(old[0]):
                called = ir.Operation.create("func.call", results, list(block.arguments), callee)
            finish(function, list(called.results))
            for op in reversed(old[:-1]):
                op.operation.erase()


def _without_pending_callees(
    pending: dict[str, None], functions: dict[str, ir.Operation]
) -> list[str]:
    """Callees go first: the residuals of their callers depend on the rewritten form."""
    ready = [n for n in pending if pending.keys().isdisjoint(needed_by(n, functions))]
    return ready or list(pending)  # in a cycle, which inlining refuses


def request_of(budget: str | int, policy: Sequence[str]) -> ir.Attribute:
    """Attribute that requests a budget or a policy; raises `ValueError` for an invalid one."""
    if policy:
        known = {op.short_name: op for op in OPS.values()}
        for name in policy:
            op, _, variant = name.partition("=")
            if op not in known or (variant and not _is_variant(known[op], variant)):
                raise ValueError(f"policy {name!r} is not the name of an op")
        names = [ir.StringAttr.get(name) for name in policy]
        return ir.DictAttr.get({"policy": ir.ArrayAttr.get(names)})
    return ir.DictAttr.get({"budget": Int.encode(bytes_of(budget))})


def _is_variant(op: Any, variant: str) -> bool:
    return bool(op.naming_param) or variant in op.policy_variants


_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9} | {
    "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip


def bytes_of(budget: str | int) -> int:
    """Parse a budget in bytes: 1000, "64MiB", "1.5GB"; raises `ValueError` if invalid."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(budget))
    if found is None or found[2].lower() not in _UNITS or isinstance(budget, bool):
        raise ValueError(f"budget {budget!r} is not a number of bytes; write 1000, 64MiB or 1.5GB")
    return math.floor(float(found[1]) * _UNITS[found[2].lower()])


def _is_open(function: ir.Operation) -> bool:
    if _ATTRIBUTE not in function.attributes:
        return False
    request = function.attributes[_ATTRIBUTE]
    return isinstance(request, ir.DictAttr) and ("budget" in request or "policy" in request)


def _keep(name: str, expansion: Expansion) -> None:
    """Rewrite a function as calls of its segments."""
    function = expansion.find(name, expansion.functions[name])
    inline_calls(name, expansion.functions, expansion.ruled)
    function = expansion.functions[name]
    run_on(function, "cse")  # of equal values only one is saved
    request, place = function.attributes[_ATTRIBUTE], str(function.location)
    program = Program.of_region(function.regions[0], expansion)
    with function.context, function.location:
        kept = _chosen(name, request, program, expansion, place)
        if not kept:
            function.attributes[_ATTRIBUTE] = Checkpoint.keeping(0)
            return
        del function.attributes[_ATTRIBUTE]
        del expansion.ruled[name]
        old = list(function.regions[0].blocks[0].operations)
        with ir.InsertionPoint(old[-1]):
            results = _segmented(Callee(name, expansion), program, kept)
    finish(function, results)
    for op in reversed(old[:-1]):
        op.operation.erase()


# Note [Segments]
#
# If a checkpoint recomputed everything when the first cotangent arrives, all values would wait in
# memory for their own cotangents: as much as without a checkpoint.  So a function with saved values
# is cut at these into segments, each a checkpoint of its own: the users of a saved value are in a
# later segment than its defining op.  A segment computes the values that it needs from the saved
# ones, even if other segments compute them as well; in the primal, `cse` merges these duplicates.


def _segmented(f: Callee, program: Program, kept: Sequence[ir.Value]) -> list[ir.Value]:
    """Emit calls of the segments of a function; return its results."""
    known: dict[ir.Value, ir.Value] = {x: x for x in program.arguments}
    returned: dict[ir.Value, ir.Value] = {}
    for level, found in _by_level(program, kept):
        others = [y for y in found if y not in kept]
        saved = [y for y in found if y in kept]
        segment = Program(program.block, [*others, *saved], program)
        values = _emitted(f, str(level), segment, known, len(saved))
        returned.update(zip(others, values, strict=False))
        known.update(zip(saved, values[len(others) :], strict=True))
    return [known[y] if y in known else returned[y] for y in program.results]


def _by_level(program: Program, kept: Sequence[ir.Value]) -> list[tuple[int, list[ir.Value]]]:
    """The results and the saved values by level, the lowest first; each in order."""
    levels, wanted = levels_of(program, set(kept)), {*program.results, *kept}
    found: dict[int, list[ir.Value]] = {}
    for op in program.slice().ops:
        for y in op.results:
            if y in wanted:
                found.setdefault(levels[y], []).append(y)
    return sorted(found.items())


def _emitted(
    f: Callee, name: str, segment: Program, known: dict[ir.Value, ir.Value], n_saved: int
) -> list[ir.Value]:
    """Emit the call of a segment, which takes the known values that it reads; its results."""
    segment.arguments = list(known)
    used = segment.slice().values
    segment.arguments = [x for x in known if x in used]
    types = [x.type for x in segment.arguments]
    made = f.add(name, segment, types, {_ATTRIBUTE: Checkpoint.keeping(n_saved)})
    return list(call(made, [known[x] for x in segment.arguments]))


def _chosen(
    name: str, request: Any, program: Program, expansion: Expansion, place: str
) -> list[ir.Value]:
    """Values to save, by the policy or within the budget."""
    try:
        if "policy" in request:
            names = {ir.StringAttr(n).value for n in ir.ArrayAttr(request["policy"])}
            steps = program.slice(whole_ops=True).ops
            return [y for op in steps if not names.isdisjoint(_names(op)) for y in op.results]
        budget = Int.decode(request["budget"])
    except (TypeError, ValueError):
        problem = f"@{name}: {_ATTRIBUTE} is {request}; a budget is 1000 : i64, a policy a list"
        raise PassError(_NAME, f'{problem} of the names of ops, ["dot_general"]', place) from None
    try:
        with expansion.module.context:
            return choose(program, budget).kept
    except MissingRule:
        return []  # without an adjoint there are no residuals
    except RecursionError:
        raise PassError(_NAME, f"@{name}: calls must not form a cycle", place) from None
    except LookupError as error:  # a declaration names a missing function
        raise PassError(_NAME, f"@{name}: {error}", place) from None


def _names(op: Any) -> set[str]:
    """Names that a policy may give an op: `tag`, `tag=h`."""
    short = op.operation.name.rpartition(".")[2]
    rules = OPS.get(op.operation.name)
    variant = None if rules is None else rules.policy_variant(op.operation)
    return {short} if variant is None else {short, f"{short}={variant}"}
