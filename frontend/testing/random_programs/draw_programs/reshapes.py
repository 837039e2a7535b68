"""Steps that reduce, rearrange, join, sort and index arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from anvl.testing.random_programs.draw_programs.pool import NoFit, Pool, Value

__all__ = ["STRUCTURAL"]

_REDUCTIONS = {
    "biufc": "sum prod mean count_nonzero var std all any nansum",
    "biuf": "max min amax amin ptp nanmax nanmin nanprod nanmean median",
    "f": "logsumexp",
}
_ARG = "argmax argmin"
_CUMULATIVE = {"biufc": "cumsum cumprod", "biuf": "cummax cummin", "f": "cumlogsumexp"}


def _reduction(name: str, kinds: str, pool: Pool) -> str:
    x = pool.value(kinds)
    return f"np.{name}({x}, axis={pool.axes(x)}, keepdims={pool.flag()})"


def _arg(name: str, pool: Pool) -> str:
    x = pool.value("biuf")
    return f"np.{name}({x}, axis={pool.axis_or_all(x)}, keepdims={pool.flag()})"


def _spread(name: str, pool: Pool) -> str:
    x = pool.value("fc")
    return f"np.{name}({x}, axis={pool.axes(x)}, ddof={pool.choice((0, 1))})"


def _weighted(pool: Pool) -> str:
    x = pool.value("f", 1)
    return f"np.average({x}, axis={pool.axis(x)}, weights={pool.like(x)})"


def _quantile(name: str, pool: Pool) -> str:
    x = pool.value("f")
    q = pool.choice((0.0, 0.25, 0.5, 0.8, 1.0, [0.1, 0.75]))
    q = 100 * q if name == "percentile" and isinstance(q, float) else q
    method = pool.choice(("linear", "linear", "lower", "higher", "midpoint", "nearest"))
    return f"np.{name}({x}, {q}, axis={pool.axis_or_all(x)}, method={method!r})"


def _cumulative(name: str, kinds: str, pool: Pool) -> str:
    x = pool.value(kinds)
    return f"np.{name}({x}, axis={pool.axis_or_all(x)}, reverse={pool.flag()})"


def _softmax(name: str, pool: Pool) -> str:
    x = pool.value("f", 1)
    return f"np.{name}({x}, axis={pool.axis(x)})"


# -- shapes ----------------------------------------------------------------------------------------


def _reshape(pool: Pool) -> str:
    x = pool.value()
    return f"np.reshape({x}, {pool.shape_of(x.size)})"


def _transpose(name: str, pool: Pool) -> str:
    x = pool.value("biufc", 2)
    return f"np.{name}({x}, {pool.order(x.ndim)})"


def _two_axes(name: str, pool: Pool) -> str:
    x = pool.value("biufc", 1)
    return f"np.{name}({x}, {pool.axis(x)}, {pool.axis(x)})"


def _plain(name: str, least: int, pool: Pool) -> str:
    return f"np.{name}({pool.value('biufc', least)})"


def _at_axes(name: str, pool: Pool) -> str:
    x = pool.value("biufc", 1)
    return f"np.{name}({x}, axis={pool.choice((None, pool.axis(x), pool.some_axes(x)))})"


def _squeeze(pool: Pool) -> str:
    x = pool.value("biufc", 1, fits=lambda v: 1 in v.shape)
    return f"np.squeeze({x}, axis={pool.choice((None, x.shape.index(1)))})"


def _expand(pool: Pool) -> str:
    x = pool.value("biufc", 0, 3)
    return f"np.expand_dims({x}, {pool.draw.randint(-x.ndim - 1, x.ndim)})"


def _broadcast(pool: Pool) -> str:
    x = pool.value()
    return f"np.broadcast_to({x}, {pool.shape_over(x)})"


def _broadcast_arrays(pool: Pool) -> str:
    x = pool.value()
    return f"np.broadcast_arrays({x}, {pool.value(fits=lambda v: pool.broadcasts_with(v, x))})"


def _roll(pool: Pool) -> str:
    x = pool.value("biufc", 1)
    axes = pool.choice((None, pool.axis(x)))
    return f"np.roll({x}, {pool.draw.randint(-4, 4)}, axis={axes})"


def _rot90(pool: Pool) -> str:
    x = pool.value("biufc", 2)
    return f"np.rot90({x}, {pool.draw.randint(-2, 5)}, axes={tuple(pool.order(x.ndim)[:2])})"


def _repeat(pool: Pool) -> str:
    x = pool.value("biufc", fits=lambda v: v.size <= 24)
    return f"np.repeat({x}, {pool.draw.randint(0, 3)}, axis={pool.axis_or_all(x)})"


def _tile(pool: Pool) -> str:
    x = pool.value("biufc", fits=lambda v: v.size <= 12)
    reps = tuple(pool.draw.randint(0, 2) or 1 for _ in range(pool.draw.randint(1, x.ndim + 1)))
    return f"np.tile({x}, {reps})"


def _pad(pool: Pool) -> str:
    x = pool.value("biufc", 1, 3, fits=lambda v: v.size <= 24)
    width = [(pool.draw.randint(0, 2), pool.draw.randint(0, 2)) for _ in x.shape]
    return f"np.pad({x}, {width}, constant_values={pool.number(x.kind)})"


def _diagonal(name: str, pool: Pool) -> str:
    x = pool.value("biufc", 2)
    axis1, axis2 = pool.order(x.ndim)[:2]
    return f"np.{name}({x}, {pool.choice((0, 0, 1, -1))}, {axis1}, {axis2})"


def _triangle(name: str, least: int, most: int, pool: Pool) -> str:
    x = pool.value("biufc", least, most, fits=lambda v: v.size <= 16)
    return f"np.{name}({x}, k={pool.choice((0, 0, 1, -1, 2))})"


def _diff(pool: Pool) -> str:
    x = pool.value("iufc", 1)
    return f"np.diff({x}, n={pool.choice((0, 1, 1, 2))}, axis={pool.axis(x)})"


# -- joining and splitting -------------------------------------------------------------------------


def _several(pool: Pool, least: int = 1) -> list[Value]:
    x = pool.value("biufc", least, fits=lambda v: v.size <= 24)
    return [x, *(pool.like(x) for _ in range(pool.draw.randint(0, 2)))]


def _listed(values: list[Value]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _join(name: str, pool: Pool) -> str:
    values = _several(pool)
    return f"np.{name}({_listed(values)}, axis={pool.axis(values[0])})"


def _join_plain(name: str, pool: Pool) -> str:
    return f"np.{name}({_listed(_several(pool))})"


def _stack(pool: Pool) -> str:
    values = _several(pool, 0)
    n = values[0].ndim
    return f"np.stack({_listed(values)}, axis={pool.draw.randint(-n - 1, n)})"


def _split(name: str, pool: Pool) -> str:
    x = pool.value("biufc", 1)
    axis = pool.axis(x)
    n = x.shape[axis]
    at: Any = sorted(pool.draw.randint(0, n) for _ in range(pool.draw.randint(0, 2)))
    if pool.flag():
        parts = [d for d in (1, 2, 3, 4) if n % d == 0 or name == "array_split"]
        at = pool.choice(parts)
    return f"np.{name}({x}, {at}, axis={axis})"


def _split_fixed(name: str, axis: int, pool: Pool) -> str:
    x = pool.value("biufc", axis + 1)
    return f"np.{name}({x}, [{pool.draw.randint(0, x.shape[axis])}])"


def _unstack(pool: Pool) -> str:
    x = pool.value("biufc", 1)
    axis = pool.axis(x)
    if not 0 < x.shape[axis] < 5:
        raise NoFit
    return f"np.unstack({x}, axis={axis})"


def _meshgrid(pool: Pool) -> str:
    x = pool.value("biuf", 1, 1)
    y = pool.value("biuf", 1, 1)
    return f"np.meshgrid({x}, {y}, indexing={pool.choice(('xy', 'ij'))!r})"


# -- arrays made of nothing -----------------------------------------------------------------------


def _created(template: str, pool: Pool) -> str:
    m, n = (pool.draw.randint(0, 3) for _ in range(2))
    k = pool.draw.randint(-2, 2)
    return template.format(m=m, n=n, k=k, p=n + 1, dtype=pool.dtype("biuffc"), shape=(m, n))


_CREATED = {
    "arange": "np.arange({k}, {m}, {p})",
    "full": 'np.full({shape}, {k}, "int32")',
    "linspace": "np.linspace({k}.0, {m}, {n})",
    "logspace": "np.logspace({k}.0, {m}, {n})",
    "ones": 'np.ones({shape}, "{dtype}")',
    "zeros": 'np.zeros({shape}, "{dtype}")',
    "eye": 'np.eye({m}, {n}, k={k}, dtype="{dtype}")',
    "identity": 'np.identity({m}, "{dtype}")',
    "tri": 'np.tri({m}, {n}, {k}, dtype="float64")',
    "fft.fftfreq": "np.fft.fftfreq({p})",
    "fft.rfftfreq": "np.fft.rfftfreq({p})",
}


# -- sorting and searching -------------------------------------------------------------------------


def _sort(name: str, pool: Pool) -> str:
    x = pool.value("biuf")
    if not x.ndim:
        raise NoFit
    return f"np.{name}({x}, axis={pool.choice((None, pool.axis(x), pool.axis(x)))})"


def _partition(pool: Pool) -> str:
    x = pool.value("iuf", 1, fits=lambda v: v.size > 0)
    axis = pool.axis(x)
    return f"np.sort(np.partition({x}, {pool.index(x.shape[axis])}, axis={axis}), axis={axis})"


def _argpartition(pool: Pool) -> str:
    x = pool.value("iuf", 1, fits=lambda v: v.size > 0)
    axis = pool.axis(x)
    kth = pool.index(x.shape[axis])
    where = f"np.argpartition({x}, {kth}, axis={axis})"
    return f"np.take(np.take_along_axis({x}, {where}, axis={axis}), {kth}, axis={axis})"


def _lexsort(pool: Pool) -> str:
    x = pool.value("biuf", 1)
    return f"np.lexsort(({x}, {pool.like(x)}), axis={pool.axis(x)})"


def _search(pool: Pool) -> str:
    a = pool.value("if", 1, 1)
    v = pool.value(fits=lambda v: v.dtype == a.dtype)
    return f"np.searchsorted(np.sort({a}), {v}, side={pool.choice(('left', 'right'))!r})"


def _top_k(pool: Pool) -> str:
    x = pool.value("biuf", 1)
    axis = pool.axis(x)
    return f"np.top_k({x}, {pool.draw.randint(0, x.shape[axis])}, axis={axis})"


# -- indexing --------------------------------------------------------------------------------------


def _take(pool: Pool) -> str:
    x = pool.value("biufc", 1, fits=lambda v: v.size > 0)
    axis = pool.axis(x)
    places: Any = pool.indices(x.shape[axis])
    if not places:  # an empty list is of floats
        places = pool.index(x.shape[axis])
    return f"np.take({x}, {places}, axis={axis})"


def _take_along(pool: Pool) -> str:
    x = pool.value("biufc", 1, fits=lambda v: v.size > 0)
    axis = pool.axis(x)
    return f"np.take_along_axis({x}, np.argsort({pool.like(x)}, axis={axis}), axis={axis})"


def index_text(pool: Pool, x: Value) -> str:
    """The text of an index of x: integers, slices, None, lists and masks."""
    parts: list[str] = []
    lists = pool.choice((0, 0, 0, 1, 1, 2))
    rank = pool.draw.randint(1, x.ndim)
    length = pool.draw.randint(1, 3)
    for n in x.shape[:rank]:
        if lists and n and pool.flag():
            lists -= 1
            parts.append(str([pool.index(n) for _ in range(length)]))
        elif n and pool.draw.random() < 0.25:
            parts.append(str(pool.index(n)))
        else:
            parts.append(pool.cut(n))
        if pool.draw.random() < 0.1:
            parts.append("None")
    if rank < x.ndim and pool.draw.random() < 0.3:
        parts.append("...")
    return ", ".join(parts)


def _getitem(pool: Pool) -> str:
    x = pool.value("biufc", 1)
    return f"{x}[{index_text(pool, x)}]"


def _by_traced(pool: Pool) -> str:
    x = pool.value("biufc", 1, fits=lambda v: v.shape[0] > 0)
    where = pool.value("iu", 0, 2)
    return f"{x}[np.mod({where}, {x.shape[0]})]"


def _update(name: str, pool: Pool) -> str:
    kinds = "iuf" if name in ("min", "max") else "iufc"
    x = pool.value(kinds, 1)
    same = pool.value(fits=lambda v: v.dtype == x.dtype)
    value = pool.choice((pool.number(x.kind), f"np.sum({same})"))
    if x.kind in "iu":  # a sum may be wider
        value = pool.number(x.kind)
    places = pool.cut(x.shape[0])
    if name in ("add", "multiply", "max", "min") and x.shape[0] and pool.flag():
        places = str(pool.indices(x.shape[0]) or [0])
    return f"{x}.at[{places}].{name}({value})"


STRUCTURAL: dict[str, Callable[[Pool], str]] = {
    **{
        f"np.{n}": partial(_reduction, n, k)
        for k, names in _REDUCTIONS.items()
        for n in names.split()
    },
    **{f"np.{n}": partial(_arg, n) for n in _ARG.split()},
    **{f"np.{n} ddof": partial(_spread, n) for n in ("var", "std")},
    "np.average": _weighted,
    **{f"np.{n}": partial(_quantile, n) for n in ("quantile", "percentile")},
    **{
        f"np.{n}": partial(_cumulative, n, k)
        for k, names in _CUMULATIVE.items()
        for n in names.split()
    },
    **{f"np.{n}": partial(_softmax, n) for n in ("softmax", "log_softmax")},
    "np.reshape": _reshape,
    **{f"np.{n}": partial(_transpose, n) for n in ("transpose", "permute_dims")},
    **{f"np.{n}": partial(_two_axes, n) for n in ("swapaxes", "moveaxis")},
    **{f"np.{n}": partial(_plain, n, 0) for n in "ravel atleast_1d atleast_2d atleast_3d".split()},
    **{f"np.{n}": partial(_plain, n, 1) for n in ["flipud"]},
    **{f"np.{n}": partial(_plain, n, 2) for n in ("fliplr", "matrix_transpose", "trace")},
    "np.flip": partial(_at_axes, "flip"),
    "np.squeeze": _squeeze,
    "np.expand_dims": _expand,
    "np.broadcast_to": _broadcast,
    "np.broadcast_arrays": _broadcast_arrays,
    "np.roll": _roll,
    "np.rot90": _rot90,
    "np.repeat": _repeat,
    "np.tile": _tile,
    "np.pad": _pad,
    **{f"np.{n}": partial(_diagonal, n) for n in ("diagonal", "trace")},
    **{f"np.{n}": partial(_triangle, n, 2, 4) for n in ("tril", "triu")},
    "np.diag": partial(_triangle, "diag", 1, 2),
    "np.diagflat": partial(_triangle, "diagflat", 0, 1),
    "np.diff": _diff,
    **{f"np.{n}": partial(_join, n) for n in ("concatenate", "concat")},
    **{
        f"np.{n}": partial(_join_plain, n) for n in ("hstack", "vstack", "dstack", "column_stack")
    },
    "np.stack": _stack,
    **{f"np.{n}": partial(_split, n) for n in ("split", "array_split")},
    "np.vsplit": partial(_split_fixed, "vsplit", 0),
    "np.hsplit": partial(_split_fixed, "hsplit", 1),
    "np.unstack": _unstack,
    "np.meshgrid": _meshgrid,
    **{f"np.{n}": partial(_sort, n) for n in ("sort", "argsort")},
    "np.partition": _partition,
    "np.argpartition": _argpartition,
    "np.lexsort": _lexsort,
    "np.searchsorted": _search,
    "np.top_k": _top_k,
    "np.take": _take,
    "np.take_along_axis": _take_along,
    **{f"np.{n}": partial(_created, template) for n, template in _CREATED.items()},
    "v[]": _getitem,
    "v[] by values": _by_traced,
    **{f"v.at.{n}": partial(_update, n) for n in "set add multiply min max".split()},
}  # fmt: skip
