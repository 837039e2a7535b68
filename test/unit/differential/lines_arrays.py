"""Functions of `anvl.numpy` that move, build, index and combine arrays, and products."""

from collections.abc import Callable
from typing import Any

import numpy as np
from comparing import Line
from drawing import Call, Draw, call
from tolerances import PROGRAM

import anvl.numpy as anp

__all__ = ["ARRAYS"]

DATA = "fiubc"


def one(*more: Callable[[Draw], Any], low: int = 0, high: int = 4, least: int = 0) -> Any:
    """An array, and what else the function takes."""
    return lambda d: call(d.array(d.dtype(DATA), d.shape(low, high, least)), *(f(d) for f in more))


def _line(name: str, draw: Any, reference: Any = None, f: Any = None, **more: Any) -> Line:
    return Line(
        f"numpy.{name}", f or getattr(anp, name), reference or getattr(np, name), draw, **more
    )


def with_rank(make: Callable[[Draw, tuple[int, ...]], Any], low: int = 1, least: int = 0) -> Any:
    """An array and what depends on its shape: a tuple of arguments or a dict of keywords."""

    def draw(d: Draw) -> Call:
        x = d.array(d.dtype(DATA), d.shape(low, least=least))
        made = make(d, x.shape)
        return call(x, **made) if isinstance(made, dict) else call(x, *made)

    return draw


def _reshape(d: Draw, shape: Any) -> Any:
    sizes = [shape[i] for i in d.permutation(len(shape))]
    if sizes and d.flag() and 0 not in sizes:
        sizes[d.number(0, len(sizes) - 1)] = -1
    return (tuple(sizes + [1] * d.number(0, 1)),)


def _several(d: Draw, shape: Any, axis: int | None) -> list[Any]:
    """Arrays of one shape but for their size along an axis."""
    kind = d.dtype(DATA)
    others = [d.dtype(kind.kind if kind.kind in "iubc" else "s") for _ in range(2)]
    found = []
    for of in [kind, *others][: d.number(1, 3)]:
        sizes = list(shape)
        if axis is not None:
            sizes[axis] = d.number(0, 3)
        found.append(d.array(of, tuple(sizes)))
    return found


def _concatenate(d: Draw) -> Call:
    shape = d.shape(1, 3)
    axis = d.axis(len(shape))
    return call(_several(d, shape, axis), axis=axis)


def _stacked(low: int, high: int) -> Any:
    return lambda d: call(_several(d, d.shape(low, high), None))


def _stack(d: Draw) -> Call:
    shape = d.shape(0, 3)
    return call(_several(d, shape, None), axis=d.axis(len(shape) + 1))


def _append(d: Draw) -> Call:
    axis = d.axis(len(shape := d.shape(1, 3)))
    x, *rest = [*_several(d, shape, axis), d.array("float32", shape)]
    return call(x, rest[0], axis=axis) if len(rest) > 1 else call(x, x, axis=None)


def _pad(d: Draw) -> Call:
    x = d.array(d.dtype("sic"), shape := d.shape(1, 3, least=1))
    widths = [(d.number(0, 3), d.number(0, 3)) for _ in shape]
    width = d.of(1, (2, 1), widths)
    mode = d.of("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum",
                "minimum", "mean", "median")  # fmt: skip
    given: dict[str, Any] = {}
    if mode in ("reflect", "symmetric"):
        given["reflect_type"] = d.of("even", "odd")
    if mode in ("maximum", "minimum", "mean", "median"):
        given["stat_length"] = d.of(None, 1, 2)
    if mode == "constant":
        given["constant_values"] = d.of(0, 2)
    if mode == "linear_ramp":
        given["end_values"] = d.of(0, 2)
    if x.dtype.kind == "c" and mode in ("maximum", "minimum", "median"):
        mode, given = "edge", {}
    return call(x, width, mode=mode, **given)


def _roll(d: Draw, shape: Any) -> Any:
    if d.flag():
        return (d.number(-7, 7),)
    axes = d.some(len(shape))
    return (tuple(d.number(-4, 4) for _ in axes), axes)


def _moved(d: Draw, shape: Any) -> Any:
    axes = d.some(len(shape))
    there = [d.permutation(len(shape))[i] for i in range(len(axes))]
    if len(set(there)) < len(there):
        there = list(range(len(axes)))
    return (axes, tuple(there))


