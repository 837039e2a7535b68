"""Steps of NumPy's staples beyond the standard: statistics, polynomials, joining, products."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from anvl.testing.random_programs.draw_programs.pool import NoFit, Pool, Value

__all__ = ["STAPLES"]

_OF_ONE = {
    "biufc": "isreal iscomplex",
    "f": "isneginf isposinf modf nancumsum nancumprod",
}
_OF_TWO = {"f": "logaddexp2", "iu": "gcd lcm", "biuf": "isin"}


def _one(name: str, kinds: str, pool: Pool) -> str:
    return f"np.{name}({pool.value(kinds)})"


def _two(name: str, kinds: str, pool: Pool) -> str:
    x = pool.value(kinds)
    return f"np.{name}({x}, {pool.like(x)})"


# -- along axes ------------------------------------------------------------------------------------


def _moment(name: str, pool: Pool) -> str:
    x = pool.value("f")
    options = f"ddof={pool.choice((0, 1))}, keepdims={pool.flag()}"
    return f"np.{name}({x}, axis={pool.axes(x)}, {options})"


def _place(name: str, pool: Pool) -> str:
    x = pool.value("biuf", 1, fits=lambda v: v.size > 0)
    return f"np.{name}({x}, axis={pool.axis(x)})"


def _median(pool: Pool) -> str:
    x = pool.value("f", 1)
    return f"np.nanmedian({x}, axis={pool.axis(x)})"


def _quantile(name: str, pool: Pool) -> str:
    x = pool.value("f", 1)
    q = pool.choice((0.0, 0.25, 0.5, 0.8))
    return f"np.{name}({x}, {100 * q if name == 'nanpercentile' else q}, axis={pool.axis(x)})"


def _along(name: str, kinds: str, least: int, pool: Pool) -> str:
    x = pool.value(kinds, 1)
    axis = pool.axis(x)
    if x.shape[axis] < least:
        raise NoFit
    return f"np.{name}({x}, axis={axis})"


def _trapezoid(pool: Pool) -> str:
    y = pool.value("f", 1)
    return f"np.trapezoid({y}, dx={pool.choice((1.0, 0.5))}, axis={pool.axis(y)})"


def _covariance(name: str, pool: Pool) -> str:
    x = pool.value("f", 2, 2, fits=lambda v: v.size > 0)
    return f"np.{name}({x}, rowvar={pool.flag()})"


# -- vectors ---------------------------------------------------------------------------------------


def _vector(pool: Pool, kinds: str = "f", least: int = 1) -> Value:
    return pool.value(kinds, 1, 1, fits=lambda v: v.size >= least)


def _interp(pool: Pool) -> str:
    places = _vector(pool)
    x = pool.value("f", fits=lambda v: v.dtype == places.dtype)
    values = pool.value("f", 1, 1, fits=lambda v: v.shape == places.shape)
    return f"np.interp({x}, np.sort({places}), {values})"


def _digitize(pool: Pool) -> str:
    bins = _vector(pool)
    x = pool.value(fits=lambda v: v.dtype == bins.dtype)
    return f"np.digitize({x}, np.sort({bins}), right={pool.flag()})"


def _polynomials(name: str, pool: Pool) -> str:
    return f"np.{name}({_vector(pool)}, {_vector(pool)})"


def _polynomial(name: str, pool: Pool) -> str:
    return f"np.{name}({_vector(pool)})"


def _vander(pool: Pool) -> str:
    x = pool.value("if", 1, 1, fits=lambda v: v.size <= 6)
    return f"np.vander({x}, {pool.choice((1, 2, 3))}, increasing={pool.flag()})"


def _ediff1d(pool: Pool) -> str:
    return f"np.ediff1d({_vector(pool, 'if')})"


# -- parts of arrays -------------------------------------------------------------------------------


def _append(pool: Pool) -> str:
    x = pool.value("biufc", 1)
    return f"np.append({x}, {pool.like(x)}, axis={pool.choice((None, pool.axis(x)))})"


def _insert(pool: Pool) -> str:
    x = pool.value("iuf", 1)
    axis = pool.axis(x)
    place = pool.draw.randint(0, x.shape[axis])
    return f"np.insert({x}, {place}, {pool.number(x.kind)}, axis={axis})"


def _delete(pool: Pool) -> str:
    x = pool.value("biufc", 1)
    axis = pool.axis(x)
    return f"np.delete({x}, {pool.index(x.shape[axis])}, axis={axis})"


def _resize(pool: Pool) -> str:
    x = pool.value("biufc", 1, fits=lambda v: v.size > 0)
    return f"np.resize({x}, {pool.choice(((5,), (2, 3), (3, 1, 2)))})"


def _rollaxis(pool: Pool) -> str:
    x = pool.value("biufc", 1)
    return f"np.rollaxis({x}, {pool.axis(x)}, {pool.draw.randint(0, x.ndim)})"


def _block(pool: Pool) -> str:
    x = pool.value("biufc", 1, 2)
    y = pool.like(x)
    return f"np.block([[{x}, {y}], [{y}, {x}]])"


def _select(pool: Pool) -> str:
    x = pool.value("iuf")
    y = pool.like(x)
    return f"np.select([{x} > {y}, {x} < {pool.number(x.kind)}], [{x}, {y}], 2)"


def _bits(name: str, kinds: str, pool: Pool) -> str:
    x = pool.value(kinds, 1, fits=lambda v: str(v.dtype) in ("bool", "uint8"))
    return f"np.{name}({x}, axis={pool.axis(x)})"


# -- products --------------------------------------------------------------------------------------


def _matrix_vector(name: str, pool: Pool) -> str:
    m = pool.value("fc", 2, 3)
    n = m.shape[-1 if name == "matvec" else -2]
    v = pool.value(fits=lambda v: v.dtype == m.dtype and v.shape == (n,))
    return f"np.matvec({m}, {v})" if name == "matvec" else f"np.vecmat({v}, {m})"


def _of_matrices(name: str, pool: Pool) -> str:
    return f"np.linalg.{name}({pool.value('f', 2)})"


def _norm(name: str, pool: Pool) -> str:
    x = pool.value("f", 2, fits=lambda v: v.size > 0)
    of = pool.choice(("1", "2", "np.inf")) if name == "vector_norm" else pool.choice(("1", "'fro'"))
    axis = f", axis={pool.axis(x)}" if name == "vector_norm" else ""
    return f"np.linalg.{name}({x}{axis}, ord={of}, keepdims={pool.flag()})"


def _square_product(name: str, pool: Pool) -> str:
    x = pool.square("f", 2)
    y = pool.like(x)
    return {
        "matmul": f"np.linalg.matmul({x}, {y})",
        "multi_dot": f"np.linalg.multi_dot([{x}, {y}, {x}])",
        "tensordot": f"np.linalg.tensordot({x}, {y}, axes=1)",
        "vecdot": f"np.linalg.vecdot({x}, {y})",
    }[name]


def _outer(pool: Pool) -> str:
    return f"np.linalg.outer({_vector(pool)}, {_vector(pool)})"


def _cross(pool: Pool) -> str:
    x = pool.value("f", 1, fits=lambda v: v.shape[-1] == 3)
    return f"np.linalg.cross({x}, {pool.like(x)})"


STAPLES: dict[str, Callable[[Pool], str]] = {
    **{f"np.{n}": partial(_one, n, k) for k, names in _OF_ONE.items() for n in names.split()},
    **{f"np.{n}": partial(_two, n, k) for k, names in _OF_TWO.items() for n in names.split()},
    **{f"np.{n}": partial(_moment, n) for n in ("nanvar", "nanstd")},
    **{f"np.{n}": partial(_place, n) for n in ("nanargmax", "nanargmin")},
    "np.nanmedian": _median,
    **{f"np.{n}": partial(_quantile, n) for n in ("nanquantile", "nanpercentile")},
    **{f"np.{n}": partial(_along, n, "f", 0) for n in ("cumulative_sum", "cumulative_prod")},
    "np.unwrap": partial(_along, "unwrap", "f", 1),
    "np.gradient": partial(_along, "gradient", "f", 2),
    "np.trapezoid": _trapezoid,
    **{f"np.{n}": partial(_covariance, n) for n in ("cov", "corrcoef")},
    "np.interp": _interp,
    "np.digitize": _digitize,
    **{f"np.{n}": partial(_polynomials, n) for n in ("polyadd", "polysub", "polymul")},
    **{f"np.{n}": partial(_polynomial, n) for n in ("polyder", "polyint")},
    "np.vander": _vander,
    "np.ediff1d": _ediff1d,
    "np.append": _append,
    "np.insert": _insert,
    "np.delete": _delete,
    "np.resize": _resize,
    "np.rollaxis": _rollaxis,
    "np.block": _block,
    "np.select": _select,
    "np.packbits": partial(_bits, "packbits", "bu"),
    "np.unpackbits": partial(_bits, "unpackbits", "u"),
    **{f"np.{n}": partial(_matrix_vector, n) for n in ("matvec", "vecmat")},
    **{
        f"np.linalg.{n}": partial(_of_matrices, n)
        for n in ("diagonal", "matrix_transpose", "trace")
    },
    **{f"np.linalg.{n}": partial(_norm, n) for n in ("vector_norm", "matrix_norm")},
    **{
        f"np.linalg.{n}": partial(_square_product, n)
        for n in ("matmul", "multi_dot", "tensordot", "vecdot")
    },
    "np.linalg.outer": _outer,
    "np.linalg.cross": _cross,
}
