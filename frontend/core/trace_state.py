"""The active trace of each thread, if any."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anvl.dialect.core.forking import lock_over_forks

if TYPE_CHECKING:
    from anvl.core.tracing import Trace

__all__ = ["current", "ensure_compile_time_eval", "passes_lock"]

#: Held while passes run, which call back into Python.
passes_lock = lock_over_forks()


class _State(threading.local):
    trace: "Trace | None" = None
    scope: str = ""  # of `named_scope`; ends with a dot


current = _State()


@contextmanager
def ensure_compile_time_eval() -> Iterator[None]:
    """Compute in a block within a trace at once, with values that Python sees.

    What is computed there from NumPy's arrays and numbers is a constant of the program.

    Returns
    -------
    A context manager.

    Raises
    ------
    TraceError
        A traced value is used in the block.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> @anvl.jit
    ... def f(x):
    ...     with anvl.ensure_compile_time_eval():
    ...         total = np.sum(np.arange(4))
    ...         n = 2 if total > 5 else 3
    ...     return x * n
    >>> print(f(1.5))
    3.0
    """
    outer, current.trace = current.trace, None
    try:
        yield
    finally:
        current.trace = outer
