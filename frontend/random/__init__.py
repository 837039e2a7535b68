"""`anvl.random`: random arrays from explicit keys.

A key is a ui64 number.  The same key gives the same numbers, in `jit` and outside of it, in every
process; so each draw gets a key of its own, which `split` makes.

    >>> import anvl
    >>> first, second = anvl.random.split(anvl.random.key(0))
    >>> print(anvl.random.randint(first, (5,), 1, 7))
    [6 4 1 3 2]
    >>> print(anvl.random.randint(second, (5,), 1, 7))
    [2 5 5 2 2]

Which bits those are: Note [Which bits] in `anvl.random.prng`.
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_random import RANDOM as _ENTRIES
from anvl.random.choices import bernoulli as bernoulli
from anvl.random.choices import categorical as categorical
from anvl.random.choices import choice as choice
from anvl.random.continuous import cauchy as cauchy
from anvl.random.continuous import double_sided_maxwell as double_sided_maxwell
from anvl.random.continuous import laplace as laplace
from anvl.random.continuous import logistic as logistic
from anvl.random.continuous import lognormal as lognormal
from anvl.random.continuous import maxwell as maxwell
from anvl.random.continuous import pareto as pareto
from anvl.random.continuous import rayleigh as rayleigh
from anvl.random.continuous import triangular as triangular
from anvl.random.continuous import truncated_normal as truncated_normal
from anvl.random.continuous import wald as wald
from anvl.random.continuous import weibull_min as weibull_min
from anvl.random.counts import binomial as binomial
from anvl.random.counts import geometric as geometric
from anvl.random.counts import multinomial as multinomial
from anvl.random.counts import poisson as poisson
from anvl.random.counts import rademacher as rademacher
from anvl.random.distributions import exponential as exponential
from anvl.random.distributions import gumbel as gumbel
from anvl.random.distributions import normal as normal
from anvl.random.distributions import uniform as uniform
from anvl.random.gamma_family import ball as ball
from anvl.random.gamma_family import beta as beta
from anvl.random.gamma_family import chisquare as chisquare
from anvl.random.gamma_family import dirichlet as dirichlet
from anvl.random.gamma_family import f as f
from anvl.random.gamma_family import gamma as gamma
from anvl.random.gamma_family import generalized_normal as generalized_normal
from anvl.random.gamma_family import loggamma as loggamma
from anvl.random.gamma_family import t as t
from anvl.random.integers import permutation as permutation
from anvl.random.integers import randint as randint
from anvl.random.multivariate import multivariate_normal as multivariate_normal
from anvl.random.multivariate import orthogonal as orthogonal
from anvl.random.prng import PRNGKey as PRNGKey
from anvl.random.prng import bits as bits
from anvl.random.prng import clone as clone
from anvl.random.prng import fold_in as fold_in
from anvl.random.prng import key as key
from anvl.random.prng import key_data as key_data
from anvl.random.prng import key_impl as key_impl
from anvl.random.prng import split as split
from anvl.random.prng import wrap_key_data as wrap_key_data

__all__ = [
    "PRNGKey", "ball", "bernoulli", "beta", "binomial", "bits", "categorical", "cauchy",
    "chisquare", "choice", "clone", "dirichlet", "double_sided_maxwell", "exponential", "f",
    "fold_in", "gamma", "generalized_normal", "geometric", "gumbel", "key", "key_data",
    "key_impl", "laplace", "loggamma", "logistic", "lognormal", "maxwell", "multinomial",
    "multivariate_normal", "normal", "orthogonal", "pareto", "permutation", "poisson",
    "rademacher", "randint", "rayleigh", "split", "t", "triangular", "truncated_normal",
    "uniform", "wald", "weibull_min", "wrap_key_data",
]  # fmt: skip

_complete(__all__, globals(), _ENTRIES)

_suggest_names(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
