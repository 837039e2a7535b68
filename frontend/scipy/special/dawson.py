"""Dawson's integral and its slope, each by a quotient of polynomials and, far from 0, a polynomial.

Both have all their digits: errors are at most 4 units in the last place of the value, and 7 of the
slope, also beside its zero and far from 0, where 1 - 2 x D(x) cancels.  Second derivatives are
those of the slope's polynomials.
Source: NIST Digital Library of Mathematical Functions, 7.2.5.  The quotients are least squares of
P(u) - f(u) Q(u), divided by f(u) Q(u) of the step before, with 60 digits at the nodes of
Chebyshev's polynomials; the polynomials are Chebyshev series.  The largest relative errors are
below 4e-17 in f64 and 3e-9 in f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.scipy.special.evaluation import polynomial, real_function
from anvl.transforms.custom_rules import custom_jvp

__all__ = ["dawsn"]

_QUOTIENT = tuple[Sequence[float], Sequence[float]]

# fmt: off
#: D(x) / x in x^2, |x| < 4.
_NEAR_F32: _QUOTIENT = (
    (9.827044422157382e-07, 1.6304126423815225e-05, 0.0003041736392285621,
     0.0014725086730899477, 0.03665042327818195, -0.03240277921119159, 1.000000001842945),
    (1.9421776696750823e-06, 3.3922552980519995e-05, 0.0004925597764770615,
     0.004992686599409187, 0.037078760737419884, 0.19282567366035366, 0.6342639776155093, 1.0),
)
#: 2 x D(x) in 32 / x^2 - 1, |x| >= 4.
_FAR_F32 = (
    3.669773442310778e-07, 1.389467108209471e-06, 3.7039009909259423e-06,
    1.4979052371864625e-05, 9.578305796285449e-05, 0.0009536639391812752, 0.01729215163448732,
    1.0164219730549557,
)
#: D'(x) / (z^2 - x^2) in x^2, |x| < 4, for the zero z of D'.
_SLOPE_NEAR_F32: _QUOTIENT = (
    (-1.0059353201809586e-09, 1.1721936626975432e-07, -5.470788556715887e-06,
     0.00019286640962379976, -0.0031525862585822964, 0.04247653567252916, -0.2649552520817726,
     1.1709154147299126),
    (1.1509699980064822e-06, 2.307145431927474e-05, 0.0003633014754310439,
     0.003965045895423749, 0.0314403324825493, 0.17350590056265205, 0.6028042509061833, 1.0),
)
#: -2 x^2 D'(x) in 32 / x^2 - 1, |x| >= 4.
_SLOPE_FAR_F32 = (
    -1.9527879562356197e-06, -4.991329624766206e-06, 2.106894131479654e-07,
    1.4034454993006712e-05, 2.692124411348325e-05, 5.304469269618117e-05, 0.0001692249317664134,
    0.0007909655749601429, 0.005343488781199102, 0.055691103977306575, 1.0510062647427845,
)
#: The same of f64, with 5 and 50 in place of 4 and 32.
_NEAR_F64: _QUOTIENT = (
    (1.0901086475868187e-18, 3.6376205008624844e-14, 2.3328737412558023e-12,
     8.815320482357151e-11, 2.9934520152958228e-09, 5.311580773132249e-08,
     1.5768111682018523e-06, 9.274220759098388e-06, 0.00040507431790944037,
     -0.00023858668880578815, 0.04234918789766714, -0.07456970406401921, 1.0),
    (7.341357754593223e-14, 4.535297274113071e-12, 1.822149351453921e-10,
     5.392808411369687e-09, 1.2549974751946107e-07, 2.352288091243232e-06,
     3.575324119881665e-05, 0.00043818284575615046, 0.004254709614377437, 0.03166858589590772,
     0.17041382963280588, 0.5920969626026448, 1.0),
)
#: 2 x D(x).
_FAR_F64 = (
    5.37015704520421e-12, 5.094037743726341e-12, -2.7579182385663105e-11,
    -4.303270255540533e-11, 2.1521190452202857e-11, 8.948117016988891e-11,
    1.0316726187928532e-10, 1.6683604256558675e-10, 4.4948872587510536e-10,
    1.470315937952723e-09, 6.005592343566337e-09, 3.098977570504276e-08, 2.036564253041252e-07,
    1.7463312413929873e-06, 2.04155603340769e-05, 0.00035243661981268563, 0.010649746347064306,
    1.01031615649186,
)
#: D'(x) / (z^2 - x^2).
_SLOPE_NEAR_F64: _QUOTIENT = (
    (-3.295991214825718e-20, 1.1412351954350366e-17, -8.386336190176104e-16,
     2.643699401925374e-13, -9.823909541744902e-12, 8.223853109045556e-10,
     -2.427573351031297e-08, 9.227127741109804e-07, -1.8548149147234215e-05,
     0.0003827944921778978, -0.004614037884303147, 0.05020130190577376, -0.2796344324645506,
     1.17091541204434),
    (2.0412270977317807e-15, 1.4604520417165578e-13, 6.7595683408467165e-12,
     2.310284225940158e-10, 6.245922666443495e-09, 1.37263377327601e-07,
     2.4786181487342938e-06, 3.676163192926407e-05, 0.00044348901797032584,
     0.004265205900689112, 0.03158786171162515, 0.16970995180574833, 0.5902676507216313, 1.0),
)
#: -2 x^2 D'(x).
_SLOPE_FAR_F64 = (
    3.338277004951379e-11, -4.1932808322924904e-11, -2.849441616459501e-10,
    1.7398512807183745e-10, 1.108152308329914e-09, 6.813805800606301e-11,
    -2.249961633377345e-09, -1.8613187637124248e-09, 9.311281252506387e-10,
    2.742144049936433e-09, 3.5650512290394507e-09, 5.7469692494687865e-09,
    1.223871909735232e-08, 3.31090383027724e-08, 1.1352753098518999e-07, 4.869389641842143e-07,
    2.6121079891344762e-06, 1.7753546198255747e-05, 0.0001568795717080605,
    0.0018846764610344474, 0.033358985520452945, 1.0316156491859887,
)
# fmt: on
#: The zero of the slope, as a float and the rest.
_ZERO_F32, _ZERO_F64 = (
    (0.9241388440132141, 2.89913776556847e-08),
    (0.9241388730045917, 2.3780739826467796e-17),
)


@real_function
def dawsn(x: Any) -> Any:
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x (DLMF 7.2.5).

    >>> from anvl.scipy import special
    >>> print(special.dawsn(0.0))
    0.0
    """
    return _dawsn(x)


