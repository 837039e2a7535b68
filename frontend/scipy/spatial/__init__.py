"""`anvl.scipy.spatial`: rotations in space, `transform`."""

from anvl.scipy.spatial import transform as transform

__all__ = ["transform"]


def __dir__() -> list[str]:
    return list(__all__)
