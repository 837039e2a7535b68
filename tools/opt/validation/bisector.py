"""`--anvl-bisect`: the first pass that changes a result, and the first op of its output that does.

The pass is found as by `--anvl-validate-each`; `differing_ops.py` finds the op.
"""

from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.tools.opt.validation.differing_ops import Blame, blame
from anvl.tools.opt.validation.validate_each import Stage, Validator
from anvl.tools.run.executors import ProgramCrashed
from anvl.tools.run.random_runs import Difference, NotExecutable, copied

__all__ = ["Bisector"]

_MOST_SHOWN = 8  # ops
_LONGEST_REASON = 300


class Bisector(Validator):
    """Raises `PassError` after the first pass that changes the results, at the op that does."""

    def _kept(self, module: ir.Operation) -> ir.Module | None:
        return copied(module)

    def _explain(
        self, error: PassError, before: Stage, after: ir.Operation, name: str, found: Difference
    ) -> None:
        assert before.module is not None
        result = found.result.index
        try:
            found_ops = blame(before.module, copied(after), name, result, self._options)
        except (NotExecutable, ProgramCrashed, PassError) as problem:
            reason = str(problem)[:_LONGEST_REASON]
            error.add_note(f"which op does it is unknown, as its values cannot be had: {reason}")
            return
        error.location = found_ops.location or error.location
        for text in _notes(found_ops):
            error.add_note(text)

    def end(self) -> None:
        names = ", ".join(f"@{name}" for name, stage in self._stages.items() if stage.run)
        if names:
            self._remark(f"no pass changes the results of {names} on the inputs drawn", "")


def _notes(found: Blame) -> list[str]:
    notes = [f"in a region of: {text}" for text in found.around]
    if found.first is None:
        notes.append(f"no op computes something new, but another value is used: {found.now}")
    else:
        notes.append(f"the first op that computes something new: {found.first}")
    if found.others:
        notes.append(
            f"on the way from there to result {found.result} {_counted(found.others)} new values "
            f"too, and may be wrong instead: {_listed(found.others)}"
        )
    if found.lost:
        notes.append(f"before this pass there was: {_listed(found.lost)}")
    else:
        notes.append(f"before this pass it was: {found.was}")
    return notes


def _counted(ops: tuple[str, ...]) -> str:
    return "1 op has" if len(ops) == 1 else f"{len(ops)} ops have"


def _listed(ops: tuple[str, ...]) -> str:
    if len(ops) == 1:
        return ops[0]
    shown = [*ops[:_MOST_SHOWN], *(["..."] if len(ops) > _MOST_SHOWN else [])]
    return "".join(f"\n    {text}" for text in shown)
