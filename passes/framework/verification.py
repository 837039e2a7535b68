"""Verification after a pass: the error names the pass, and shows the op as it is now.

Not the line of the input: the pass has changed the op, or made it, since the input was read.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from anvl.dialect.core.definition.op_checks import fit_assumed
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir

__all__ = ["LONGEST_OP", "Verifier", "fault_of", "shown", "verify"]

#: Characters of an op that a message shows.
LONGEST_OP = 500
_LONGEST_MESSAGE = 2000  # some verifiers put whole operations into a diagnostic
_CURRENT_OPERATION = "see current operation: "
_LARGEST_CONSTANT = 8  # elements


# Passes of MLIR that erase, move or copy ops and replace values by others of the same type.
_KEEP_TYPES = frozenset(
    (
        "canonicalize", "control-flow-sink", "cse", "inline", "loop-invariant-code-motion",
        "sccp", "strip-debuginfo", "symbol-dce", "symbol-privatize", "topological-sort",
    )
)  # fmt: skip


class Verifier:
    """Verifies what each pass of a run leaves.

    What the type rules have found in an op holds until a pass that may change types: asking them
    after `cse` would take longer than `cse`.
    """

    def __init__(self) -> None:
        self._fitting: set[ir.Operation] = set()

    def verify(self, argument: str, op: ir.Operation, root: ir.Operation) -> None:
        """Raise `PassError` unless `op`, in `root`, is valid after the pass `argument` has run."""
        known = op in self._fitting or root in self._fitting
        verify(argument, op, fit=known and argument in _KEEP_TYPES)
        self._fitting.add(op)


def verify(argument: str, op: ir.Operation, *, fit: bool = False) -> None:
    """Raise `PassError` unless `op`, on which the pass `argument` has run, is valid.

    If `fit`, the type rules of its ops are known to hold.
    """
    rules = fit_assumed() if fit else nullcontext()
    with rules, _errors_as_exceptions(op.context):
        try:
            op.verify()
        except ir.MLIRError as error:
            raise _failure(argument, op, error) from None


def fault_of(op: ir.Operation) -> str:
    """The first complaint of the verifier about an op; `""` for a valid one."""
    with _errors_as_exceptions(op.context):
        try:
            op.verify()
        except ir.MLIRError as error:
            found = error.error_diagnostics
            return found[0].message[:_LONGEST_MESSAGE] if found else "it is invalid"
    return ""


def shown(op: ir.Operation) -> str:
    """`op` without its regions and its large constants, in generic form, on one line."""
    return _short(
        op.get_asm(
            print_generic_op_form=True,
            use_local_scope=True,
            skip_regions=True,
            large_elements_limit=_LARGEST_CONSTANT,
            assume_verified=True,
        )
    )


@contextmanager
def _errors_as_exceptions(context: ir.Context) -> Iterator[None]:
    """A tool has them emitted as they come, before anyone can add the name of a pass."""
    before = context.emit_error_diagnostics
    context.emit_error_diagnostics = False
    try:
        yield
    finally:
        context.emit_error_diagnostics = before


def _failure(argument: str, op: ir.Operation, error: ir.MLIRError) -> PassError:
    if not error.error_diagnostics:
        return PassError(argument, "left invalid IR", op_text=_invalid_op(op))
    first = error.error_diagnostics[0]
    return PassError(
        argument,
        f"left invalid IR: {first.message[:_LONGEST_MESSAGE]}",
        str(first.location),
        op_text=_current_operation(first) or _invalid_op(op),
    )


def _current_operation(diagnostic: Any) -> str:
    """The op in the note of MLIR's own verifiers."""
    for note in diagnostic.notes:
        if note.message.startswith(_CURRENT_OPERATION):
            return _short(note.message.removeprefix(_CURRENT_OPERATION))
    return ""


def _invalid_op(root: ir.Operation) -> str:
    """The first op, inner ones first, that is invalid by itself: verifiers in Python add no note.

    `""` if none is: then a rule about several ops is broken.
    """
    found: list[str] = []

    def check(op: ir.Operation) -> ir.WalkResult:
        try:
            op.verify()
        except ir.MLIRError:
            found.append(shown(op))
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    root.walk(check, ir.WalkOrder.POST_ORDER)
    return found[0] if found else ""


def _short(text: str) -> str:
    """The first line, which is the op without what is in it."""
    first = text.strip().partition("\n")[0]
    return first if len(first) <= LONGEST_OP else f"{first[:LONGEST_OP]}..."
