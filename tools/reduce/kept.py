"""The smallest module so far, where it outlives the process that found it; and a folder.

kept = Kept()                       before a fork
kept.save(Outcome(text, message))   in the child, which may crash at any step
kept.load()                         in the parent
kept.close()                        in whichever process ends without Python's own tidying up
"""

import json
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import BinaryIO, NamedTuple, Self

from anvl.tools.io import output
from anvl.tools.io.command_line import UsageError

__all__ = ["Kept", "Outcome", "write"]

_HEADER = 16  # bytes: the number of the outcome, and its size


class Outcome(NamedTuple):
    """A reduced module, and what there is to say about it."""

    text: str
    message: str


class Kept:
    """Two nameless files, written in turns, so that one is whole whenever the writer ends.

    With `has_folder` there is a folder for the candidates too, which both processes may remove.
    """

    def __init__(self, *, has_folder: bool = False) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        if has_folder:
            try:
                self._folder = TemporaryDirectory(prefix="anvl-reduce-", ignore_cleanup_errors=True)
            except OSError as error:
                raise UsageError(f"no folder for candidates, {error.strerror or error}") from None
        self._files: list[BinaryIO] = []
        self._count = 0
        with suppress(OSError):  # without a folder for such files a crash loses the outcome
            self._files = [TemporaryFile(buffering=0) for _ in range(2)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        """The folder for the candidates."""
        assert self._folder is not None
        return Path(self._folder.name)

    def close(self) -> None:
        """Close the files, and remove the folder."""
        for file in self._files:
            file.close()
        if self._folder is not None:
            self._folder.cleanup()

    def save(self, outcome: Outcome) -> None:
        """Keep an outcome in place of the one before the last."""
        if not self._files:
            return
        self._count += 1
        data = json.dumps(outcome).encode()
        header = self._count.to_bytes(8, "little") + len(data).to_bytes(8, "little")
        file = self._files[self._count % 2]
        with suppress(OSError):  # a full disk
            file.seek(0)
            file.truncate()
            file.write(header + data)

    def load(self) -> Outcome | None:
        """The last outcome that was saved whole, by any process."""
        found: list[tuple[int, bytes]] = []
        for file in self._files:
            file.seek(0)
            content = file.read()
            header, data = content[:_HEADER], content[_HEADER:]
            if len(header) == _HEADER and int.from_bytes(header[8:], "little") == len(data):
                found.append((int.from_bytes(header[:8], "little"), data))
        return Outcome(*json.loads(max(found)[1])) if found else None


def write(outcome: Outcome, path: str, prefix: str = "") -> None:
    """Write a reduced module, and say how it was found; raises `UsageError`."""
    try:
        output.write(path, f"{outcome.text.rstrip()}\n".encode())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"cannot write {path!r}, {error.strerror or error}") from None
    print(f"anvl-reduce: {prefix}{outcome.message}", file=sys.stderr)
