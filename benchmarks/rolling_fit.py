"""Fit the constants of the model of what repetition costs to measurements of both ways."""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import least_squares

from anvl.passes.rolling.costs import Counts, price

__all__ = ["Pair", "excess", "fit", "text_of"]

#: What is counted of a program unrolled and rolled, and how often longer one takes than the other.
Pair = tuple[tuple[Counts, Counts], float]

_SPREAD = 0.3  # of the logarithm of a ratio: what is farther off counts less
_PRIOR = 0.003
_BOUND = 12.0  # of the logarithm of a constant


def fit(pairs: Sequence[Pair], unit: str) -> dict[str, float]:
    """The constants of the model that give the ratios of the times of both ways best.

    Ratios, since both ways of a program were measured in turns; their logarithms, since twice and
    half as long are equally far.  `unit` is the constant that is 1, which ratios leave open.  What
    no program tells stays 1, by a weak prior.
    """
    names = list(dict.fromkeys(name for ways, _ in pairs for way in ways for name in way))
    free = [name for name in names if name != unit]
    unrolled, rolled = (_matrix([ways[i] for ways, _ in pairs], [unit, *free]) for i in (0, 1))
    wanted = np.log([ratio for _, ratio in pairs])

    def residuals(logarithms: np.ndarray) -> np.ndarray:
        constants = np.exp([0.0, *logarithms])
        found = np.log(unrolled @ constants) - np.log(rolled @ constants)
        return np.concatenate([found - wanted, _PRIOR * logarithms])

    found = least_squares(
        residuals, np.zeros(len(free)), loss="soft_l1", f_scale=_SPREAD, bounds=(-_BOUND, _BOUND)
    )
    fitted = {unit: 1.0} | dict(zip(free, np.exp(found.x), strict=True))
    return {name: float(f"{fitted[name]:.2g}") for name in names}


def excess(pairs: Sequence[Pair], constants: Counts) -> float:
    """How many times as long as the better ways the ways take that the constants choose.

    The geometric mean; 1 is a model that is always right.
    """
    lost = []
    for (unrolled, rolled), ratio in pairs:
        is_rolled = price(rolled, constants) < price(unrolled, constants)
        lost.append(max(0.0, -np.log(ratio) if is_rolled else np.log(ratio)))
    return float(np.exp(np.mean(lost)))


def text_of(constants: Counts) -> str:
    """The text of `passes/rolling/fitted.py`."""
    lines = [f'    "{name}": {value},' for name, value in constants.items()]
    head = '"""Constants of Note [Cost of repetition], by `benchmarks/rolling_costs.py`."""'
    return "\n".join(
        [head, "", '__all__ = ["COMPILATION"]', "", "COMPILATION = {", *lines, "}", ""]
    )


def _matrix(counts: Iterable[Counts], names: Sequence[str]) -> np.ndarray:
    return np.array([[of_one.get(name, 0.0) for name in names] for of_one in counts])