def _take(d: Draw) -> Call:
    x = d.array(d.dtype(DATA), shape := d.shape(1, 3, least=1))
    axis = d.of(None, d.axis(len(shape)))
    count = int(np.prod(shape)) if axis is None else shape[axis]
    index = d.array(d.dtype("i"), d.shape(0, 2), -count, count - 1, special=False)
    return call(x, index, axis=axis)


def _take_along(d: Draw) -> Call:
    x = d.array(d.dtype(DATA), shape := d.shape(1, 3, least=1))
    axis = d.axis(len(shape))
    of = list(shape)
    of[axis] = d.number(0, 4)
    index = d.array("int64", tuple(of), -shape[axis], shape[axis] - 1, special=False)
    return call(x, index, axis=axis)


def _repeat(d: Draw) -> Call:
    x = d.array(d.dtype(DATA), shape := d.shape(0, 3))
    axis = d.of(None, d.axis(len(shape))) if shape else None
    count = int(np.prod(shape)) if axis is None else shape[axis]
    counts = d.of(2, 0, [d.number(0, 3) for _ in range(count)])
    return call(x, counts, axis=axis)


def _insert(d: Draw) -> Call:
    x = d.array(d.dtype("si"), shape := d.shape(1, 2, least=1))
    axis = d.axis(len(shape))
    at = d.of(d.number(-shape[axis], shape[axis]), [0, shape[axis], 0], [-1], [])
    return call(x, at, d.of(7, 2), axis=axis)


def _delete(d: Draw) -> Call:
    x = d.array(d.dtype("si"), shape := d.shape(1, 3, least=1))
    axis = d.axis(len(shape))
    at = d.of(d.number(-shape[axis], shape[axis] - 1), [0, -1], [], slice(None, None, 2))
    return call(x, at, axis=axis)


def _matmul(d: Draw) -> Call:
    n, k, m = (d.number(0, 3) for _ in range(3))
    batch = d.shape(0, 2)
    kind = d.dtype("sic")
    left = d.of((n, k), (k,))
    right = d.of((k, m), (k,))
    x = d.array(kind, (*d.broadcastable(batch), *left) if len(left) == 2 else left)
    y = d.array(kind, (*batch, *right) if len(right) == 2 else right)
    return call(x, y)


def _dot(d: Draw) -> Call:
    k = d.number(0, 3)
    kind = d.dtype("sic")
    x = d.array(kind, (*d.shape(0, 2), k))
    right = (k,) if d.flag() else (*d.shape(0, 1), k, d.number(0, 3))
    return call(x, d.array(kind, right)) if d.flag() else call(x, d.array(kind, ()))


def _inner(d: Draw) -> Call:
    k, kind = d.number(0, 3), d.dtype("sic")
    return call(d.array(kind, (*d.shape(0, 2), k)), d.array(kind, (*d.shape(0, 2), k)))


def _vecdot(d: Draw) -> Call:
    shape, kind = d.shape(1, 3), d.dtype("sic")
    other = (*d.broadcastable(shape[:-1]), shape[-1])
    return call(d.array(kind, shape), d.array(kind, other))


def _matvec(d: Draw) -> Call:
    n, k, kind = d.number(0, 3), d.number(0, 3), d.dtype("sic")
    batch = d.shape(0, 2)
    return call(d.array(kind, (*batch, n, k)), d.array(kind, (*d.broadcastable(batch), k)))


def _vecmat(d: Draw) -> Call:
    n, k, kind = d.number(0, 3), d.number(0, 3), d.dtype("sic")
    batch = d.shape(0, 2)
    return call(d.array(kind, (*d.broadcastable(batch), k)), d.array(kind, (*batch, k, n)))


def _tensordot(d: Draw) -> Call:
    kind = d.dtype("sic")
    x = d.array(kind, shape := d.shape(1, 3))
    if d.flag():
        axes = d.number(0, len(shape))
        return call(x, d.array(kind, (*shape[len(shape) - axes :], *d.shape(0, 1))), axes=axes)
    of = d.some(len(shape))
    other = (*d.shape(0, 1), *(shape[i] for i in of))
    there = [i - len(of) for i in range(len(of))]
    return call(x, d.array(kind, other), axes=(list(of), there))


