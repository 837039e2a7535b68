"""Op families: base classes for ops that share a rule.

Each op has a single base: nanobind allows no mixins.
"""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.op import AnvlOp, Value, emit
from anvl.dialect.core.op_registry import missing
from anvl.dialect.core.types import kind

__all__ = [
    "Bilinear",
    "Creation",
    "Elementwise",
    "Linear",
    "NotDifferentiable",
    "add_tangents",
    "check_axes",
    "check_kind",
    "convolved",
    "differentiable",
    "remedy",
    "with_batch_axis",
]  # fmt: skip

NUMBERS = "bool int uint float complex"


def check_kind(name: str, x: Any, kinds: str) -> None:
    """Refuse an operand type whose elements are of none of `kinds` (a text of kind names).

    Parameters
    ----------
    name : str
        The op.
    x : ir.RankedTensorType
        The type of the operand.
    kinds : str
        Of `"bool int uint float complex"`.

    Raises
    ------
    TypeError
        The elements are of none of these kinds.

    Examples
    --------
    >>> from anvl.dialect import check_kind, element_type, tensor
    >>> check_kind("my.op", tensor((3,), element_type("i32")), "float")
    Traceback (most recent call last):
    TypeError: my.op: operand is tensor<3xi32>; it takes elements of kind float: convert it
    """
    found, taken = kind(x.element_type), kinds.split()
    if found not in taken:
        what = f"{name}: operand is {x}; it takes elements of kind {_or_list(kinds)}"
        raise TypeError(what + _remedy_of_kind(found, taken))


def _remedy_of_kind(found: str, taken: Sequence[str]) -> str:
    """How to make elements of a kind that an op takes; empty where there is no usual way."""
    if found == "complex" and "float" in taken:
        if "bool" in taken:
            return "; complex numbers have no order: take their abs or real parts"
        return "; take the real or the imaginary part"
    if taken == ["bool"]:
        return "; compare it with 0"
    return ": convert it" if found != "complex" else ""


def check_axes(what: str, axes: Sequence[int], rank: int, of: Any) -> None:
    """Refuse axes that do not exist or repeat; `what` names them: `sum: axes [1, 1]`.

    Parameters
    ----------
    what : str
        The op and the axes.
    axes : sequence of int
    rank : int
        The number of axes.
    of : object
        What has these axes, for the message.

    Raises
    ------
    TypeError
        An axis is not from 0 to rank - 1, or there twice.

    Examples
    --------
    >>> from anvl.dialect import check_axes
    >>> check_axes("sum: axes [1, 1]", [1, 1], 2, "tensor<2x3xf32>")
    Traceback (most recent call last):
    TypeError: sum: axes [1, 1] repeat an axis of tensor<2x3xf32>; name each once
    """
    for axis in axes:
        if not 0 <= axis < rank:
            there = f"axes 0 to {rank - 1}" if rank > 1 else "only axis 0" if rank else "no axes"
            raise TypeError(f"{what}: {axis} is not an axis of {of}, which has {there}")
    if len(set(axes)) != len(axes):
        raise TypeError(f"{what} repeat an axis of {of}; name each once")


@cache
def differentiable(type_: Any) -> bool:
    """Whether values of this type carry a derivative: floats and complex numbers do."""
    return kind(type_.element_type) in ("float", "complex")


def _or_list(kinds: str) -> str:
    *first, last = kinds.split()
    return f"{', '.join(first)} or {last}" if first else last


class NotDifferentiable(NamedTuple):
    """Marker in place of a derivative: not differentiable, with the reason."""

    reason: str

    def __call__(self, *_: Value) -> Any:
        raise MissingRule(self.reason)


class Elementwise(AnvlOp):
    """y[i] = f(x[i], ...), all of one shape.

    A subclass defines `kinds` (of its operands) and `passes`: for each operand a function
    `(g, *xs, y) -> g * dy/dx`, None where the derivative is zero, or `NotDifferentiable`.  The
    Jacobian is diagonal, so the same functions carry a tangent forward and a cotangent back.
    """

    def __init_subclass__(cls, **kw: Any) -> None:
        super().__init_subclass__(**kw)
        _mark_undefined(cls)

    diagonal = True
    kinds = NUMBERS
    passes: tuple[Any, ...] = ()
    domains: tuple[tuple[float, float], ...] = ()
    #: Domains where another formula is used: samples are drawn there too.
    far: tuple[tuple[tuple[float, float], ...], ...] = ()
    #: Poles, boundaries between formulas and other magnitudes: values are tested there too.
    special: tuple[tuple[complex, ...], ...] = ()

    @classmethod
    def result_type(cls, first: Any, *rest: Any) -> Any:
        for other in rest:
            if other != first:
                raise TypeError(
                    f"{cls.short_name}: operands differ in type: "
                    f"{', '.join(map(str, (first, *rest)))}; {remedy(first, rest)}"
                )
        check_kind(cls.short_name, first, cls.kinds)
        return first

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        present = [t for t in ts if t is not None]
        if cls.linear and len(present) == len(ts):
            return cls.build(*present)
        parts = [
            through(t, *xs, y)
            for t, through in zip(ts, cls.passes, strict=True)
            if t is not None and through is not None
        ]
        return add_tangents(parts)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [None if f is None else partial(f, g, *xs, y) for f in cls.passes]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], **params: Any) -> Value:
        return cls.build(*with_batch_axis(xs, batched), **params)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.elementwise(cls.kinds, cls.domains, far=cls.far, special=cls.special)


