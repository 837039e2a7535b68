"""SciPy's modules of BLAS and LAPACK, imported without the rest of `scipy.linalg`.

jaxlib takes the addresses of the routines from two extension modules.  To import these by name
imports `scipy.linalg` first, with NumPy's testing and f2py: 0.7 s of the first program with LAPACK,
where the two alone take 20 ms.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

__all__ = ["routines_alone"]

_PACKAGE = "scipy.linalg"
_MODULES = ("cython_blas", "cython_lapack")


@contextmanager
def routines_alone() -> Iterator[None]:
    """Let the two modules be found by their names within the block.

    Afterwards they are as if never imported, so that `scipy.linalg` imports them as its own: Python
    gives it the same modules.  Where they cannot be had so, importing them imports the package.
    """
    names = [f"{_PACKAGE}.{name}" for name in _MODULES]
    added: list[str] = []
    try:
        if _PACKAGE not in sys.modules:
            for name in names:
                if not _import_alone(name):
                    break
                added.append(name)
        yield
    finally:
        for name in added:
            sys.modules.pop(name, None)


#: They live as long as jaxlib, which keeps addresses in them.
_kept: list[ModuleType] = []


def _import_alone(name: str) -> bool:
    """Import a module of a package that is not imported; returns whether that was possible."""
    import scipy  # type: ignore[import-untyped]

    folders = [str(Path(folder, _PACKAGE.partition(".")[2])) for folder in scipy.__path__]
    spec = importlib.machinery.PathFinder.find_spec(name, folders)
    if spec is None or spec.loader is None or name in sys.modules:
        return False
    try:
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        sys.modules.pop(name, None)
        return False
    _kept.append(module)
    return True
