"""Promotion and broadcasting of operands of different dtypes and shapes.

Done in this layer only: primitives require operands of one type.

The rule: the highest kind wins (bool < int < float < complex) and, within it, the smallest dtype
that holds all; an integer array takes the dtype of the float it meets (`i64 + f32` is `f32`).  A
Python number has a kind but no dtype: it takes the dtype of the array it meets, or the default of
its kind where that is higher (`i32 + 1.5` is `f32`).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from anvl.core.avals import Aval, aval, aval_of
from anvl.core.config import default_dtype
from anvl.core.locations import here
from anvl.core.ranges import check_fits, note_meeting, number_text
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.core.tracing import emit, ended_trace_error
from anvl.dialect.core.create import full, splat_at
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.runtime import Array

__all__ = [
    "NUMBER_LEVELS",
    "abstract",
    "as_tracer",
    "broadcast_shapes",
    "broadcast_to",
    "cast",
    "common_dtype",
    "constant",
    "convert",
    "dtype_error",
    "fitted",
    "hint",
    "holds_numbers",
    "literal_like",
    "masked_error",
    "number_value",
    "promote",
    "promoted",
    "remember",
    "text_hint",
    "typeof",
]  # fmt: skip

_ORDER = ["bool", "int", "float", "complex"]
_NUMBERS = (bool, int, float, complex)
_SCALARS = (*_NUMBERS, np.generic)  # literals, which are part of the program text
_CONVERT, _BROADCAST = OPS["anvl.convert"], OPS["anvl.broadcast_in_dim"]


def _kind(dtype: np.dtype[Any]) -> str:
    found = kind(element_type(dtype))
    return "int" if found == "uint" else found


def abstract(x: Any, function: str = "") -> Aval:
    """Abstract value of an array, a tracer or a Python number (which is weak)."""
    of = type(x)
    if of is Tracer:
        return x.aval
    if of in _NUMBERS:
        return aval(default_dtype(of), (), weak_type=True)
    if isinstance(x, Array):
        return aval_of(x, x.weak_type)
    if isinstance(x, np.ndarray | np.generic):
        return _of_numpy(x, function)
    if isinstance(x, _NUMBERS):  # subclasses, such as an IntEnum
        return aval(default_dtype(next(t for t in _NUMBERS if isinstance(x, t))), (), True)
    head = f"{function}: " if function else ""
    if isinstance(x, list | tuple):  # its elements may be tracers of no active trace
        what = f"a {of.__name__} of {len(x)}"
        raise TypeError(
            f"{head}takes arrays and numbers, got {what}; np.asarray(...) makes an array"
        )
    raise TypeError(f"{head}takes arrays and numbers, got {x!r} of type {of.__name__}{hint(x)}")


def _of_numpy(x: Any, function: str) -> Aval:
    if type(x) is not np.ndarray and isinstance(x, np.ma.MaskedArray):
        raise masked_error(function)
    try:
        return aval_of(x)
    except TypeError:
        raise dtype_error(x.dtype, function) from None


def typeof(x: Any) -> Aval:
    """The abstract value of an array, a tracer or a number: its dtype and shape.

    Parameters
    ----------
    x : array or number

    Returns
    -------
    Aval

    Raises
    ------
    TypeError
        x is neither.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.typeof(np.ones((2, 3))), anvl.typeof(1.5)
    (f32[2,3], f32?[])
    """
    return abstract(x, "typeof")


def masked_error(function: str) -> TypeError:
    """The error for a masked array, whose mask would be lost."""
    head = f"{function}: " if function else ""
    return TypeError(
        f"{head}takes arrays and numbers, got a masked array, whose mask would be lost; "
        "use x.filled(value)"
    )


def dtype_error(dtype: np.dtype[Any], function: str) -> TypeError:
    """The error for an array of NumPy whose elements are no numbers that an array holds."""
    head = f"{function}: " if function else ""
    remedy = _NO_NUMBERS.get("fields" if dtype.names else dtype.kind, "convert it: .astype(float)")
    return TypeError(f"{head}takes arrays and numbers, got an array of dtype {dtype}; {remedy}")


# By the kinds of NumPy's dtypes.
_NO_NUMBERS = {
    "O": "if its objects are numbers, make floats of them: .astype(float)",
    **dict.fromkeys("SUT", "if its texts are numbers, read them: .astype(float)"),
    **dict.fromkeys("mM", "make numbers of its times: .astype('int64')"),
    "fields": "take its fields one by one, x['name']",
}


def hint(x: Any) -> str:
    """Advice for an array of another library, such as `jax.Array`."""
    if isinstance(x, Aval) or (not hasattr(x, "__array__") and not hasattr(x, "__dlpack__")):
        return ""
    library = type(x).__module__.partition(".")[0].removesuffix("lib")
    return f", an array of {library}; numpy.asarray(x) makes one that anvl takes"


def text_hint(x: Any) -> str:
    """Advice for texts, or `hint`."""
    is_text = isinstance(x[0] if isinstance(x, list | tuple) and x else x, str | bytes)
    return "; make numbers of texts with float()" if is_text else hint(x)


def number_value(x: Any, of: Aval) -> np.ndarray[Any, Any]:
    """A Python number as a NumPy array of its aval's dtype, the default of its kind."""
    try:
        check_fits(x, of.dtype)
    except OverflowError:
        kind_, wides, float_ = _WIDER.get(type(x), _WIDER[int])
        wide = next((f"np.{w.name}({x})" for w in wides if _fits(x, w)), float_)
        raise OverflowError(
            f"{number_text(x)} does not fit {of.dtype.name}, the default of {kind_}; pass {wide}"
        ) from None
    return np.asarray(x, of.dtype)