def _mark_undefined(cls: type[Elementwise]) -> None:
    """Fill `undefined` with the operands that `passes` says have no derivative."""
    cls.undefined = {
        i: through.reason
        for i, through in enumerate(cls.passes)
        if type(through) is NotDifferentiable
    }


def remedy(first: Any, rest: Sequence[Any]) -> str:
    """Hint for operands that differ in type."""
    if any(list(other.shape) != list(first.shape) for other in rest):
        return "broadcast them to one shape first (anvl.numpy does)"
    return "convert them to one dtype first (anvl.numpy does)"


class Linear(AnvlOp):
    """Linear in its only operand: the tangent is the op itself.  A subclass defines `adjoint`."""

    preserves_zeros = True

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, **params: Any
    ) -> Value | None:
        (t,) = ts
        return None if t is None else cls.build(t, **params)


class Bilinear(AnvlOp):
    """Linear in each of its two operands (product rule).  A subclass defines `adjoint`."""

    @classmethod
    def taylor(
        cls,
        k: int,
        xs: Sequence[Sequence[Value | None]],
        z: Sequence[Value | None],
        /,
        **params: Any,
    ) -> Value | None:
        return convolved(partial(cls.build, **params), *xs)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], z: Value, **params: Any
    ) -> Value | None:
        (tx, ty), (x, y) = ts, xs
        return add_tangents(
            [
                None if tx is None else cls.build(tx, y, **params),
                None if ty is None else cls.build(x, ty, **params),
            ]
        )


class Creation(AnvlOp):
    """Makes an array from nothing: no operands, so nothing to differentiate or to batch."""

    zero_derivative_reason = "it has no operands"

    @classmethod
    def tangent(cls, ts: Any, xs: Any, y: Value, **params: Any) -> None:
        return None

    @classmethod
    def adjoint(cls, g: Value, xs: Any, y: Value, **params: Any) -> Sequence[Any]:
        return []

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], **params: Any) -> Value:
        # No operand is ever batched, so a batching pass keeps the op; asked anyway, this is a bug.
        return missing(cls, "batch")


def convolved(multiply: Any, x: Sequence[Value | None], y: Sequence[Value | None]) -> Value | None:
    """The sum of the products x[i] y[k - i], of two sequences of k + 1 values; None is zero."""
    pairs = zip(x, reversed(y), strict=True)
    return add_tangents([multiply(a, b) for a, b in pairs if a is not None and b is not None])


def add_tangents(parts: Sequence[Value | None]) -> Value | None:
    """The sum of the parts that are present, or None.

    Parameters
    ----------
    parts : sequence of ir.Value or None
        Of one type.

    Returns
    -------
    ir.Value or None

    Examples
    --------
    >>> from anvl.dialect import add_tangents
    >>> print(add_tangents([None, None]))
    None
    """
    present = [part for part in parts if part is not None]
    if not present:
        return None
    result = present[0]
    for part in present[1:]:
        result = emit.add(result, part)
    return result


def with_batch_axis(xs: Sequence[Value], batched: Sequence[bool]) -> list[Value]:
    """`xs`, with the batch axis added to those that have none.

    Parameters
    ----------
    xs : sequence of ir.Value
    batched : sequence of bool
        Which of them have the axis, the first one; at least one has.

    Returns
    -------
    List of ir.Value

    Examples
    --------
    >>> from anvl.dialect import emit, ir, parse, with_batch_axis
    >>> module = parse("func.func @f(%x: tensor<4x3xf32>, %y: tensor<3xf32>) { return }")
    >>> block = module.body.operations[0].regions[0].blocks[0]
    >>> with module.context, ir.Location.unknown(), ir.InsertionPoint(block.operations[0]):
    ...     xs = with_batch_axis(list(block.arguments), [True, False])
    >>> print([str(x.type) for x in xs])
    ['tensor<4x3xf32>', 'tensor<4x3xf32>']
    """
    size = xs[batched.index(True)].type.shape[0]
    return [
        x
        if b
        else emit.broadcast_in_dim(
            x,
            shape=(size, *x.type.shape),
            broadcast_dimensions=tuple(range(1, x.type.rank + 1)),
        )
        for x, b in zip(xs, batched, strict=True)
    ]
