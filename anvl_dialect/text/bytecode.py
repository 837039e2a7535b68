"""Reading of untrusted bytecode in a child process, where a crash does no harm.

Of 3000 mutated bytecode files, 40 crashed MLIR's reader and 2 hung it; of another 1000, read by
`anvl.tools.dev.fuzz_text`, 3 hung it, and none that was accepted crashed anything.

    tried(data)       the bytecode to read instead, without array placement (Shardy)
    python -m anvl.dialect.text.bytecode DEEPEST     is that child
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence

from anvl.dialect.text.artifacts import deserialised, without_placement
from anvl.dialect.text.shardy import NotPlacement

__all__ = ["Malformed", "answer", "answer_of", "tried"]

_SECONDS = 60  # a valid module of 100 000 ops takes 2
_LONGEST_REASON = 500


class Malformed(ValueError):
    """Bytecode that MLIR cannot read; the message is the reason."""


def tried(data: bytes, child: Sequence[str]) -> tuple[bytes, Mapping[str, int]]:
    """Read bytecode in a child process; return it without Shardy, and counts of removals.

    `child` is the module to run and its arguments.  Raises `Malformed`.
    """
    command = [sys.executable, "-m", *child]
    try:
        found = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise Malformed(f"malformed bytecode, not read within {_SECONDS} seconds") from None
    if found.returncode == 1:
        said = found.stdout.strip() or found.stderr.strip().rpartition(b"\n")[2]
        raise Malformed(said.decode(errors="replace")[:_LONGEST_REASON])
    if found.returncode != 0:
        raise Malformed(f"malformed bytecode, it crashes the reader (status {found.returncode})")
    dropped, _, new = found.stdout.partition(b"\n")
    counts = json.loads(dropped)
    return (new, counts) if counts else (data, {})


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
    """Write the result of `answer` for `tried`, and return the exit status."""
    try:
        new, dropped = answer(data, deepest, allow_unregistered=allow_unregistered)
    except Malformed as error:
        print(error)
        return 1
    sys.stdout.buffer.write(json.dumps(dropped).encode() + b"\n" + (new if dropped else b""))
    return 0


if __name__ == "__main__":
    sys.exit(answer_of(sys.stdin.buffer.read(), int(sys.argv[1])))