@custom_jvp
def _dawsn(x: Any) -> Any:
    is_double = x.dtype == np.float64
    of_near, of_far = (_NEAR_F64, _FAR_F64) if is_double else (_NEAR_F32, _FAR_F32)
    is_near, near, inverse = _parts(x)
    value = anp.multiply(near, _quotient(of_near, anp.multiply(near, near)))
    far = anp.multiply(anp.multiply(0.5, inverse), _far(of_far, inverse))
    return anp.where(is_near, value, far)


@_dawsn.defjvp
def _dawsn_slope(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(tangents[0], _slope(primals[0]))


def _slope(x: Any) -> Any:
    is_double = x.dtype == np.float64
    of_near = _SLOPE_NEAR_F64 if is_double else _SLOPE_NEAR_F32
    of_far = _SLOPE_FAR_F64 if is_double else _SLOPE_FAR_F32
    is_near, near, inverse = _parts(x)
    value = anp.multiply(_below_zero(near), _quotient(of_near, anp.multiply(near, near)))
    square = anp.multiply(inverse, inverse)
    far = anp.multiply(anp.multiply(-0.5, square), _far(of_far, inverse))
    return anp.where(is_near, value, far)


@custom_jvp
def _below_zero(x: Any) -> Any:
    """z^2 - x^2, with its digits also beside the zero z."""
    zero, rest = _ZERO_F64 if x.dtype == np.float64 else _ZERO_F32
    below = anp.add(anp.subtract(zero, x), rest)
    return anp.multiply(below, anp.add(anp.add(zero, x), rest))


@_below_zero.defjvp
def _below_zero_slope(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(-2, anp.multiply(tangents[0], primals[0]))


def _split(x: Any) -> float:
    return 5.0 if x.dtype == np.float64 else 4.0


def _parts(x: Any) -> tuple[Any, Any, Any]:
    """Whether |x| is below the split, and x there and its inverse elsewhere."""
    is_near = anp.less(anp.abs(x), _split(x))
    return is_near, anp.where(is_near, x, 0), anp.divide(1, anp.where(is_near, _split(x), x))


def _quotient(table: _QUOTIENT, u: Any) -> Any:
    above, below = table
    return anp.divide(polynomial(above, u), polynomial(below, u))


def _far(table: Sequence[float], inverse: Any) -> Any:
    square = anp.multiply(2 * _split(inverse) ** 2, anp.multiply(inverse, inverse))
    return polynomial(table, anp.subtract(square, 1))
