"""Gloo's lines on stdout, one for each device when it connects to the others: they are removed.

Gloo writes them with C++'s `cout`, in pieces, from a thread for each device.  So where a program
over several processes runs for the first time, file descriptor 1 is held back until it has run, and
what others wrote there meanwhile follows.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["without_gloo", "without_gloo_output"]

_PIECE = (
    rb"\[Gloo\] Rank |\d+| is connected to | peer ranks\. |"
    rb"Expected number of connected peer ranks is : "
)
_ALONE = re.compile(rb"(?:%s|\n)*" % _PIECE)
_LINE = re.compile(rb"^(?:%s)+\n" % _PIECE, re.MULTILINE)
_STDOUT = 1


@contextmanager
def without_gloo_output() -> Iterator[None]:
    """Run a block, and remove Gloo's lines from what is written to stdout meanwhile."""
    _flush()
    try:
        saved = os.dup(_STDOUT)
    except OSError:  # it is closed
        yield
        return
    import tempfile  # and what it imports, 4 ms: for one that connects to others

    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), _STDOUT)
        try:
            yield
        finally:
            _flush()
            os.dup2(saved, _STDOUT)
            os.close(saved)
            held.seek(0)
            rest = without_gloo(held.read())
            with suppress(OSError):
                os.write(_STDOUT, rest)


def _flush() -> None:
    with suppress(AttributeError, ValueError, OSError):  # there is none, or it is closed
        sys.stdout.flush()


def without_gloo(text: bytes) -> bytes:
    """The text without Gloo's lines, also if these are mixed up with each other.

    Examples
    --------
    >>> said = b"is connected to 1 peer ranks. Expected number of connected peer ranks is : 1"
    >>> without_gloo(b"12\\n[Gloo] Rank 0 " + said + b"\\nmine\\n")
    b'12\\nmine\\n'
    """
    if b"[Gloo] Rank " not in text:
        return text
    if _ALONE.fullmatch(text):
        return b""
    return _LINE.sub(lambda found: b"" if b"ranks" in found[0] else found[0], text)