def _fits(x: Any, dtype: np.dtype[Any]) -> bool:
    try:
        check_fits(x, dtype)
    except OverflowError:
        return False
    return True


#: By kind of number: its name, dtypes to convert it to, and what to do where none holds it.
_WIDER: dict[type, tuple[str, tuple[np.dtype[Any], ...], str]] = {
    int: (
        "integers",
        (np.dtype(np.int64), np.dtype(np.uint64)),
        "a float: no integer dtype holds it",
    ),
    float: ("floats", (np.dtype(np.float64),), "a smaller number"),
    complex: ("complex numbers", (np.dtype(np.complex128),), "a smaller number"),
}


@lru_cache(4096)
def _common(strong: tuple[np.dtype[Any], ...], weak: tuple[np.dtype[Any], ...]) -> Any:
    """Common dtype of strong and weak dtypes, and whether it is weak."""
    highest = max((_ORDER.index(_kind(d)) for d in strong), default=-1)
    weak_highest = max((_ORDER.index(_kind(d)) for d in weak), default=-1)
    if weak_highest > highest:
        made = _smallest_weak([d for d in weak if _ORDER.index(_kind(d)) == weak_highest])
        of_kind = _ORDER[weak_highest]
        is_weak = not strong and of_kind != "bool"  # bools yield to all others anyway
        return _widened(made, [d for d in strong if _kind(d) == "float"], of_kind), is_weak
    return _widened(
        _smallest_dtype([d for d in strong if _ORDER.index(_kind(d)) == highest]),
        [d for d in strong if _kind(d) == "float"],
        _ORDER[highest],
    ), False


def _smallest_dtype(dtypes: list[np.dtype[Any]]) -> np.dtype[Any]:
    """Smallest dtype of one kind that holds all of these."""
    first, *rest = dict.fromkeys(dtypes)
    for other in rest:
        found = np.promote_types(first, other) if not _is_half(first, other) else None
        if found is None:
            first = np.dtype(np.float32)
        elif _kind(found) != _kind(first):
            raise TypeError(
                f"{dtype_name(first)} and {dtype_name(other)} have no common integer dtype; "
                "convert one of them with .astype"
            )
        else:
            first = found
    return first


