"""Start without NumPy: its import takes a third of the time in which a tool starts.

anvl imports it when it first needs it, but MLIR's bindings do so at once, unless it is absent.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

__all__ = ["without_numpy"]


@contextmanager
def without_numpy() -> Iterator[None]:
    """Hide NumPy from what is imported inside, if it is not imported yet; for one thread alone."""
    if "numpy" in sys.modules:
        yield
        return
    modules = cast(dict[str, Any], sys.modules)
    modules["numpy"] = None  # an ImportError for `import numpy`
    try:
        yield
    finally:
        del modules["numpy"]
