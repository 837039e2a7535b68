"""The state of the other processes: all are well, one has failed, some have left.

`current` is None in a process that works alone, and all that is asked of this module then is that.
"""

from __future__ import annotations

import re
import threading
import time

from anvl.runtime.errors import DistributedError, readable

__all__ = ["Status", "peer_failure", "set_current"]

# How XLA says that a collective failed, by which library.
_OF_COLLECTIVES = re.compile(r"gloo|nccl|rccl|\bcollective|all-reduce|rendezvous", re.IGNORECASE)
# The connection of a collective breaks at once; the coordinator's word comes a little later.
_SECONDS_TO_HEAR = 5.0


class Status:
    """What this process has heard of the others.

    Attributes
    ----------
    reason
        The first failure that it heard of; None while there is none.
    is_raised
        Whether an error has said so to the program.
    left
        The processes that have ended as they should.
    """

    def __init__(self, patience: float) -> None:
        self.reason: str | None = None
        self.is_raised = False
        self.left: set[int] = set()
        self.heard = threading.Event()
        self._patience = patience
        self._left_at = 0.0

    def fail(self, reason: str) -> None:
        """Note a failure; only the first counts, as others follow from it."""
        if self.reason is None:
            self.reason = reason
            self.heard.set()

    def leave(self, process: int) -> None:
        """Note that another process has ended as it should."""
        self.left.add(process)
        self._left_at = time.monotonic()

    def give_up(self, begun: float) -> None:
        """Note a failure if a call waits, since `begun`, for a process that has ended.

        It need not take part in this call; but one that takes so long is more likely to wait.
        """
        if self.left and time.monotonic() - max(begun, self._left_at) > self._patience:
            ended = ", ".join(map(str, sorted(self.left)))
            self.fail(
                f"process {ended} has ended as it should, without an error, and a program has "
                f"waited for {self._patience:g} seconds since"
            )

    def error(self, what: str, addition: str = "") -> DistributedError:
        """The error for a failure; after it the program is expected to end by itself."""
        self.is_raised = True
        return DistributedError(
            f"{what}: {self.reason}{addition}; this process cannot go on with the others: start "
            "all of them again, from the last checkpoint"
        )


current: Status | None = None


def set_current(status: Status) -> None:
    """Begin to work with other processes."""
    global current
    current = status


def peer_failure(what: str, error: BaseException) -> DistributedError | None:
    """The error for one of the library below, if another process is the reason."""
    if current is None:
        return None
    said = readable(error)
    if current.reason is None:
        if not _OF_COLLECTIVES.search(said):
            return None
        if not current.heard.wait(_SECONDS_TO_HEAR):
            current.fail(_unknown(current.left))
    return current.error(what, f" ({said})")


def _unknown(left: set[int]) -> str:
    if left:
        shown = ", ".join(map(str, sorted(left)))
        return f"a collective failed; these processes have ended as they should before: {shown}"
    return "a collective failed, and no process is known to have ended"
