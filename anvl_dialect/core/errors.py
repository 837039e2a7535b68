"""Tree of typed errors.

    AnvlError
    ├── TraceError       a traced value was used where Python needs a number, or outlived its trace
    ├── MissingRule      an op was asked for a rule that its class does not define
    ├── PassError        a pass refuses a module: which pass, what is wrong, where
    │   └── BucketError  a program that `jit(f, bucket=...)` cannot pad: which op, where, why
    ├── NonFiniteError   `jit(f, debug_nans=True)` met a NaN or an infinity: the op that made it
    ├── ExportError      a function that no file can hold, or a file of `anvl.export` that is broken
    ├── ShardingError    a mesh, or a spec that does not fit its mesh or its array
    ├── CheckError       a condition of `anvl.check` was false
    ├── CompileCountError  `expect_compiles` met another number of compiled programs
    ├── KeyReuseError    two draws use one random key, and `config.check_key_reuse` is on
    └── StaleClosureError  a jitted function closes over a value that has changed since its trace

The runtime, which knows nothing of the dialect, has its own: `anvl.RuntimeFailure`, a
`RuntimeError`, where PJRT could not compile or run a program.

Type problems stay `TypeError`, bad arguments `ValueError`.  Messages read
`<op or function>: <what is wrong>, <the actual values>; <what to do>`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

_FILE = re.compile(r'"((?:[^"\\]|\\.)+)":(\d+)')


class AnvlError(Exception):
    """Base of the errors that are neither a `TypeError` nor a `ValueError`."""


class TraceError(AnvlError):
    """A traced value was used where Python needs a value, or after its trace had ended."""


class MissingRule(AnvlError, NotImplementedError):
    """A transformation needs a rule that the class of an op does not define.

    Attributes: `location` (MLIR text of the first such op, `""` where unknown), `findings` (all
    such ops, if the transformation collects them: `Finding` in `interpreters/ad_diagnostics.py`).
    """

    def __init__(self, message: str, location: str = "", findings: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.location = location
        self.findings: tuple[Any, ...] = tuple(findings)


class PassError(AnvlError):
    """A pass refuses a module.

    Attributes: `pass_name` (as on the command line), `message`, `location` (MLIR text, `""` where
    unknown), `op_text` (the op at fault as it is now, if the pass left invalid IR, else `""`).
    """

    def __init__(
        self, pass_name: str, message: str, location: str = "", *, op_text: str = ""
    ) -> None:
        now = f"\nthe op is now: {op_text}" if op_text else ""
        super().__init__(f"{pass_name}: {message}{now}")
        self.pass_name = pass_name
        self.message = message
        self.location = location
        self.op_text = op_text


class BucketError(PassError):
    """A program that `jit(f, bucket=...)` cannot pad: an op without a rule, or a read of a size.

    Attributes: those of `PassError`; `location` is that of the op.
    """


class NonFiniteError(AnvlError, FloatingPointError):
    """A program compiled with `jit(f, debug_nans=True)` produced a NaN or an infinity.

    Attributes: `op` (the name of the op in the IR), `belongs_to` (for an op of a derivative, the op
    of the user's program that it derives from: `"the adjoint of sqrt"`, else `""`), `place`
    (`model.py:12`), `kind` (`"NaN"` or `"infinity"`), `count` and `shape` of the result, and
    `operands`, a line about each.
    """

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.op: str = facts.get("op", "")
        self.belongs_to: str = facts.get("belongs_to", "")
        self.place: str = facts.get("place", "")
        self.kind: str = facts.get("kind", "")
        self.count: int = facts.get("count", 0)
        self.shape: tuple[int, ...] = facts.get("shape", ())
        self.operands: tuple[str, ...] = facts.get("operands", ())


class CompileCountError(AnvlError, AssertionError):
    """In a block of `anvl.expect_compiles`, more or fewer programs were compiled than expected.

    Attributes: `expected`, the number, and `misses`, a record of each program that was compiled.
    """

    def __init__(self, message: str, expected: int = 0, misses: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.expected = expected
        self.misses: tuple[Any, ...] = tuple(misses)


class ExportError(AnvlError, ValueError):
    """A function cannot be exported, or a file of `anvl.export` cannot be read."""


class CheckpointError(AnvlError, ValueError):
    """A checkpoint of `anvl.checkpointing` is not there, not whole, or of another tree."""


class ShardingError(AnvlError, ValueError):
    """A mesh is malformed, or a spec does not fit its mesh or its array.

    A message about an array draws the mesh, and the spec along the dimensions.
    """


class CheckError(AnvlError, AssertionError):
    """A condition of `anvl.check` was false.

    Attributes: `message` (as given, with its values), `place` (`model.py:12`, the line of the
    check), `values` (what the message shows, by name), `index` (of the first element of the
    condition that is false; `()` for one bool), `members` (positions in the batches of `vmap`, from
    the outside in), `location` (MLIR text of the place, `""` outside of compiled programs).
    """

    def __init__(self, message: str, **facts: Any) -> None:
        self.message = message
        self.place: str = facts.get("place", "")
        self.values: dict[str, Any] = facts.get("values", {})
        self.index: tuple[int, ...] = facts.get("index", ())
        self.members: tuple[int, ...] = facts.get("members", ())
        self.location: str = facts.get("location", "")
        text = f"check: {message}; it failed at {self.place}"
        if self.index:
            text += f", for element {list(self.index)}"
        for position in self.members:
            text += f", in member {position} of a batch"
        super().__init__(text)


class KeyReuseError(AnvlError, ValueError):
    """Two draws use one random key: found with `anvl.config.check_key_reuse`.

    Attributes: `first` and `second`, the places of the two (`train.py:12`); equal in a loop.
    """

    def __init__(self, message: str, first: str = "", second: str = "") -> None:
        super().__init__(message)
        self.first = first
        self.second = second


class StaleClosureError(AnvlError):
    """A jitted function closes over a value that has changed since it was traced.

    Raised with `anvl.config.on_stale_closure = "error"`, or `jit(f, on_stale_closure="error")`.

    Attributes: `function`, and `variables`, the names of the values that have changed.
    """

    def __init__(self, message: str, function: str = "", variables: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.function = function
        self.variables: tuple[str, ...] = tuple(variables)


class StaleClosureWarning(UserWarning):
    """A value that a jitted function closes over has changed, and its program keeps the old one."""


def place_in(location: str) -> str:
    """File and line in MLIR's text of a location, the innermost; the text itself if it has none."""
    found = _FILE.search(location)
    return f"{found[1]}:{found[2]}" if found else location


def nearest(name: str, known: Iterable[str]) -> str:
    """`", did you mean 'x'?"` when a known name is close to `name`, else nothing."""
    from difflib import get_close_matches  # milliseconds, which only an error should cost

    close = get_close_matches(name, list(known), n=5, cutoff=_ALIKE)
    near = [each for each in close if _are_alike(name, each)]
    return f", did you mean {near[0]!r}?" if near else ""


_ALIKE = 0.6  # of difflib's ratio; 2 of 3 letters have more


def _are_alike(name: str, other: str) -> bool:
    """Whether more than one letter is the same, behind a prefix such as `anvl-`."""
    from difflib import SequenceMatcher

    prefix = _LAST_WORD.sub("", name)
    matcher = SequenceMatcher(None, name.removeprefix(prefix), other.removeprefix(prefix))
    n_same = sum(block.size for block in matcher.get_matching_blocks())
    return n_same > 1 and matcher.ratio() >= _ALIKE


_LAST_WORD = re.compile(r"\w*$")
