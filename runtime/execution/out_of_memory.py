"""Lack of memory: one collection and a second try, a third a little later, then a typed error."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from anvl.runtime.distributed.status import peer_failure
from anvl.runtime.errors import OutOfMemory, RuntimeFailure, readable
from anvl.runtime.lazy import compat

__all__ = ["failure", "run_once_more", "try_once_more"]

_T = TypeVar("_T")

_A_LITTLE = 0.05  # seconds

_ADVICE = (
    "free arrays (x.delete(), or donate=), compute in parts (anvl.map(f, xs, batch_size=...)), or "
    "keep less for a derivative (anvl.checkpoint)"
)


def failure(what: str, error: BaseException) -> RuntimeFailure:
    """The error to raise for one of the library below: `OutOfMemory` if memory was lacking.

    It is a `DistributedError` if another process is the reason.
    """
    if _is_out_of_memory(error):
        _collect()  # so that the caller may try again, as a program that runs cannot be
        return OutOfMemory(f"{what}: {readable(error).rstrip('.')}; {_ADVICE}")
    of_peer = peer_failure(what, error)
    return of_peer or RuntimeFailure(f"{what}: {readable(error)}")


def _is_out_of_memory(error: BaseException) -> bool:
    return str(error).startswith("RESOURCE_EXHAUSTED")


def try_once_more(error: BaseException, work: Callable[[], _T]) -> _T:
    """Collect garbage and do the work again if memory was lacking; else raise the error.

    Arrays in reference cycles, and host memory lent to a device, are freed only by a collection;
    what a thread of the library below still reads, as soon as that ends: so the last try waits.
    """
    if not _is_out_of_memory(error):
        raise error
    _collect()
    try:
        return work()
    except compat.Failure as again:
        if not _is_out_of_memory(again):
            raise
    time.sleep(_A_LITTLE)
    return work()


def _collect() -> None:
    gc.collect()
    compat.collect_garbage()


def run_once_more(
    error: BaseException, run: Callable[..., Any], buffers: Sequence[Any], handlers: Sequence[Any]
) -> Any:
    """Run a program again if memory was lacking and no argument was taken; else raise the error."""
    if any(buffer.is_deleted() for buffer in buffers):
        raise error
    return try_once_more(error, lambda: run(buffers).consume_with_handlers(handlers))
