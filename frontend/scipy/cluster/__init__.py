"""`anvl.scipy.cluster`: vector quantisation, in `anvl.scipy.cluster.vq`."""

from anvl.scipy.cluster import vq as vq

__all__ = ["vq"]


def __dir__() -> list[str]:
    return list(__all__)