def _two(low: int, high: int, kinds: str = "sic") -> Any:
    def draw(d: Draw) -> Call:
        kind = d.dtype(kinds)
        return call(d.array(kind, d.shape(low, high)), d.array(kind, d.shape(low, high)))

    return draw


def _cross(d: Draw) -> Call:
    batch, kind = d.shape(0, 2), d.dtype("sic")
    return call(d.array(kind, (*batch, 3)), d.array(kind, (*d.broadcastable(batch), 3)))


def _einsum(d: Draw) -> Call:
    sizes = dict(zip("ijkl", (d.number(1, 3) for _ in range(4)), strict=True))
    kind = d.dtype("sic")
    terms = ["".join(d.of(*"ijkl") for _ in range(d.number(0, 3))) for _ in range(d.number(1, 3))]
    seen = sorted(set("".join(terms)))
    out = "".join(seen[i] for i in d.permutation(len(seen))[: d.number(0, len(seen))])
    text = ",".join(terms) + ("" if d.flag() else "->" + out)
    return call(text, *(d.array(kind, tuple(sizes[c] for c in term)) for term in terms))


def _kron(d: Draw) -> Call:
    kind = d.dtype("sic")
    return call(d.array(kind, d.shape(0, 2)), d.array(kind, d.shape(0, 2)))


def _convolve(d: Draw) -> Call:
    kind = d.dtype("sic")
    x, y = d.array(kind, (d.number(1, 5),)), d.array(kind, (d.number(1, 5),))
    return call(x, y, mode=d.of("full", "same", "valid"))


def _made(*sizes: Callable[[Draw], Any], **keywords: Callable[[Draw], Any]) -> Any:
    return lambda d: call(*(f(d) for f in sizes), **{k: f(d) for k, f in keywords.items()})


def _n(low: int = 0, high: int = 4) -> Callable[[Draw], int]:
    return lambda d: d.number(low, high)


def _k(d: Draw) -> int:
    return d.number(-4, 4)


def _space(d: Draw) -> Call:
    shape = d.shape(0, 2)
    ends = d.array(d.dtype("s"), shape, 0.5, 3), d.array("float64", d.broadcastable(shape), 1, 4)
    return call(*ends, num=d.number(0, 5), endpoint=d.flag())


def _sets(d: Draw) -> Call:
    kind = d.dtype("si")
    return call(d.array(kind, d.shape(0, 2)), d.array(kind, d.shape(0, 2)))


def _isin(d: Draw) -> Call:
    kind = d.dtype("siu")
    return call(d.array(kind, d.shape(0, 2)), d.array(kind, d.shape(0, 1)), invert=d.flag())


def _unique(d: Draw) -> Call:
    x = d.array(d.dtype("siub"), shape := d.shape(0, 2))
    axis = d.of(None, d.axis(len(shape))) if shape and 0 not in shape else None
    return call(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)


def _poly(d: Draw) -> Any:
    return d.array(d.dtype("sc"), (d.number(1, 4),), 0.5, 3, special=False)


def _choose(d: Draw) -> Call:
    shape, kind = d.shape(0, 2), d.dtype("si")
    choices = [d.array(kind, d.broadcastable(shape)) for _ in range(3)]
    mode = d.of("wrap", "clip")
    return call(d.array("int32", shape, -4, 5, special=False), choices, mode=mode)


def _select(d: Draw) -> Call:
    shape, kind = d.shape(0, 2), d.dtype("si")
    conditions = [d.array("bool", shape) for _ in range(2)]
    return call(conditions, [d.array(kind, d.broadcastable(shape)) for _ in range(2)], d.of(0, 5))


def _compress(d: Draw) -> Call:
    x = d.array(d.dtype(DATA), shape := d.shape(1, 3, least=1))
    axis = d.axis(len(shape))
    return call(d.array("bool", (shape[axis],)), x, axis=axis)


def _unravel(d: Draw) -> Call:
    shape = d.shape(1, 3, least=1)
    index = d.array("int64", d.shape(0, 2), 0, int(np.prod(shape)) - 1, special=False)
    return call(index, shape, order=d.of("C", "F"))


def _packbits(d: Draw) -> Call:
    x = d.array(d.dtype("bu"), shape := d.shape(1, 3), special=False)
    if np.dtype(x.dtype).name not in ("bool", "uint8"):
        x = d.array("uint8", shape)
    return call(x, axis=d.of(None, d.axis(len(shape))), bitorder=d.of("big", "little"))


