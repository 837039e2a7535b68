"""NumPy and its small dtypes, imported when one of their names is first used.

Importing NumPy takes longer than importing MLIR's bindings, and most programs that `anvl-opt`
transforms need none of it.
"""

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["ml_dtypes", "np"]


class _Lazy:
    """A stand-in for a module; an attribute that was read once costs as much as a module's."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self._name), name)
        self.__dict__[name] = value
        return value


if TYPE_CHECKING:
    import ml_dtypes as ml_dtypes
    import numpy as np
else:
    ml_dtypes, np = _Lazy("ml_dtypes"), _Lazy("numpy")
