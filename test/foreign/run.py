"""Programs of JAX's in anvl: `make foreign`.

    python test/foreign/run.py [words of names]

For each function a row of a table: every check that held (`ok`), that says nothing of it (`-`), or
whose refusal is as it should be (`refused`).  Ends with status 1 if one is `FAILED`.
"""

import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import functions_arrays
import functions_control
import functions_models
from case import Case
from checks import CHECKS, findings

CASES = [*functions_arrays.CASES, *functions_models.CASES, *functions_control.CASES]
_LONGEST = 400  # of what is said of a failure


def main(words: list[str]) -> int:
    chosen = [c for c in CASES if not words or any(word in c.name for word in words)]
    print(f"{'':40}{''.join(f'{name:>9}' for name in CHECKS)}")
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    started = time.monotonic()
    for case in chosen:
        for _, how, said in _row(case):
            counts[how] += 1
            reasons[said if how == "-" else ""] += 1
    del reasons[""]
    total = ", ".join(f"{n} {how}" for how, n in sorted(counts.items()))
    print(f"\n{len(chosen)} functions in {time.monotonic() - started:.0f} s: {total}")
    for reason, n in sorted(reasons.items()):
        print(f"  -  {n:4} checks: {reason}")
    return 1 if counts["FAILED"] else 0


def _row(case: Case) -> list[tuple[str, str, str]]:
    try:
        found = list(findings(case))
    except Exception as error:  # of JAX, or of a check that should have caught it
        found = [("all", "FAILED", f"{type(error).__name__}: {error}")]
    print(f"{case.name:40}{''.join(f'{how:>9}' for _, how, _ in found)}", flush=True)
    for name, how, said in found:
        if how in ("FAILED", "refused"):
            print(f"    {name}: {how}: {' '.join(said.split())[:_LONGEST]}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
