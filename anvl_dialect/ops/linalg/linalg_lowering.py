"""Lowering of linear algebra: to routines where they are registered, such as LAPACK's.

Elsewhere the ops expand to StableHLO (`linalg_fallback.py`, `jacobi.py`), except for the
eigenvalues of general matrices.
"""

from collections.abc import Callable
from typing import Any

from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.op import Value
from anvl.dialect.ops.linalg import jacobi, linalg_fallback
from anvl.dialect.ops.linalg.gpu_solvers import CUSOLVER, HIPSOLVER
from anvl.dialect.ops.linalg.lapack import LAPACK

__all__ = ["LIBRARIES", "library_of", "lower_on"]

#: By the library: lowering of each op, a function of the operands and parameters.
LIBRARIES: dict[str, dict[str, Callable[..., Any]]] = {
    "lapack": LAPACK,
    "cusolver": CUSOLVER,
    "hipsolver": HIPSOLVER,
}

_OF_PLATFORM = {"cpu": "lapack", "cuda": "cusolver", "rocm": "hipsolver"}

#: Lowering of each op where no library has it, to ops of StableHLO.
_ANYWHERE: dict[str, Callable[..., Any]] = {
    "triangular_solve": linalg_fallback.triangular_solve,
    "cholesky": linalg_fallback.cholesky,
    "lu": linalg_fallback.lu,
    "qr": linalg_fallback.qr,
    "svd": jacobi.svd,
    "svdvals": jacobi.svdvals,
    "eigh": jacobi.eigh,
    "eigvalsh": jacobi.eigvalsh,
}


def library_of(platform: str) -> str:
    """The library that jaxlib has for a platform, `none` for others."""
    return _OF_PLATFORM.get(platform, "none")


def lower_on(hlo: Any, name: str, *xs: Value, **params: Any) -> Any:
    """Lower the op `name` for `hlo.routines`.  `hlo` is what `lower` rules are given."""
    lowering = LIBRARIES.get(hlo.routines, {}).get(name) or _ANYWHERE.get(name)
    if lowering is None:
        able = [library for library, lowerings in LIBRARIES.items() if name in lowerings]
        raise MissingRule(
            f"{name}: there is no form of it in StableHLO alone, and the client that it is "
            f"compiled for has none of the libraries with a routine for it, {', '.join(able)}; "
            "run it on jaxlib's own client: anvl.devices('cpu')"
        )
    return lowering(*xs, **params)
