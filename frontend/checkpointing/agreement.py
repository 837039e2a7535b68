"""Steps that all processes take together: where one fails, all hear of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anvl.checkpointing.step_folders import Damaged
from anvl.dialect.core.errors import CheckpointError
from anvl.runtime.distributed.processes import gather

__all__ = ["together"]

_TIMEOUT = 3600.0  # seconds: others may still be writing


def together(caller: str, name: str, work: Callable[[], Any]) -> Sequence[Any]:
    """Do some work; the results of all processes, once all have done theirs.

    Raises
    ------
    CheckpointError
        The work of another process failed.  This one's own error is raised as it is.
    DistributedError
        A process has failed.
    """
    mine: Exception | None = None
    try:
        value: dict[str, Any] = {"value": work()}
    except (CheckpointError, OSError) as error:
        mine = error
        value = {"error": f"{error}", "is_damaged": isinstance(error, Damaged)}
    found = gather(caller, name, value, _TIMEOUT)
    if isinstance(mine, OSError):
        raise _explained(caller, mine) from mine
    if mine is not None:
        raise mine
    for process, of in enumerate(found):
        if "error" in of:
            kind = Damaged if of["is_damaged"] else CheckpointError
            raise kind(f"{of['error']} (in process {process})")
    return [of["value"] for of in found]


def _explained(caller: str, error: OSError) -> OSError:
    """The error of the system, of its class, with the function and what to do."""
    said = f"{caller}: {error.strerror or error}; give a folder that this process may write to"
    return OSError(error.errno, said, error.filename)