def _unpackbits(d: Draw) -> Call:
    x = d.array("uint8", shape := d.shape(1, 3))
    # Of no bytes NumPy's bits are what is in the memory.
    count = None if 0 in shape else d.of(None, 5, -3, 20)
    return call(x, axis=d.of(None, d.axis(len(shape))), count=count, bitorder=d.of("big", "little"))


def _rot90(d: Draw, shape: Any) -> Any:
    return {"k": d.number(-5, 5), "axes": d.permutation(len(shape))[:2]}


def _diagonal(d: Draw, shape: Any) -> Any:
    first, second = d.permutation(len(shape))[:2]
    return {"offset": d.number(-3, 3), "axis1": first, "axis2": second - len(shape)}


def _split(d: Draw, shape: Any) -> Any:
    axis = d.axis(len(shape))
    return (d.of([1], [0, 2], [1, 1], [-1], [2, 9], 1), axis)


def _polyfit(d: Draw) -> Call:
    x = d.array("float64", (6,), 0.3, 1, then=lambda x, rng: np.cumsum(x), special=False)
    y = d.array("float64", d.of((6,), (6, 2)))
    w = {"w": d.array("float64", (6,), 0.5, 2)} if d.flag() else {}
    return call(x, y, d.number(0, 3), **w)


def _fill(d: Draw) -> Call:
    n, rank = d.number(1, 4), d.of(2, 2, 3)
    shape = (n,) * rank if rank > 2 else (d.number(1, 5), n)
    return call(d.array(d.dtype("si"), shape), d.of(5, 1), wrap=d.flag())


