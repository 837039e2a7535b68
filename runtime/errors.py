"""What can go wrong while a program is compiled, run or read back."""

from __future__ import annotations

import re


class RuntimeFailure(RuntimeError):
    """The compiler or the device refused, or an array is no longer there.

    The error of the library below is kept as `__cause__`.  A wrong argument is not a
    `RuntimeFailure`: wrong types raise `TypeError` and wrong values `ValueError`.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> try:
    ...     rt.compile("not a program")
    ... except rt.RuntimeFailure as error:
    ...     print(str(error).startswith("compile:"))
    True
    """


class ForkedProcess(RuntimeFailure):
    """The process was forked after the client had started; its threads are not in the child.

    Start worker processes with the `spawn` or `forkserver` method instead.
    """


# "UNKNOWN: ", "INVALID_ARGUMENT: " and so on say nothing that the text after them does not.
_STATUS = r"^(?:[A-Z][A-Z_]+: )+"
_POSITION = r"^-:(\d+):(\d+): error: "


def readable(error: BaseException) -> str:
    """The first line of `error` that says something, without status codes."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    line = re.sub(_STATUS, "", lines[0])
    # XLA's numbered errors put the title on one line and what happened on the next.
    if line.endswith(":") and len(lines) > 1:
        line = f"{line} {lines[1]}"
    return re.sub(_POSITION, r"line \1, column \2: ", line)
