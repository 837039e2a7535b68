"""How much hypothesis draws: a little, the same in every run; or much, by `make sweep`."""

import os

from hypothesis import HealthCheck, Phase, settings

__all__ = ["SWEEP", "redrawn", "valued"]

#: Whether to look for what the few examples of continuous integration do not show.
SWEEP = os.environ.get("ANVL_SWEEP", "") not in ("", "0")

_COMMON = settings(
    derandomize=not SWEEP,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    # Shrinking the seed of an array does not make it simpler.
    phases=[Phase.explicit, Phase.generate],
)

#: For all rules of an op, whose program is compiled once.
redrawn = settings(_COMMON, max_examples=40 if SWEEP else 1)

#: For the values of an elementwise op, element by element.
valued = settings(
    _COMMON,
    max_examples=500 if SWEEP else 10,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
