"""Parameters and results of the functions of `anvl.random`."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name

__all__ = ["RANDOM"]

_PARAMETERS = {
    "a": "float or array: The shape parameter; broadcasts to `shape`.",
    "b": "float or array: The second parameter; broadcasts to `shape`.",
    "data": "int or array: An integer, which may be traced.",
    "df": "float or array: Degrees of freedom; broadcasts to `shape`.",
    "dtype": "dtype: Of the result; by default as described, else the default float one.",
    "impl": '{"threefry2x32"}: The generator.',
    "key": "key: Of `anvl.random.key`, used once.",
    "keys": "array of keys",
    "p": "float or array: The parameter; broadcasts to `shape`.",
    "seed": "int or array: From 0 to 2^64 - 1; an array has no axes.",
    "shape": "int or sequence of int: Of the result; by default that of the parameters.",
}
_OWN = {
    "ball": {"d": "int: The number of dimensions.", "p": "float: The order of the norm.",
             "shape": "sequence of int: The number of points along leading axes."},
    "bernoulli": {"p": "float or array: The probability of True.",
                  "mode": '{"low", "high"}: 32 or 64 random bits a sample.'},
    "binomial": {"n": "float or array: The number of trials.",
                 "p": "float or array: The probability of a success."},
    "bits": {"dtype": "dtype: An unsigned dtype."},
    "dirichlet": {"alpha": "array: Concentrations along the last axis, positive."},
    "double_sided_maxwell": {"loc": "float or array: The center.",
                             "scale": "float or array: The width."},
    "f": {"dfnum": "float or array: Degrees of freedom of the numerator.",
          "dfden": "float or array: Degrees of freedom of the denominator."},
    "geometric": {"p": "float or array: The probability of a success."},
    "gumbel": {"mode": '{"low", "high"}: Fewer or more random bits a sample.'},
    "lognormal": {"sigma": "float or array: The standard deviation of the logarithm."},
    "multinomial": {"n": "float or array: The number of trials.",
                    "p": "array: Probabilities along the last axis.",
                    "unroll": "int: How many outcomes a step of the loop draws."},
    "orthogonal": {"n": "int: The number of rows.", "m": "int: The number of columns, by default n.",
                   "shape": "sequence of int: The number of matrices along leading axes."},
    "pareto": {"b": "float or array: The exponent of the tail; broadcasts to `shape`."},
    "permutation": {"x": "int or array", "axis": "int: The axis that is permuted.",
                    "independent": "bool: Whether each vector along the axis is permuted by itself."},
    "poisson": {"lam": "float or array: The mean; broadcasts to `shape`."},
    "randint": {"minval": "int or array: The least value.", "maxval": "int or array: Not reached."},
    "rayleigh": {"scale": "float or array: The width; broadcasts to `shape`."},
    "split": {"num": "int or sequence of int: How many keys, or the shape of them."},
    "triangular": {"left": "float or array: The left end.", "mode": "float or array: The peak.",
                   "right": "float or array: The right end."},
    "truncated_normal": {"lower": "float or array: The lower bound.",
                         "upper": "float or array: The upper bound."},
    "uniform": {"minval": "float or array: The least value.",
                "maxval": "float or array: Not reached."},
    "wald": {"mean": "float or array: The mean; broadcasts to `shape`."},
    "weibull_min": {"scale": "float or array: The width.",
                    "concentration": "float or array: The exponent."},
    "wrap_key_data": {"key_bits_array": "array of ui32: Of shape (..., 2)."},
}  # fmt: skip
_RESULTS = {
    "Array of floats, of `shape`.": (
        "beta cauchy chisquare double_sided_maxwell exponential f gamma generalized_normal gumbel "
        "laplace loggamma logistic lognormal maxwell normal pareto rayleigh t triangular "
        "truncated_normal uniform wald weibull_min"
    ),
    "Array of whole numbers in a float dtype, of `shape`.": "binomial",
    "Array of whole numbers of sum n along the last axis: [*shape, k].": "multinomial",
    "Array of integers, of `shape`.": "geometric poisson randint",
    "Array of -1 and 1, of `shape`.": "rademacher",
    "Array of bools, of `shape`.": "bernoulli",
    "Array of unsigned integers, of `shape`.": "bits",
    "Array of floats: [*shape, d].": "ball",
    "Array of floats: [*shape, n], of sum 1 along the last axis.": "dirichlet",
    "Array of floats or complex numbers: [*shape, n, m].": "orthogonal",
    "Array of the shape of x, or vector of x integers.": "permutation",
    "Key: an array of ui64 without axes.": "PRNGKey clone fold_in key",
    "Array of ui64: keys, of shape `num`.": "split",
    "Array of ui32: [..., 2].": "key_data",
    "str": "key_impl",
    "Array of ui64: [...].": "wrap_key_data",
}


def _link(name: str) -> str:
    return f"https://docs.jax.dev/en/latest/_autosummary/jax.random.{name}.html"


RANDOM = Entries(_PARAMETERS, _OWN, by_name(_RESULTS), _link)
