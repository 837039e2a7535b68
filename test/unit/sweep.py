"""How many of the cases of a test marked `sweep(keep=n)` run: set by ANVL_SWEEP.

(nothing)  `make test`: n of them, always the same
part       `make sweep-part`, which continuous integration runs too: the next 2 n, or all if n is 0
all        `make sweep`: all, and many more random numbers
"""

import os

__all__ = ["MODE", "SWEEP"]

MODE = os.environ.get("ANVL_SWEEP", "")
assert MODE in ("", "part", "all"), f"ANVL_SWEEP is part, all or nothing, not {MODE!r}"

#: Whether this is `make sweep`.
SWEEP = MODE == "all"
