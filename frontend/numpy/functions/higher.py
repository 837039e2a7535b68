"""Special functions, elementwise: names of `scipy.special`.

Integers become the default float; two operands broadcast.
Source: NIST Digital Library of Mathematical Functions, sections 7 (error functions), 5 (gamma),
8 (incomplete gamma and beta), 10 (Bessel) and 25 (zeta), for the definitions.
"""

from __future__ import annotations

from typing import Any

from anvl.core.promote import promoted
from anvl.dialect.ops.special.psi import PsiOp
from anvl.dispatch.eager import Function, public
from anvl.numpy.functions.elementwise import binary, mark_weak, named, unary
from anvl.numpy.functions.emitting import prim

__all__ = [
    "betainc", "digamma", "erfinv", "gammainc", "gammaincc", "gammaln", "i0", "i0e", "i1", "i1e",
    "polygamma", "zeta",
]  # fmt: skip

# fmt: off
erfinv: Function = unary("erfinv", "erf_inv", "float",
    "Inverse error function; infinite at -1 and 1. | np.float16(0.5) -> 0.477")
gammaln: Function = unary("gammaln", "lgamma", "float",
    "log |gamma(x)| (DLMF 5.2.1), to 14 units of 1 in the last place beside its zeros at 1 and 2,"
    " where `anvl.scipy.special.gammaln` has all its digits. | np.float16(4) -> 1.792")
digamma: Function = unary("digamma", "digamma", "float",
    "The derivative of `gammaln` (DLMF 5.2.2). | np.float16(1) -> -0.577")
i0e: Function = unary("i0e", "bessel_i0e", "float",
    "exp(-|x|) i0(x). It has a corner at 0. | np.float16(1) -> 0.4658")
i1e: Function = unary("i1e", "bessel_i1e", "float",
    "exp(-|x|) i1(x). It has a corner at 0. | np.float16(1) -> 0.2079")

zeta: Function = binary("zeta", "zeta", "float",
    "The sum of (k + q) ** -x over k = 0, 1, ... (DLMF 25.11.1), for x > 1. "
    "| 2, np.float16(1) -> 1.645")
gammainc: Function = binary("gammainc", "igamma", "float",
    "The regularised lower incomplete gamma function of a at x (DLMF 8.2.4). "
    "The derivative in a is 0 at x = 0. | 1, np.float16(1) -> 0.6323")
gammaincc: Function = binary("gammaincc", "igammac", "float",
    "1 - gammainc(a, x) (DLMF 8.2.4). The derivative in a is 0 at x = 0. "
    "| 1, np.float16(1) -> 0.368")
# fmt: on


def _polygamma(x: Any, y: Any) -> Any:
    """As `polygamma`; a number x up to 4 is an attribute, with a series for that order alone."""
    operands, weak = promoted("polygamma", (x, y), "float")
    if type(x) in (int, float) and x in range(1, PsiOp.largest_order + 1):
        return mark_weak(prim("psi", operands[1], order=int(x)), weak)
    return mark_weak(prim("polygamma", *operands), weak)


polygamma: Function = named(_polygamma, "polygamma",
    "The nth derivative of `digamma` at x (DLMF 5.15), for x > 0. n has no derivative. "
    "| 1, np.float16(1) -> 1.645")  # fmt: skip


def _bessel(name: str, order: int, doc: str) -> Any:
    def function(x: Any) -> Any:
        (operand,), weak = promoted(name, (x,), "float")
        return mark_weak(prim("bessel_i", operand, order=order), weak)

    return named(function, name, doc)


# fmt: off
i0: Function = _bessel("i0", 0,
    "The modified Bessel function of order 0 (DLMF 10.25.2). | np.float16(1) -> 1.266")
i1: Function = _bessel("i1", 1,
    "The modified Bessel function of order 1 (DLMF 10.25.2). | np.float16(1) -> 0.565")
# fmt: on


@public()
def betainc(a: Any, b: Any, x: Any) -> Any:
    """The regularised incomplete beta function of a and b at x (DLMF 8.17.2).

    Differentiable in each argument; the derivatives in a and b are 0 at the ends of x.

    >>> import anvl.numpy as np
    >>> print(np.round(np.betainc(2.0, 1.0, 0.5), 4))
    0.25
    """
    operands, weak = promoted("betainc", (a, b, x), "float")
    return mark_weak(prim("betainc", *operands), weak)
