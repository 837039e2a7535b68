"""Errors of compiling and running programs, and of reading results."""

from __future__ import annotations

import re


class RuntimeFailure(RuntimeError):
    """The compiler or the device failed, or an array was deleted.

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


class PluginError(RuntimeFailure):
    """A PJRT plugin is not known, cannot be loaded or started, or has a version that is not taken.

    Other plugins, and jaxlib's own client, are not affected.

    Examples
    --------
    >>> import anvl
    >>> try:
    ...     anvl.devices("no-such-plugin")
    ... except anvl.PluginError as error:
    ...     print(str(error).partition(";")[0])
    devices: no plugin 'no-such-plugin' is known
    """


class OutOfMemory(RuntimeFailure, MemoryError):
    """An array, a result or the temporaries of a program do not fit into the memory.

    Raised after a collection and a second try; the process goes on.  Programs and arrays that can
    never fit are refused before they run.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> try:
    ...     np.zeros(2**50)
    ... except anvl.OutOfMemory as error:
    ...     print(str(error)[:46])
    compile: result 0: f32[1125899906842624] needs
    """


class DistributedError(RuntimeFailure):
    """Several processes cannot work together: one is missing, was started otherwise, or has failed.

    Raised by `anvl.distributed.initialize` and `barrier`, by calls whose programs run on devices of
    several processes, and where their results are read.

    Examples
    --------
    >>> import anvl
    >>> try:
    ...     anvl.distributed.barrier("epoch")
    ... except anvl.DistributedError as error:
    ...     print(str(error).partition(";")[0])
    barrier: this process has joined no job
    """


class ForkedProcess(RuntimeFailure):
    """The process was forked after the client had started; its threads are not in the child.

    Start worker processes with the `spawn` or `forkserver` method instead.
    """


class CacheWarning(UserWarning):
    """The cache of compiled programs on disk cannot be used as it is; the program goes on.

    The folder or a file in it has an owner or permissions that are not safe, an entry is damaged,
    or nothing can be written.
    """


class CallbackWarning(UserWarning):
    """A program with callbacks begins while others hold all of its plugin's threads.

    If all of their callbacks wait for programs of other threads of Python, these never run.
    """


# Status codes such as "UNKNOWN: " and "INVALID_ARGUMENT: " add nothing to the text after them.
_STATUS = r"^(?:[A-Z][A-Z_]+: )+"
_POSITION = r"^-:(\d+):(\d+): error: "


def readable(error: BaseException) -> str:
    """The first meaningful line of `error`, without status codes."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    line = re.sub(_STATUS, "", lines[0])
    # XLA's numbered errors have a title on one line and the event on the next.
    if line.endswith(":") and len(lines) > 1:
        line = f"{line} {lines[1]}"
    return re.sub(_POSITION, r"line \1, column \2: ", line)
