"""Messages between a process and a child that runs programs for it: a text, and arrays."""

import io
import json
import os
import signal
import struct
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from anvl.dialect.core.lazy_numpy import ml_dtypes

__all__ = ["how_it_ended", "receive", "send"]


def send(stream: BinaryIO | io.FileIO, text: str, arrays: Sequence[np.ndarray]) -> None:
    """Write a message whole."""
    contiguous = [np.asarray(x, order="C") for x in arrays]
    body = b"".join(x.tobytes() for x in contiguous)
    kinds = [[str(x.dtype), list(x.shape)] for x in contiguous]
    head = json.dumps({"text": text, "arrays": kinds, "bytes": len(body)}).encode()
    rest = memoryview(struct.pack("<I", len(head)) + head + body)
    while rest:  # a pipe without a buffer takes it in pieces
        rest = rest[stream.write(rest) :]
    stream.flush()


def receive(stream: BinaryIO | io.FileIO) -> tuple[str, list[np.ndarray]]:
    """Read a message whole; raises `EOFError` where the other process has ended."""
    head = json.loads(_read(stream, struct.unpack("<I", _read(stream, 4))[0]))
    body, arrays, at = _read(stream, head["bytes"]), [], 0
    for dtype, shape in head["arrays"]:
        of = _dtype(dtype)
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(body, of, count, at).reshape(shape))
        at += count * of.itemsize
    return head["text"], arrays


def _dtype(name: str) -> np.dtype:
    """A dtype by its name; NumPy knows those of `ml_dtypes` only once that is imported."""
    return np.dtype(name if name in np.sctypeDict else getattr(ml_dtypes, name))


def _read(stream: BinaryIO | io.FileIO, size: int) -> bytes:
    """As many bytes; a pipe without a buffer gives them in pieces."""
    pieces: list[bytes] = []
    while size:
        piece = stream.read(size)
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def how_it_ended(status: int) -> str:
    """The signal or the exit status of a process, from `os.waitpid`."""
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"status {os.WEXITSTATUS(status)}"