def _in_place(reference: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function that writes into its first argument, as one that returns it."""

    def written(x: Any, *args: Any, **kwargs: Any) -> Any:
        x = np.array(x)
        reference(x, *args, **kwargs)
        return x

    return written


def _put(d: Draw) -> Call:
    x = d.array(kind := d.dtype("si"), shape := d.shape(1, 3, least=1))
    size = int(np.prod(shape))
    at = list(d.permutation(size)[: d.number(1, size)])
    return call(x, at, d.array(kind, (len(at),)))


def _masked(d: Draw) -> Call:
    x = d.array(kind := d.dtype("si"), shape := d.shape(1, 3, least=1))
    return call(x, d.array("bool", shape), d.array(kind, (d.number(1, 4),)))


def _copyto(d: Draw) -> Call:
    x = d.array(kind := d.dtype("si"), shape := d.shape(1, 3))
    return call(x, d.array(kind, d.broadcastable(shape)), where=d.array("bool", shape))


def _put_along(d: Draw) -> Call:
    x = d.array(kind := d.dtype("si"), shape := d.shape(1, 3, least=1))
    axis = d.axis(len(shape))
    of = list(shape)
    of[axis] = 1
    index = d.array("int64", tuple(of), 0, shape[axis] - 1, special=False)
    return call(x, index, d.array(kind, tuple(of)), axis=axis)


def _multi_index(d: Draw) -> Call:
    dims = d.shape(1, 3, least=1)
    shape = d.shape(0, 1)
    index = tuple(d.array("int32", shape, -4, 6, special=False) for _ in dims)
    return call(index, dims, mode=d.of("wrap", "clip"), order=d.of("C", "F"))


def _pairs(*names: str, draw: Any, **more: Any) -> list[Line]:
    return [_line(name, draw, **more) for name in names]


ARRAYS = [
    *_pairs("ravel", "transpose", "atleast_1d", "atleast_2d", "atleast_3d", "zeros_like", "copy",
            "ones_like", "asarray", "array", "asanyarray", "ascontiguousarray", "asfortranarray",
            draw=one(), flavours="pn"),
    *_pairs("flipud", draw=one(low=1)), *_pairs("fliplr", draw=one(low=2)),
    _line("flip", with_rank(lambda d, s: {"axis": d.axes(len(s))}, 0)),
    _line("expand_dims", with_rank(lambda d, s: (d.axis(len(s) + 1),), 0)),
    _line("squeeze", lambda d: call(d.array(d.dtype(DATA), (1, 3, 1, 2)), axis=d.of(
        None, 0, -2, (0, 2), (-4,)))),
    _line("reshape", with_rank(_reshape)), _line("roll", with_rank(_roll)),
    *(_line(n, with_rank(lambda d, s: (d.permutation(len(s)),))) for n in ("transpose", "permute_dims")),
    _line("moveaxis", with_rank(_moved)),
    _line("swapaxes", with_rank(lambda d, s: (d.axis(len(s)), d.axis(len(s))))),
    _line("rollaxis", with_rank(lambda d, s: (d.axis(len(s)), d.number(-len(s), len(s))))),
    _line("rot90", with_rank(_rot90, 2)), _line("diagonal", with_rank(_diagonal, 2)),
    _line("trace", with_rank(_diagonal, 2), length=PROGRAM),
    *_pairs("tril", "triu", draw=with_rank(lambda d, s: {"k": _k(d)}, 2)),
    _line("diag", lambda d: call(d.array(d.dtype(DATA), d.shape(1, 2)), k=_k(d))),
    _line("diagflat", lambda d: call(d.array(d.dtype(DATA), d.shape(0, 2)), k=_k(d))),
    _line("matrix_transpose", one(low=2)),
    _line("tile", with_rank(lambda d, s: (d.of(2, 0, (2,), (2, 1), (1, 2, 1, 2)),), 0)),
    _line("broadcast_to", with_rank(lambda d, s: ((*d.shape(0, 1), *(n if n != 1 else 3 for n in s)),), 0)),
    _line("broadcast_arrays", lambda d: call(d.array("float32", s := d.shape(0, 3)),
                                             d.array("int32", d.broadcastable(s)))),
    *_pairs("concatenate", "concat", draw=_concatenate), _line("stack", _stack),
    *_pairs("hstack", "vstack", "dstack", draw=_stacked(0, 3)),
    _line("row_stack", _stacked(0, 3), np.vstack),
    _line("column_stack", _stacked(1, 2)), _line("append", _append), _line("pad", _pad, length=PROGRAM),
    *_pairs("split", "array_split", draw=with_rank(_split)),
    *(_line(n, lambda d, r=r: call(d.array(d.dtype(DATA), d.shape(r, 4)), d.of([1], [0, 2], 1)))
      for n, r in (("hsplit", 1), ("vsplit", 2), ("dsplit", 3))),
    _line("unstack", with_rank(lambda d, s: {"axis": d.axis(len(s))}, least=1)),
    _line("take", _take), _line("take_along_axis", _take_along), _line("repeat", _repeat),
    _line("insert", _insert), _line("delete", _delete), _line("compress", _compress, traced=False),
    _line("extract", lambda d: call(d.array("bool", s := d.shape(1, 2)), d.array(d.dtype(DATA), s)),
          traced=False),
    _line("resize", lambda d: call(d.array(d.dtype(DATA), d.shape(0, 2)), d.of((2, 3), 4, (0,), ()))),
    *_pairs("matmul", draw=_matmul, length=PROGRAM), _line("dot", _dot, length=PROGRAM),
    _line("inner", _inner, length=PROGRAM), _line("vecdot", _vecdot, length=PROGRAM),
    _line("matvec", _matvec, length=PROGRAM), _line("vecmat", _vecmat, length=PROGRAM),
    _line("tensordot", _tensordot, length=PROGRAM), _line("outer", _two(0, 2)),
    _line("vdot", lambda d: call(d.array(k := d.dtype("sic"), s := d.shape(0, 2)), d.array(k, s)),
          length=PROGRAM),
    _line("cross", _cross), _line("einsum", _einsum, length=PROGRAM, flavours="ptz"), _line("kron", _kron),
    *_pairs("convolve", "correlate", draw=_convolve, length=PROGRAM),
    _line("eye", _made(_n(), M=lambda d: d.of(None, 3), k=_k), dtypes=False, flavours="p"),
    _line("tri", _made(_n(), M=lambda d: d.of(None, 3), k=_k), dtypes=False, flavours="p"),
    *_pairs("identity", "hamming", "hanning", "blackman", "bartlett", draw=_made(_n(0, 6)),
            dtypes=False, flavours="p", length=10**9),
    _line("kaiser", _made(_n(0, 6), lambda d: 5.0), dtypes=False, flavours="p", length=10**9),
    *_pairs("tril_indices", "triu_indices", draw=_made(_n(), k=_k, m=lambda d: d.of(None, 2)),
            flavours="p"),
    _line("diag_indices", _made(_n(), lambda d: d.of(1, 2, 3)), flavours="p"),
    _line("indices", _made(lambda d: d.shape(0, 3), sparse=lambda d: d.flag()), flavours="p"),
    _line("full", _made(lambda d: d.shape(), lambda d: d.of(1, 2.5, True)), flavours="p"),
    *_pairs("zeros", "ones", draw=_made(lambda d: d.shape(), dtype=lambda d: d.dtype(DATA)), flavours="p"),
    _line("linspace", _made(_k, lambda d: d.number(-5, 9), lambda d: d.number(1, 12), dtype=lambda d: "int32"),
          flavours="p"),
    _line("arange", _made(_k, lambda d: d.number(-5, 9), lambda d: d.of(1, 2, -1, 3)), flavours="p"),
    _line("linspace", _space, flavours="p"), _line("geomspace", _space, flavours="p"),
    _line("logspace", _space, flavours="p"),
    _line("vander", lambda d: call(d.array(d.dtype("sic"), d.shape(1, 1)), d.of(None, 0, 3),
                                   increasing=d.flag())),
    _line("meshgrid", lambda d: call(*(d.array(d.dtype("si"), d.shape(1, 1)) for _ in range(
        d.number(1, 3))), indexing=d.of("xy", "ij"))),
    _line("union1d", _sets, traced=False), _line("intersect1d", _sets, traced=False),
    _line("setdiff1d", _sets, traced=False), _line("setxor1d", _sets, traced=False),
    _line("isin", _isin), _line("unique", _unique, traced=False, indices=True),
    _line("argwhere", one(high=3), traced=False, indices=True),
    _line("nonzero", one(low=1, high=3), traced=False, indices=True),
    _line("flatnonzero", one(high=3), traced=False, indices=True),
    _line("polyval", lambda d: call(_poly(d), d.array(d.dtype("s"), d.shape(0, 2))), length=PROGRAM),
    *_pairs("polyadd", "polysub", "polymul", "polydiv", draw=lambda d: call(_poly(d), _poly(d)),
            flavours="pt", length=PROGRAM, traced=False),
    _line("polyder", lambda d: call(_poly(d), d.number(0, 3)), flavours="pt"),
    _line("polyint", lambda d: call(_poly(d), d.number(0, 3)), flavours="pt"),
    _line("poly", lambda d: call(d.array(d.dtype("s"), (d.number(1, 4),))), flavours="ptz", length=PROGRAM),
    _line("polyfit", _polyfit, flavours="pt", length=10**9),
    _line("choose", _choose), _line("select", _select), _line("fill_diagonal", _fill, _in_place(np.fill_diagonal)),
    _line("put", _put, _in_place(np.put)), _line("place", _masked, _in_place(np.place)),
    _line("putmask", _masked, _in_place(np.putmask)), _line("copyto", _copyto, _in_place(np.copyto)),
    _line("put_along_axis", _put_along, _in_place(np.put_along_axis)),
    _line("unravel_index", _unravel), _line("packbits", _packbits), _line("unpackbits", _unpackbits),
    _line("ravel_multi_index", _multi_index), _line("full_like", one(lambda d: d.of(1, 2)), flavours="p"),
    _line("astype", one(lambda d: d.of("float32", "int32", "complex64")),
          lambda x, dtype: (x.real if np.dtype(dtype).kind != "c" else x).astype(dtype),
          lambda x, dtype: anp.astype(anp.real(x) if np.dtype(dtype).kind != "c" else x, dtype),
          flavours="p", dtypes=False),
    _line("trim_zeros", lambda d: call(d.array(d.dtype("si"), d.shape(1, 1)), d.of("fb", "f", "b")),
          traced=False),
    _line("array_equal", lambda d: call(x := d.array(d.dtype("si"), d.shape(0, 2)), x,
                                        equal_nan=d.flag()), wide=False),
    _line("allclose", lambda d: call(d.array("float64", s := d.shape(0, 2)), d.array(
        "float64", d.broadcastable(s)), atol=d.of(1e-8, 3.0), equal_nan=d.flag())),
    _line("ix_", lambda d: call(*(d.array("int32", d.shape(1, 1)) for _ in range(d.number(1, 3))))),
    _line("block", lambda d: call([[x := d.array(d.dtype("si"), (2, 3)), x], [x, x]])),
]  # fmt: skip
