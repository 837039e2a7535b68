"""How many of the cases of a test marked `sweep(keep=n, part=m)` run: set by ANVL_SWEEP.

(nothing)  `make test`: n of them, always the same
part       `make sweep-part`, which continuous integration runs too: the next m; without `part`
           as many again, or all if n is 0; and one in ten of the tests without a mark
all        `make sweep`: all, and many more random numbers
"""

import os

__all__ = ["MODE", "SWEEP"]

MODE = os.environ.get("ANVL_SWEEP", "")
assert MODE in ("", "part", "all"), f"ANVL_SWEEP is part, all or nothing, not {MODE!r}"

#: Whether this is `make sweep`.
SWEEP = MODE == "all"