def _smallest_weak(dtypes: list[np.dtype[Any]]) -> np.dtype[Any]:
    """Smallest dtype that holds these; a literal yields to a number that was beside `ui64`."""
    unsigned = np.dtype(np.uint64)
    return unsigned if unsigned in dtypes else _smallest_dtype(dtypes)


def _is_half(x: np.dtype[Any], y: np.dtype[Any]) -> bool:
    """Whether x and y are f16 with bf16, or with an 8-bit float: neither holds the other."""
    small = {"f16", "bf16", "f8E4M3FN", "f8E5M2"}
    return {dtype_name(x), dtype_name(y)} <= small


def _widened(made: Any, floats: list[np.dtype[Any]], of_kind: str) -> np.dtype[Any]:
    """A complex dtype that also holds the floats it meets: c64 with f64 is c128."""
    if of_kind == "complex" and any(dtype_name(d) == "f64" for d in floats):
        return np.dtype(np.complex128)
    return made


def common_dtype(*avals: Aval) -> tuple[np.dtype[Any], bool]:
    """Common dtype of arrays of these avals, and whether it is weak."""
    strong = tuple(a.dtype for a in avals if not a.weak_type)
    weak = tuple(a.dtype for a in avals if a.weak_type)
    return _common(strong, weak)


def broadcast_shapes(
    *shapes: tuple[int, ...], function: str = "broadcast", of: Sequence[Aval] = ()
) -> tuple[int, ...]:
    """Shape that all of these broadcast to, by NumPy's rule; `ValueError` if there is none.

    Its text shows the operands that the shapes are `of`, if they are given.
    """
    first, *rest = shapes
    if all(shape == first for shape in rest):
        return first
    rank = max(map(len, shapes))
    result = []
    for sizes in zip(*[(1,) * (rank - len(s)) + s for s in shapes], strict=True):
        wanted = {n for n in sizes if n != 1}
        if len(wanted) > 1:
            listed = ", ".join(map(str, of or map(list, shapes)))
            raise ValueError(
                f"{function}: {'' if of else 'shapes '}{listed} do not broadcast: sizes "
                f"{' and '.join(map(str, sorted(wanted)))} meet; reshape one of them"
            )
        result.append(wanted.pop() if wanted else 1)
    return tuple(result)


def _common_shape(avals: Sequence[Aval], function: str) -> tuple[int, ...]:
    return broadcast_shapes(*[a.shape for a in avals], function=function, of=avals)


def constant(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...] = ()) -> Tracer:
    """A literal of the current trace: an array filled with `value`."""
    return literal_like(value, aval(dtype, shape))


def as_tracer(x: Any, function: str = "") -> Tracer:
    """Tracer of the current trace for an array, a tracer or a Python number."""
    trace = current.trace
    if trace is None:
        raise ended_trace_error((x,))
    if type(x) is Tracer:
        return x
    of = abstract(x, function)
    if isinstance(x, _SCALARS):
        literal = constant(x, of.dtype)
        made = Tracer(literal.value, of, trace, literal.location)
        return remember(made, x) if of.weak_type else made
    return Tracer(trace.tracer_of(x).value, of, trace, here())


def remember(x: Tracer, numbers: Any) -> Tracer:
    """Note that x is made of these Python numbers, of which `convert` makes it with all digits."""
    x.owner.numbers[x.value] = numbers
    return x


def holds_numbers(x: Any) -> bool:
    """Whether a nested list holds Python numbers alone."""
    return all(holds_numbers(y) if isinstance(y, list | tuple) else type(y) in _NUMBERS for y in x)


def convert(x: Tracer, dtype: np.dtype[Any]) -> Tracer:
    """Convert x to another dtype, which a weak number must fit; x itself if it has that dtype.

    See Note [Ranges of weak arguments] in `frontend/core/ranges.py`.
    """
    if x.aval.dtype == dtype:
        return x
    if x.aval.level == 2 and x.value in x.owner.numbers:
        numbers = x.owner.numbers[x.value]
        if not isinstance(numbers, list | tuple):
            if x.aval.weak_type:  # else it is a number that was given this dtype
                return constant(numbers, dtype)
        else:
            return as_tracer(np.asarray(numbers, dtype))
    if x.aval.weak_type:
        note_meeting(x, dtype)
    return cast(x, dtype)


