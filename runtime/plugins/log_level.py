"""The variable of the environment that says what XLA and plugins log to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LOG_LEVEL", "quiet_plugins"]

LOG_LEVEL = "TF_CPP_MIN_LOG_LEVEL"
_OF_JAX = "1"  # as an import of `jax` sets it


@contextmanager
def quiet_plugins() -> Iterator[None]:
    """Start plugins without their log on stderr: each reads the level once, from the environment.

    A user's setting of the variable takes precedence, but not what an import of `jax` has set.
    """
    before = os.environ.get(LOG_LEVEL)
    if before not in (None, _OF_JAX if "jax" in sys.modules else None):
        yield
        return
    os.environ[LOG_LEVEL] = "3"
    try:
        yield
    finally:
        os.environ.pop(LOG_LEVEL, None)
        if before is not None:
            os.environ[LOG_LEVEL] = before
