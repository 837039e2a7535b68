"""Whether this is `make sweep`, which tries what the few cases of `make test` do not show."""

import os

__all__ = ["SWEEP"]

SWEEP = os.environ.get("ANVL_SWEEP", "") not in ("", "0")
