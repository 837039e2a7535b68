"""`anvl.scipy.sparse`: solvers for linear operators, in `anvl.scipy.sparse.linalg`."""

from anvl.scipy.sparse import linalg as linalg

__all__ = ["linalg"]


def __dir__() -> list[str]:
    return list(__all__)
