"""`anvl.scipy.stats`: distributions and statistics, with the arguments of `scipy.stats`.

A distribution has `logpdf` and `pdf` (`logpmf`, `pmf`), and, as far as it says, `cdf`, `logcdf`,
`sf`, `logsf`, `ppf`, `isf`: f(x, shapes, loc=0, scale=1).  Outside the support densities are 0; for
parameters that are not allowed everything is NaN.

    >>> from anvl.scipy import stats
    >>> print(stats.norm.cdf(0.0), stats.norm.ppf(0.5, loc=3.0))
    0.5 3.0
    >>> stats.expon
    <anvl.scipy.stats.expon: logpdf, pdf, cdf, logcdf, sf, logsf, ppf, isf>
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.scipy.list_arguments import take_lists as _take_lists
from anvl.scipy.stats.continuous_densities import beta as beta
from anvl.scipy.stats.continuous_densities import cauchy as cauchy
from anvl.scipy.stats.continuous_densities import chi2 as chi2
from anvl.scipy.stats.continuous_densities import expon as expon
from anvl.scipy.stats.continuous_densities import gamma as gamma
from anvl.scipy.stats.continuous_densities import gennorm as gennorm
from anvl.scipy.stats.continuous_densities import gumbel_l as gumbel_l
from anvl.scipy.stats.continuous_densities import gumbel_r as gumbel_r
from anvl.scipy.stats.continuous_densities import laplace as laplace
from anvl.scipy.stats.continuous_densities import logistic as logistic
from anvl.scipy.stats.continuous_densities import norm as norm
from anvl.scipy.stats.continuous_densities import pareto as pareto
from anvl.scipy.stats.continuous_densities import t as t
from anvl.scipy.stats.continuous_densities import truncnorm as truncnorm
from anvl.scipy.stats.continuous_densities import uniform as uniform
from anvl.scipy.stats.continuous_densities import vonmises as vonmises
from anvl.scipy.stats.continuous_densities import wrapcauchy as wrapcauchy
from anvl.scipy.stats.discrete import bernoulli as bernoulli
from anvl.scipy.stats.discrete import betabinom as betabinom
from anvl.scipy.stats.discrete import binom as binom
from anvl.scipy.stats.discrete import geom as geom
from anvl.scipy.stats.discrete import nbinom as nbinom
from anvl.scipy.stats.discrete import poisson as poisson
from anvl.scipy.stats.multivariate_densities import dirichlet as dirichlet
from anvl.scipy.stats.multivariate_densities import multinomial as multinomial
from anvl.scipy.stats.multivariate_densities import multivariate_normal as multivariate_normal
from anvl.scipy.stats.summaries import ModeResult as ModeResult
from anvl.scipy.stats.summaries import gaussian_kde as gaussian_kde
from anvl.scipy.stats.summaries import mode as mode
from anvl.scipy.stats.summaries import rankdata as rankdata
from anvl.scipy.stats.summaries import sem as sem
from anvl.scipy.stats.summaries import zscore as zscore

__all__ = [
    "ModeResult",
    "bernoulli",
    "beta",
    "betabinom",
    "binom",
    "cauchy",
    "chi2",
    "dirichlet",
    "expon",
    "gamma",
    "gaussian_kde",
    "gennorm",
    "geom",
    "gumbel_l",
    "gumbel_r",
    "laplace",
    "logistic",
    "mode",
    "multinomial",
    "multivariate_normal",
    "nbinom",
    "norm",
    "pareto",
    "poisson",
    "rankdata",
    "sem",
    "t",
    "truncnorm",
    "uniform",
    "vonmises",
    "wrapcauchy",
    "zscore",
]

_take_lists(__all__, globals())

_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
