"""How much hypothesis draws: a little, the same in every run; or much, by `make sweep`."""

from hypothesis import HealthCheck, Phase, settings
from sweep import SWEEP

__all__ = ["redrawn", "valued"]

_COMMON = settings(
    derandomize=not SWEEP,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    # Shrinking the seed of an array does not make it simpler.
    phases=[Phase.explicit, Phase.generate],
)

#: For all rules of an op, whose program is compiled once; in `make sweep`.
redrawn = settings(_COMMON, max_examples=40)

#: For the values of an elementwise op, element by element.
valued = settings(
    _COMMON,
    max_examples=500 if SWEEP else 10,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
