"""Programs with collectives: few at a time.

Note [Collectives in flight]

Up to jaxlib 0.11.2, programs with collectives on CPU devices wait for each other for ever if many
have been started and none has ended: each takes a thread a device, and waits in it for the others
of its own.  (JAX has the same.)  2 to 8 at a time never did; and a few overlap what one at a time
does not: 150 to 185 us a step in place of 176 to 218.  So at most `_MOST` are in flight, of all
programs and threads of this process: the next begins when the first of them is done.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from anvl.runtime.client import EMBEDDED, Client
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock

__all__ = ["at_most_a_few", "has_collectives", "may_wait_for_ever"]

_MOST = 4
_COLLECTIVES = (
    r" (?:all-reduce|all-gather|all-to-all|reduce-scatter|collective-permute|"
    r"collective-broadcast|ragged-all-to-all)(?:-start)?\("
)

_lock = fresh_lock()
_running: deque[Any] = deque()


def has_collectives(handle: Any) -> bool:
    """Whether the devices of a compiled program talk to each other."""
    return re.search(_COLLECTIVES, str(handle.get_hlo_text())) is not None


def may_wait_for_ever(client: Client) -> bool:
    """Whether programs of a client deadlock if many are in flight."""
    return client.name == EMBEDDED and compat.COLLECTIVES_MAY_DEADLOCK


def at_most_a_few(run: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """Wrap `run`, XLA's function for a program, to wait until few others are in flight."""

    def run_in_flight(buffers: list[Any]) -> Any:
        with _lock:
            while len(_running) >= _MOST:
                with suppress(compat.Failure):  # reported by the reader of its results
                    _running.popleft().block_until_ready()
            results = run(buffers, with_tokens=True)
            _running.append(results.consume_token())
        return results

    return run_in_flight


def _forget() -> None:
    """Reset in a forked child, where the programs of the parent never end."""
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
