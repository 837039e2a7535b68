"""`anvl.random`: random arrays from explicit keys.

A key is a ui64 number.  The same key gives the same numbers, in `jit` and outside of it, in every
process; so each draw gets a key of its own, which `split` makes.

    >>> import anvl
    >>> first, second = anvl.random.split(anvl.random.key(0))
    >>> print(anvl.random.randint(first, 1, 7, (5,)))
    [6 4 1 3 2]
    >>> print(anvl.random.randint(second, 1, 7, (5,)))
    [2 5 5 2 2]

Which bits those are: Note [Which bits] in `anvl.random.prng`.
"""

from anvl.random.distributions import bernoulli as bernoulli
from anvl.random.distributions import categorical as categorical
from anvl.random.distributions import choice as choice
from anvl.random.distributions import exponential as exponential
from anvl.random.distributions import gumbel as gumbel
from anvl.random.distributions import normal as normal
from anvl.random.distributions import permutation as permutation
from anvl.random.distributions import randint as randint
from anvl.random.distributions import uniform as uniform
from anvl.random.prng import bits as bits
from anvl.random.prng import fold_in as fold_in
from anvl.random.prng import key as key
from anvl.random.prng import split as split

__all__ = [
    "bernoulli", "bits", "categorical", "choice", "exponential", "fold_in", "gumbel", "key",
    "normal", "permutation", "randint", "split", "uniform",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
