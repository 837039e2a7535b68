"""`anvl.scipy.special`: special functions, with the names and arguments of `scipy.special`.

Functions of reals take arrays of floats (integers become the default float), broadcast, and are
computed in the dtype of their result, in f32 for 16 bits.  Definitions: NIST Digital Library of
Mathematical Functions (DLMF, https://dlmf.nist.gov).

    >>> from anvl.scipy import special
    >>> print(special.binom(5, 2))
    10.0
"""

from anvl.call_spellings.numpy_forms import SPECIAL as _FORMS
from anvl.call_spellings.translation import respell as _respell
from anvl.core.importing import suggest_names as _suggest_names
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_special import SPECIAL as _ENTRIES
from anvl.scipy.list_arguments import take_lists as _take_lists
from anvl.scipy.special.bessel_family import bessel_jn as bessel_jn
from anvl.scipy.special.bessel_family import i0 as i0
from anvl.scipy.special.bessel_family import i0e as i0e
from anvl.scipy.special.bessel_family import i1 as i1
from anvl.scipy.special.bessel_family import i1e as i1e
from anvl.scipy.special.bessel_family import sph_harm_y as sph_harm_y
from anvl.scipy.special.beta_function import beta as beta
from anvl.scipy.special.binomials import binom as binom
from anvl.scipy.special.binomials import comb as comb
from anvl.scipy.special.binomials import poch as poch
from anvl.scipy.special.complex_gamma import loggamma as loggamma
from anvl.scipy.special.dawson import dawsn as dawsn
from anvl.scipy.special.entropies import boxcox as boxcox
from anvl.scipy.special.entropies import boxcox1p as boxcox1p
from anvl.scipy.special.entropies import entr as entr
from anvl.scipy.special.entropies import expit as expit
from anvl.scipy.special.entropies import kl_div as kl_div
from anvl.scipy.special.entropies import log_softmax as log_softmax
from anvl.scipy.special.entropies import logit as logit
from anvl.scipy.special.entropies import logsumexp as logsumexp
from anvl.scipy.special.entropies import rel_entr as rel_entr
from anvl.scipy.special.entropies import softmax as softmax
from anvl.scipy.special.entropies import xlog1py as xlog1py
from anvl.scipy.special.entropies import xlogy as xlogy
from anvl.scipy.special.exponential_integrals import exp1 as exp1
from anvl.scipy.special.exponential_integrals import expi as expi
from anvl.scipy.special.exponential_integrals import expn as expn
from anvl.scipy.special.exponential_integrals import sici as sici
from anvl.scipy.special.exponential_integrals import spence as spence
from anvl.scipy.special.gamma_functions import bernoulli as bernoulli
from anvl.scipy.special.gamma_functions import betainc as betainc
from anvl.scipy.special.gamma_functions import betaln as betaln
from anvl.scipy.special.gamma_functions import digamma as digamma
from anvl.scipy.special.gamma_functions import factorial as factorial
from anvl.scipy.special.gamma_functions import gamma as gamma
from anvl.scipy.special.gamma_functions import gammainc as gammainc
from anvl.scipy.special.gamma_functions import gammaincc as gammaincc
from anvl.scipy.special.gamma_functions import gammaln as gammaln
from anvl.scipy.special.gamma_functions import gammasgn as gammasgn
from anvl.scipy.special.gamma_functions import multigammaln as multigammaln
from anvl.scipy.special.gamma_functions import polygamma as polygamma
from anvl.scipy.special.gamma_functions import psi as psi
from anvl.scipy.special.gamma_functions import zeta as zeta
from anvl.scipy.special.hypergeometric import hyp1f1 as hyp1f1
from anvl.scipy.special.hypergeometric import hyp2f1 as hyp2f1
from anvl.scipy.special.normal_integrals import erf as erf
from anvl.scipy.special.normal_integrals import erfc as erfc
from anvl.scipy.special.normal_integrals import erfcinv as erfcinv
from anvl.scipy.special.normal_integrals import erfcx as erfcx
from anvl.scipy.special.normal_integrals import erfinv as erfinv
from anvl.scipy.special.normal_integrals import fresnel as fresnel
from anvl.scipy.special.normal_integrals import log_ndtr as log_ndtr
from anvl.scipy.special.normal_integrals import ndtr as ndtr
from anvl.scipy.special.normal_integrals import ndtri as ndtri
from anvl.scipy.special.normal_integrals import owens_t as owens_t
from anvl.scipy.special.normal_integrals import wofz as wofz

__all__ = [
    "bernoulli",
    "bessel_jn",
    "beta",
    "betainc",
    "betaln",
    "binom",
    "boxcox",
    "boxcox1p",
    "comb",
    "dawsn",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp1",
    "expi",
    "expit",
    "expn",
    "factorial",
    "fresnel",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "gammasgn",
    "hyp1f1",
    "hyp2f1",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "kl_div",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "owens_t",
    "poch",
    "polygamma",
    "psi",
    "rel_entr",
    "sici",
    "softmax",
    "spence",
    "sph_harm_y",
    "wofz",
    "xlog1py",
    "xlogy",
    "zeta",
]

_respell(globals(), _FORMS)
_complete(__all__, globals(), _ENTRIES)

_take_lists(__all__, globals())

_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
