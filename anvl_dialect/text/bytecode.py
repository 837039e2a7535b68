"""Reading of untrusted bytecode in a child process, where a crash does no harm.

Of 3000 mutated bytecode files, 40 crashed MLIR's reader and 2 hung it; of another 1000, read by
`anvl.tools.dev.fuzz_text`, 3 hung it, and none that was accepted crashed anything.  So the child
limits its own time and memory, in which everything that is well formed is read.

    tried(data, child)          the bytecode to read instead, without array placement (Shardy)
    understood(data, ended)     the same, of a child that the caller has run
    python -m anvl.dialect.text.bytecode DEEPEST     is that child
"""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from anvl.dialect.text.artifacts import deserialised, without_placement
from anvl.dialect.text.shardy import NotPlacement

__all__ = ["WAITING_SECONDS", "Ended", "Malformed", "answer", "answer_of", "tried", "understood"]

WAITING_SECONDS = 60  # for a child that gets no processor
_SECONDS = 8  # of a processor; a valid module of 100 000 ops, 3 MB, takes 2
_BYTES_A_SECOND = 500_000
_MEMORY = 4 << 30  # of addresses; of 413 bytes, 3 GB were made in 3 s, without end
_MEMORY_A_BYTE = 1_000  # a valid module takes 90 for each of its bytes
_LONGEST_REASON = 500
_TOO_LONG = 24  # SIGXCPU, which Windows lacks


class Malformed(ValueError):
    """Bytecode that MLIR cannot read; the message is the reason."""


class Ended(NamedTuple):
    """How a child ended: its exit code, negative for a signal, and all that it wrote."""

    code: int
    output: bytes
    errors: bytes = b""


def tried(data: bytes, child: Sequence[str]) -> tuple[bytes, Mapping[str, int]]:
    """Read bytecode in a child process; return it without Shardy, and counts of removals.

    `child` is the module to run and its arguments.  Raises `Malformed`.
    """
    import subprocess  # with all that it imports 6 ms, and text needs no child

    command = [sys.executable, "-m", *child]
    try:
        found = subprocess.run(command, input=data, capture_output=True, timeout=WAITING_SECONDS)
    except subprocess.TimeoutExpired:
        return understood(data, None)
    return understood(data, Ended(found.returncode, found.stdout, found.stderr))


def understood(data: bytes, ended: Ended | None) -> tuple[bytes, Mapping[str, int]]:
    """Return the result of a child that ran `answer_of`, None if it did not end.

    Raises `Malformed`.
    """
    if ended is None:
        raise _not_read(WAITING_SECONDS)
    if ended.code == 1:
        said = ended.output.strip() or ended.errors.strip().rpartition(b"\n")[2]
        raise Malformed(said.decode(errors="replace")[:_LONGEST_REASON])
    if ended.code == -_TOO_LONG:
        raise _not_read(_SECONDS + len(data) // _BYTES_A_SECOND)
    if ended.code != 0:
        raise Malformed(f"malformed bytecode, it crashes the reader (status {ended.code})")
    dropped, _, new = ended.output.partition(b"\n")
    counts = json.loads(dropped)
    return new or data, counts


def _not_read(seconds: int) -> Malformed:
    return Malformed(f"malformed bytecode, not read within {seconds} seconds")


def answer(
    data: bytes, deepest: int, *, allow_unregistered: bool = False
) -> tuple[bytes, Mapping[str, int]]:
    """Do the same as `tried` in this process, which malformed bytecode may crash."""
    from anvl.dialect.core.context import context
    from anvl.dialect.text.hazards import InvalidOp, not_utf8, undecodable
    from anvl.dialect.text.versions import renamed

    made = context()
    made.allow_unregistered_dialects = allow_unregistered
    try:
        data, dropped = without_placement(data)
        of_today = renamed(data)
        module = deserialised(data if of_today is None else of_today, made)
        if _deeper_than(module.operation, deepest):
            raise Malformed(f"malformed bytecode, nested deeper than {deepest} levels")
        # Bytecode that crashes the printer is malformed too.
        found = undecodable(module.operation.get_asm(enable_debug_info=True))
    except (NotPlacement, InvalidOp) as error:
        raise Malformed(str(error)) from None
    except Malformed:
        raise
    except MemoryError:
        raise Malformed("malformed bytecode, its reader takes memory without end") from None
    except Exception as error:  # of MLIR, or of bindings without a class for it
        said = " ".join(str(error).split()) or f"{type(error).__name__} while it was read"
        raise Malformed(f"malformed bytecode, {said}") from None
    if found is not None:
        raise Malformed(f"malformed bytecode, {not_utf8(found[1])}")
    return data, dropped


def _deeper_than(op: "object", limit: int) -> bool:
    level = [op]
    for _ in range(limit):
        blocks = [b for o in level for r in o.regions for b in r.blocks]  # type: ignore[attr-defined]
        level = [inner.operation for block in blocks for inner in block.operations]
        if not level:
            return False
    return True


def answer_of(data: bytes, deepest: int, *, allow_unregistered: bool = False) -> int:
    """Write the result of `answer` for `tried`, and return the exit status.

    This process ends where MLIR's reader does not.
    """
    _limit_resources(len(data))
    try:
        new, dropped = answer(data, deepest, allow_unregistered=allow_unregistered)
    except Malformed as error:
        print(error)
        return 1
    sys.stdout.buffer.write(json.dumps(dropped).encode() + b"\n" + (b"" if new == data else new))
    return 0


def _limit_resources(size: int) -> None:
    """End this process where the reader does not end: by `SIGXCPU`, or out of memory."""
    try:
        import resource
    except ImportError:  # not on Windows, where `tried` waits
        return
    seconds = _SECONDS + size // _BYTES_A_SECOND
    memory = _MEMORY + size * _MEMORY_A_BYTE
    for kind, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory)):
        before = resource.getrlimit(kind)
        known = [each for each in before if each != resource.RLIM_INFINITY]
        with suppress(ValueError, OSError):  # a system without this limit
            resource.setrlimit(kind, (min([limit, *known]), before[1]))


if __name__ == "__main__":
    sys.exit(answer_of(sys.stdin.buffer.read(), int(sys.argv[1])))
