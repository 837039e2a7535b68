"""Run a function on a stack that MLIR's recursive parser, printer and passes cannot exhaust."""

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["call_with_big_stack"]

T = TypeVar("T")

# Address space, not memory: pages count when touched.  The default 8 MiB end at 2000 regions.
_STACK_BYTES = 512 * 1024 * 1024
_RECURSION = 100_000


def call_with_big_stack(function: Callable[[], T]) -> T:
    """Return the result of `function`; its errors are raised here."""
    results: list[T] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_RECURSION)  # Python's own, which is meant for small stacks
    try:
        before = threading.stack_size(_STACK_BYTES)
        try:
            thread = threading.Thread(target=target, daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
        thread.join()
    finally:  # on the small stack of the caller, endless recursion would end the process
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
