"""Parameters and results of the functions of `anvl.scipy.special`."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name

__all__ = ["SPECIAL"]

_ARRAY = "array: Real; integers give floats."
_JOINT = "array: Real; broadcasts with the others."

_PARAMETERS = {
    "a": _JOINT, "b": _JOINT, "c": _JOINT, "h": _JOINT, "k": _JOINT, "lmbda": _JOINT, "m": _JOINT,
    "n": _JOINT, "p": "array: Probabilities.", "q": _JOINT, "x": _JOINT, "y": _JOINT, "z": _ARRAY,
}  # fmt: skip
_X = {"x": _ARRAY}
_OF_ONE = (
    "dawsn digamma entr erfc erfcinv erfcx exp1 expi expit gamma gammaln gammasgn i0 i0e i1 i1e log_ndtr "
    "logit ndtr ndtri psi erf erfinv loggamma spence factorial"
)
_AXES = "int or sequence of int: The axes; by default all."
_OWN = {
    **{name: _X for name in _OF_ONE.split()},
    "bernoulli": {"n": "int: The last number."},
    "erfcinv": {"y": "array: From 0 to 2."},
    "erfinv": {"y": "array: From -1 to 1."},
    "expn": {"n": "array of integers: The order; broadcasts with x."},
    "factorial": {"n": "array: Not negative.", "exact": "bool: Must be False."},
    "log_softmax": {"x": "array", "axis": _AXES},
    "multigammaln": {"a": "array", "d": "int: The dimension."},
    "polygamma": {"n": "array: The order; broadcasts with x."},
    "sici": _X,
    "softmax": {"x": "array", "axis": _AXES},
    "wofz": {"z": "array of complex numbers"},
    "zeta": {"q": "array: Real; broadcasts with x; by default 1."},
}
_RESULTS = {
    "Array of floats, of the shape of the argument.": (
        f"{_OF_ONE} log_softmax softmax multigammaln"
    ),
    "Array of floats, of the shape that the arguments broadcast to.": (
        "beta betainc betaln binom boxcox boxcox1p comb expn gammainc gammaincc hyp1f1 hyp2f1 "
        "kl_div owens_t poch polygamma rel_entr xlog1py xlogy zeta"
    ),
    "Vector of n + 1 floats.": "bernoulli",
    "Pair of arrays of floats, of the shape of the argument.": "fresnel sici",
    "Array of complex numbers, of the shape of z.": "wofz",
}


def _link(name: str) -> str | None:
    if name == "bessel_jn":
        return None
    return f"https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.{name}.html"


SPECIAL = Entries(_PARAMETERS, _OWN, by_name(_RESULTS), _link)
