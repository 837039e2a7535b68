"""`--anvl-validate-each`: execute the module before and after every pass, and compare.

Note [What is compared]

A function is compared with itself under the same name, with the same types of arguments and
results.  It runs as `jit` would run it: the rest of `jit`'s pipeline lowers a copy, in which
declared derivatives and batches get their bodies.  So each stage that is a program can be
executed, and what lowering gets wrong in the same way for both sides is not found.

Private functions may be changed as their calls allow, so they are executed by these alone.  A
function whose text is as before, with that of all that it refers to, is not executed again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from anvl.dialect.core.errors import PassError, nearest
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.passes.functions.symbol_utils import functions_of, is_private
from anvl.tools.opt.instruments import module_of
from anvl.tools.opt.validation.validation_options import ValidationOptions
from anvl.tools.run.executors import ProgramCrashed
from anvl.tools.run.random_runs import (
    Difference,
    NotExecutable,
    Run,
    described,
    difference,
    run_of,
)

__all__ = ["Stage", "Validator", "hint"]

_SYMBOL = re.compile(r'@("(?:[^"\\]|\\.)*"|[A-Za-z_$.][\w$.-]*)')
_LONGEST_REASON = 300


@dataclass
class Stage:
    """A function as it was executed last, and the passes after which it could not be.

    `text` is as it is now, empty where the function is gone.
    """

    text: str
    run: Run | None
    module: ir.Module | None  # as it was executed, where that is kept
    passes: list[str] = field(default_factory=list)


class Validator(Instrument):
    """Raises `PassError` after the first pass that changes the results of a function.

    Whatever is not compared is in `remarks`, with the reason.  `hint` says how to reproduce.
    """

    def __init__(self, flag: str, options: ValidationOptions, hint: str) -> None:
        self._flag, self._options, self._hint = flag, options, hint
        self._stages: dict[str, Stage] = {}
        self._said: set[tuple[str, str]] = set()  # functions, and what was said of them
        self.remarks: list[tuple[str, str]] = []  # text and location

    def _kept(self, module: ir.Operation) -> ir.Module | None:
        """A copy of the module, for `_explain`; it needs none."""
        return None

    def _explain(
        self, error: PassError, before: "Stage", after: ir.Operation, name: str, found: Difference
    ) -> None:
        """Add to an error what is known about the difference."""

    def end(self) -> None:
        """The pipeline has run, and no pass has changed the results of a function."""

    def begin(self, module: ir.Operation, pipeline: object) -> None:
        self._stages, self._said = {}, set()
        known = functions_of(module)
        for name in self._options.names:
            if name not in known:
                near = nearest(name, known)
                listed = ", ".join(f"@{x}" for x in known) or "none"
                problem = f"there is no function @{name}{near}; the module has {listed}"
                raise PassError(self._flag, problem)
        compared = list(self._compared(module))
        if not compared:
            self._remark("there is no public function to execute; name one with functions=", "")
        for name, function in compared:
            self._add(name, function, module)

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        module = module_of(op)
        found = dict(self._compared(module))
        for name, stage in self._stages.items():
            if name not in found and stage.text:
                stage.text = ""
                stage.passes.append(str(pass_))
                self._remark(f"@{name} is gone after {pass_}", "")
        for name, function in found.items():
            if name in self._stages:
                self._compare(pass_, name, function, module)
            else:
                place = str(function.location)
                self._remark(f"@{name} is new after {pass_}, and compared from there on", place)
                self._add(name, function, module)

    def _compared(self, module: ir.Operation) -> Iterator[tuple[str, ir.Operation]]:
        wanted = self._options.names
        for name, function in functions_of(module).items():
            if name in wanted or (not wanted and not is_private(function)):
                yield name, function

    # -- one function ------------------------------------------------------------------------------

    def _add(self, name: str, function: ir.Operation, module: ir.Operation) -> None:
        self._stages[name] = Stage(_text_with_callees(name, module), None, self._kept(module))
        self._stages[name].run = self._run(name, function, module, None)

    def _compare(
        self, pass_: PassText, name: str, function: ir.Operation, module: ir.Operation
    ) -> None:
        stage = self._stages[name]
        text = _text_with_callees(name, module)
        if text == stage.text:
            return
        stage.text = text
        stage.passes.append(str(pass_))
        before, place = stage.run, str(function.location)
        run = self._run(name, function, module, pass_)
        if run is None:
            return
        if before is not None and before.signature != run.signature:
            types = f"from {before.signature} to {run.signature}"
            self._remark(f"{pass_} changes the type of @{name} {types}: not compared", place)
        elif before is not None:
            found = difference(run, before, self._options.rtol or None, self._options.atol or None)
            if found is not None:
                error = self._error(pass_, name, stage, run, found)
                self._explain(error, stage, module, name, found)
                raise self._noted(error)
        self._stages[name] = Stage(text, run, self._kept(module))

    def _run(
        self, name: str, function: ir.Operation, module: ir.Operation, pass_: PassText | None
    ) -> Run | None:
        place = str(function.location)
        try:
            run = run_of(module, name, self._options.draws)
        except (NotExecutable, ProgramCrashed) as error:
            reason = str(error)[:_LONGEST_REASON]
            ran = pass_ is not None and self._stages[name].run is not None
            if pass_ is not None and ran and isinstance(error, ProgramCrashed):
                problem = f"@{name} ran before this pass, and does not after it: {reason}"
                raise self._noted(PassError(pass_.argument, problem, place)) from None
            when = "as it is read" if pass_ is None else f"after {pass_}"
            if (name, reason) not in self._said:
                self._remark(f"@{name} cannot be executed {when}: {reason}", place)
            self._said.add((name, reason))
            return None
        for of in run.nan_results:
            problem = f"result {of.index} of @{name} is NaN for all inputs: not compared"
            if (name, problem) not in self._said:
                self._remark(problem, run.location)
            self._said.add((name, problem))
        return run

    def _error(
        self, pass_: PassText, name: str, stage: Stage, run: Run, found: Difference
    ) -> PassError:
        since = stage.passes[:-1]
        problem = f"@{name} computes other numbers after this pass than before it"
        if since:
            problem += f" and {', '.join(since)}, which left nothing to execute"
        error = PassError(pass_.argument, f"{problem}: {found}", run.location)
        draws = self._options.draws
        low, high = draws.range_of(found.set)
        seed = draws.seed_of(found.set)
        error.add_note(
            f"the inputs, {described(run.arguments)}, are those of anvl-run --function={name} "
            f"--random-seed={seed} --random-range={low:g},{high:g}"
        )
        return error

    def _noted(self, error: PassError) -> PassError:
        error.add_note(self._hint)
        return error

    def _remark(self, text: str, location: str) -> None:
        self.remarks.append((f"{self._flag}: {text}", location))


def hint(flag: str, options: ValidationOptions, reproducer: str | None, *, local: bool) -> str:
    """How to reproduce a difference."""
    given = f"{flag}={options}" if str(options) else flag
    shown = f'"--{given}"' if " " in given else f"--{given}"
    file = reproducer or "FILE"
    run = f"anvl-opt {file} --run-reproducer {shown}"
    if reproducer and local:
        return f"to reproduce: {run}"
    flags = "--mlir-pass-pipeline-local-reproducer"
    if not reproducer:
        flags = f"--mlir-pass-pipeline-crash-reproducer=FILE {flags}"
    return f"{flags} writes the module before this pass, with this pass alone; then: {run}"


def _text_with_callees(name: str, module: ir.Operation) -> str:
    """The text of a function, and of each function and constant of the module that it names."""
    known = {}
    for op in module.regions[0].blocks[0].operations:
        if "sym_name" in op.operation.attributes:
            known[op.operation.attributes["sym_name"].value] = op.operation
    texts: dict[str, str] = {}
    pending = [name]
    while pending:
        one = pending.pop()
        if one in texts or one not in known:
            continue
        texts[one] = known[one].get_asm(assume_verified=True)
        pending += [x.strip('"') for x in _SYMBOL.findall(texts[one])]
    return "\n".join(texts[x] for x in sorted(texts))