def cast(x: Tracer, dtype: np.dtype[Any]) -> Tracer:
    """Cast x explicitly: integers out of range wrap around."""
    if x.aval.dtype == dtype:
        return x
    return emit(_CONVERT, (x,), {"dtype": dtype_name(dtype)})


def fitted(x: Any, dtype: np.dtype[Any], function: str = "") -> Tracer:
    """x in `dtype`, the dtype of the array it meets, which a number must fit."""
    if isinstance(x, _NUMBERS) and not isinstance(x, np.generic):
        return constant(x, dtype)
    return convert(as_tracer(x, function), dtype)


def broadcast_to(x: Tracer, shape: tuple[int, ...]) -> Tracer:
    """Broadcast x to a shape; x itself if it has that shape."""
    old = x.aval.shape
    if old == shape:
        return x
    axes = tuple(range(len(shape) - len(old), len(shape)))
    params = {"shape": shape, "broadcast_dimensions": axes}
    return emit(_BROADCAST, (x,), params)


def promote(
    function: str, *xs: Any, at_least: str = "bool", shape: tuple[int, ...] | None = None
) -> list[Tracer]:
    """Promote operands to one dtype and one shape.

    `at_least="float"` raises integers to the default float: for sin, sqrt, mean.
    """
    return promoted(function, xs, at_least)[0]


def promoted(
    function: str, xs: Sequence[Any], at_least: str = "bool", broadcast: bool = True
) -> tuple[list[Tracer], bool]:
    """Promote operands to one dtype and one shape; also whether that dtype is weak."""
    if current.trace is None:
        raise ended_trace_error(xs)
    avals = [abstract(x, function) for x in xs]
    first, level = avals[0], _ORDER.index(at_least)
    if _agree(avals, level):
        dtype, weak = first.dtype, first.weak_type
        if all(type(x) is Tracer for x in xs) and (
            not broadcast or all(a.shape == first.shape for a in avals)
        ):
            return list(xs), weak
    else:
        dtype, weak = common_dtype(*avals)
        if aval(dtype).level < level:
            dtype = default_dtype(int if at_least == "int" else float)
            weak = all(a.weak_type for a in avals)
    shape = _common_shape(avals, function) if broadcast else None
    return [_fit(x, a, dtype, shape, function) for x, a in zip(xs, avals, strict=True)], weak


def _agree(avals: Sequence[Aval], level: int) -> bool:
    """Whether all have one dtype already, of at least this level."""
    first = avals[0]
    return first.level >= level and all(
        a is first or (a.dtype == first.dtype and a.weak_type == first.weak_type) for a in avals
    )


#: `Aval.level` of each type of Python number.
NUMBER_LEVELS = {bool: 0, int: 1, float: 2, complex: 3}


def literal_like(value: complex, of: Aval) -> Tracer:
    """A literal of the current trace, of a known aval: the fast form of `constant`."""
    trace = current.trace
    if trace is None:
        raise ended_trace_error(())
    # 0.0 and -0.0 are equal as keys, but differ.
    key = of, value if value and type(value) is not complex else repr(value)
    known = None if trace.program.has_buckets else trace.literals.get(key)
    if known is not None:
        return known
    if of.level:
        check_fits(value, of.dtype)
    location = here(3)  # called by anvl's own functions, which users call
    if of.level == 3:
        with location:
            y = full(of.type, value)
    else:
        y = splat_at(location, of.type, value)
    made = trace.literals[key] = Tracer(y, of, trace, location)
    return made


def _fit(
    x: Any, of: Aval, dtype: np.dtype[Any], shape: tuple[int, ...] | None, function: str
) -> Tracer:
    wanted = of.shape if shape is None else shape
    if isinstance(x, _NUMBERS):
        return constant(x, dtype, wanted)
    return broadcast_to(fitted(x, dtype, function), wanted)
