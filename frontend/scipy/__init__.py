"""`anvl.scipy`: SciPy's functions on arrays and inside of traces, with its names and arguments.

    >>> import anvl
    >>> from anvl.scipy import special, stats
    >>> print(anvl.grad(special.ndtr)(0.0) - stats.norm.pdf(0.0))
    0.0

`docs/scipy.md` lists what there is, with errors and differences.
"""

from anvl.core.importing import load_module as _load_module
from anvl.core.importing import unknown_name as _unknown_name

_MODULES = (
    "cluster", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal",
    "sparse", "spatial", "special", "stats",
)  # fmt: skip

__all__ = [*_MODULES]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise _unknown_name("anvl.scipy", name, __all__)
    found = globals()[name] = _load_module(f"anvl.scipy.{name}")
    return found


def __dir__() -> list[str]:
    return list(__all__)
