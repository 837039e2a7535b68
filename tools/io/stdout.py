"""The end of a command where nobody takes its output.

    @writes_stdout("anvl-run")
    def main(argv=None): ...

A reader that leaves, as `head -1` does, ends the command without a word; a full disk is an error.
"""

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["writes_stdout"]


def writes_stdout(name: str, failed: int = 1) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Decorate the `main` of a command, whose exit code without a reader is `failed`."""

    def decorated(main: Callable[..., int]) -> Callable[..., int]:
        @wraps(main)
        def run(*argv: Any) -> int:
            code = None
            try:
                code = main(*argv)
                if sys.stdout is not None:  # it is closed
                    sys.stdout.flush()
                return code
            except BrokenPipeError:
                pass
            except OSError as error:
                if error.filename is not None or error.strerror is None:  # not of a stream
                    raise
                if code != failed:  # else this may have been said
                    said = f"{name}: error: cannot write to stdout, {error.strerror}"
                    print(said, file=sys.stderr)
            # At exit Python must not try to write the rest.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return failed

        return run

    return decorated
