"""`dot_general`: contraction of two arrays along some axes, batched along others.

Source: StableHLO specification, `dot_general`.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.families import Bilinear, add_tangents, check_axes, check_kind
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Operand, Result, Value, emit
from anvl.dialect.core.params.base import Algorithm, DotDimensions, DotDims, Precision, WiderDtype
from anvl.dialect.core.types import shape_text, tensor
from anvl.dialect.ops.elementwise.upcast import cotangent_beside, in_dtype_of, wider_element
from anvl.dialect.sparsity.combinations import contraction_dependence

__all__ = ["DotGeneralOp", "check_contraction"]


class DotGeneralOp(Bilinear, name="dot_general"):
    """Contract the contracting axes of x and y; batching axes pair up.  StableHLO `dot_general`.

    The result has the batching axes, then the free axes of `x`, then the free axes of `y`.  It may
    have a wider `dtype` than the operands, in which sums are then accumulated: f32 for bf16, i32
    for i8.  An `algorithm` selects the rounding, in derivatives too.
    """

    x: Operand
    y: Operand
    dot_dimension_numbers: DotDimensions
    precision_config: Precision
    algorithm: Algorithm
    dtype: WiderDtype
    z: Result
    hlo = "dot_general"
    kinds = "bool int uint float complex"
    moves_elements = True
    policy_variants = ("unbatched",)

    @classmethod
    def policy_variant(cls, op: ir.Operation) -> str | None:
        return None if cls.read(op)["dot_dimension_numbers"].lhs_batching else "unbatched"

    @classmethod
    def work(cls, op: ir.Operation) -> int:
        x, contracting = op.operands[0].type, cls.read(op)["dot_dimension_numbers"].lhs_contracting
        return 2 * math.prod(op.results[0].type.shape) * math.prod(x.shape[i] for i in contracting)

    @classmethod
    def result_type(
        cls, x: Any, y: Any, dot_dimension_numbers: DotDims, precision_config: str = "DEFAULT",
        algorithm: Any = "", dtype: str | None = None,
    ) -> Any:  # fmt: skip
        dims = dot_dimension_numbers
        check_kind("dot_general", x, cls.kinds)
        check_contraction("dot_general", x, y, dims)
        xs, ys = x.shape, y.shape
        shape = [xs[a] for a in dims.lhs_batching]
        shape += [xs[a] for a in _free(x, dims.lhs_batching, dims.lhs_contracting)]
        shape += [ys[a] for a in _free(y, dims.rhs_batching, dims.rhs_contracting)]
        return tensor(shape, wider_element("dot_general", x, dtype))

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], z: Value, dot_dimension_numbers: DotDims,
        dtype: str | None = None, **params: Any,
    ) -> Sequence[Any]:  # fmt: skip
        x, y = xs
        dims = dot_dimension_numbers
        swapped = DotDims(
            dims.rhs_batching, dims.lhs_batching, dims.rhs_contracting, dims.lhs_contracting
        )
        n_batch, n_x = len(dims.lhs_batching), x.type.rank - len(dims.lhs_contracting)
        of_x = tuple(range(n_batch, n_x))
        of_y = tuple(range(n_x, g.type.rank))
        return [
            lambda: _adjoint_of_first(g, x, y, dims, of_y, params),
            lambda: _adjoint_of_first(g, y, x, swapped, of_x, params),
        ]

    @classmethod
    def operand_support(
        cls, g: Value, xs: Sequence[Value], z: Value, dot_dimension_numbers: DotDims, **params: Any
    ) -> Sequence[Any]:
        """Support of the adjoint, by sums: a product would take far longer."""
        (x, y), dims = xs, dot_dimension_numbers
        n_batch, n_x = len(dims.lhs_batching), x.type.rank - len(dims.lhs_contracting)
        found = (
            _broadcast_from(g, x.type, _left(x.type, dims[0], dims[2]), range(n_x, g.type.rank)),
            _broadcast_from(g, y.type, _left(y.type, dims[1], dims[3]), range(n_batch, n_x)),
        )
        return [in_dtype_of(x, live) for x, live in zip(xs, found, strict=True)]

    @classmethod
    def result_support(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], z: Value,
        dot_dimension_numbers: DotDims, **params: Any,
    ) -> Any:  # fmt: skip
        (x, y), dims = xs, dot_dimension_numbers
        n_batch, n_x = len(dims.lhs_batching), x.type.rank - len(dims.lhs_contracting)
        batch, of_x, of_y = range(n_batch), range(n_batch, n_x), range(n_x, z.type.rank)
        found = []
        for t, left, axes, contracted in (
            (ts[0], _left(x.type, dims[0], dims[2]), (*batch, *of_x), dims[2]),
            (ts[1], _left(y.type, dims[1], dims[3]), (*batch, *of_y), dims[3]),
        ):
            if t is not None:  # axes of the operand, in order, to axes of the result
                place = dict(zip(left, axes, strict=True))
                at = [place[a] for a in sorted(place)]
                found.append(in_dtype_of(z, _broadcast_from(t, z.type, at, contracted)))
        return add_tangents(found)

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], dot_dimension_numbers: DotDims,
        **params: Any,
    ) -> Value:  # fmt: skip
        (x, y), dims = xs, dot_dimension_numbers
        x_moves, y_moves = batched
        lhs = [tuple(a + x_moves for a in axes) for axes in (dims[0], dims[2])]
        rhs = [tuple(a + y_moves for a in axes) for axes in (dims[1], dims[3])]
        if x_moves and y_moves:
            dims = DotDims((0, *lhs[0]), (0, *rhs[0]), lhs[1], rhs[1])
            return emit.dot_general(x, y, dot_dimension_numbers=dims, **params)
        dims = DotDims(lhs[0], rhs[0], lhs[1], rhs[1])
        is_vector = y_moves and len(dims[3]) + 1 == y.type.rank
        if is_vector and isinstance(params.get("algorithm", ""), str):
            # The batch axis is the only free one of y, so that the operands may change places: not
            # with an algorithm, which says something of each.
            exchanged = DotDims(dims[1], dims[0], dims[3], dims[2])
            return _with_axis(y, x, exchanged, 0, params)
        at = len(dims[0]) if x_moves else x.type.rank - len(dims[2])
        return _with_axis(x, y, dims, at, params)

    @classmethod
    def dependence(
        cls, deps: Any, xs: Sequence[Any], dot_dimension_numbers: DotDims, **params: Any
    ) -> Any:
        return contraction_dependence(deps, xs, dot_dimension_numbers)

    @classmethod
    def narrowed(
        cls, xs: Sequence[Value], dtype: str, /, dot_dimension_numbers: DotDims, **params: Any
    ) -> Value | None:
        if not dot_dimension_numbers.lhs_contracting:
            return None  # angles, such as positions times frequencies, would lose their digits
        numbers = {"dot_dimension_numbers": dot_dimension_numbers, **params, "dtype": dtype}
        return cls.build(*xs, **numbers)

    @classmethod
    def pad_axes(
        cls, pads: Any, xs: Sequence[Any], dot_dimension_numbers: DotDims, **params: Any
    ) -> Any:
        """Both operands are 0 in the padding of contracted axes: either may have NaN there."""
        dims, (x, y) = dot_dimension_numbers, xs
        left_x = _left(x.value.type, dims.lhs_batching, dims.lhs_contracting)
        left_y = _left(y.value.type, dims.rhs_batching, dims.rhs_contracting)
        n_batch, n_x = len(dims.lhs_batching), len(left_x)
        places = [*range(n_batch), *range(n_x, n_x + len(left_y) - n_batch)]
        of_x, of_y = dict(enumerate(left_x)), dict(zip(places, left_y, strict=True))
        x = pads.widened(x, {of_x[i]: n for i, n in pads.wanted.items() if i in of_x})
        y = pads.widened(y, {of_y[i]: n for i, n in pads.wanted.items() if i in of_y})
        pairs = [*zip(dims[0], dims[1], strict=True), *zip(dims[2], dims[3], strict=True)]
        y = pads.widened(y, {b: x.axes[a] for a, b in pairs if a in x.axes})
        x = pads.widened(x, {a: y.axes[b] for a, b in pairs if b in y.axes})
        axes = {i: y.axes[b] for i, b in of_y.items() if b in y.axes}
        axes |= {i: x.axes[a] for i, a in of_x.items() if a in x.axes}
        sides = pads.masked(x, 0, dims.lhs_contracting), pads.masked(y, 0, dims.rhs_contracting)
        return cls.build(*sides, dot_dimension_numbers=dims, **params), axes

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def numbers(*dims: tuple[int, ...], **params: Any) -> dict[str, Any]:
            return {"dot_dimension_numbers": DotDims(*dims), **params}

        mixed = [draw.floats(3, 2, 4, 2), draw.floats(2, 3, 2)]
        narrow = [x.astype("float32") for x in mixed]
        f32 = Algorithm.checked(ir.Attribute.parse(_F32, context()))
        return draw.calls(
            (narrow, numbers((3, 0), (0, 1), (1,), (2,), algorithm=f32)),
            (narrow, numbers((3, 0), (0, 1), (1,), (2,), dtype="f64")),
            (mixed, numbers((3, 0), (0, 1), (1,), (2,), dtype="f64")),
            ([draw.ints(2, 3, dtype="i8"), draw.ints(3, dtype="i8")],
             numbers((), (), (1,), (0,), dtype="i32")),
            ([draw.floats(2, 3), draw.floats(3, 4)], numbers((), (), (1,), (0,))),
            ([draw.floats(3), draw.floats(3)], numbers((), (), (0,), (0,))),
            ([draw.floats(), draw.floats(2)], numbers((), (), (), ())),
            ([draw.floats(2, 3, 4), draw.floats(4, 3, 5, 2)], numbers((0,), (3,), (2, 1), (0, 1))),
            ([draw.floats(2, 3, 3), draw.floats(3, 3)], numbers((), (), (2, 1), (0, 1))),
            ([draw.floats(3, 2, 4, 2), draw.floats(2, 3, 2)], numbers((3, 0), (0, 1), (1,), (2,))),
            ([draw.floats(2, 0), draw.floats(0, 3)], numbers((), (), (1,), (0,))),
        )  # fmt: skip


_F32 = (
    "#stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, "
    "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
    "num_primitive_operations = 1, allow_imprecise_accumulation = false>"
)


def check_contraction(name: str, x: Any, y: Any, dims: DotDims) -> None:
    """Raise TypeError, in the name of the op, for operand types that `dims` cannot contract."""
    if x.element_type != y.element_type:
        raise TypeError(
            f"{name}: operands differ in dtype: {x}, {y}; convert them to one dtype first"
        )
    _check_side(f"{name}: left", x, dims.lhs_batching, dims.lhs_contracting)
    _check_side(f"{name}: right", y, dims.rhs_batching, dims.rhs_contracting)
    _check_pairs(f"{name}: batching", x, y, dims.lhs_batching, dims.rhs_batching)
    _check_pairs(f"{name}: contracting", x, y, dims.lhs_contracting, dims.rhs_contracting)


def _check_side(side: str, x: Any, batching: Sequence[int], contracting: Sequence[int]) -> None:
    both = f"batching {shape_text(batching)} and contracting {shape_text(contracting)}"
    check_axes(f"{side} axes, {both}", (*batching, *contracting), x.rank, x)


def _check_pairs(role: str, x: Any, y: Any, lhs: Sequence[int], rhs: Sequence[int]) -> None:
    if len(lhs) != len(rhs):
        raise TypeError(
            f"{role} axes {shape_text(lhs)} of {x} and {shape_text(rhs)} of {y} "
            "differ in number; they go in pairs"
        )
    xs, ys = x.shape, y.shape
    for a, b in zip(lhs, rhs, strict=True):
        if xs[a] != ys[b]:
            raise TypeError(
                f"{role} sizes differ: axis {a} of {x} is {xs[a]}, axis {b} of {y} is {ys[b]}"
            )


def _free(x: Any, batching: Sequence[int], contracting: Sequence[int]) -> list[int]:
    """Free axes of x: neither batching nor contracting."""
    return [a for a in range(x.rank) if a not in batching and a not in contracting]


def _left(x: Any, batching: Sequence[int], contracting: Sequence[int]) -> list[int]:
    """Axes of x that the result has, in the result's order."""
    return [*batching, *_free(x, batching, contracting)]


def _broadcast_from(g: Value, type_: Any, axes: Sequence[int], summed: Sequence[int]) -> Value:
    """Sum g over the axes `summed` and broadcast it to a type: its other axes become `axes`."""
    kept = emit.sum(g, axes=tuple(summed))
    order = sorted(range(len(axes)), key=axes.__getitem__)
    if order != list(range(len(axes))):
        kept = emit.transpose(kept, permutation=tuple(order))
    dimensions = tuple(sorted(axes))
    return emit.broadcast_in_dim(kept, shape=tuple(type_.shape), broadcast_dimensions=dimensions)


def _with_axis(x: Value, y: Value, dims: DotDims, at: int, params: Any) -> Value:
    """Emit a product of which one operand has the batch axis, and move that from `at` to the front.

    The axis is a free one: in the result it follows the batching axes, and if it is of y, also the
    free axes of x.
    """
    z = emit.dot_general(x, y, dot_dimension_numbers=dims, **params)
    if at == 0:
        return z
    axes = [a for a in range(z.type.rank) if a != at]
    return emit.transpose(z, permutation=(at, *axes))


def _adjoint_of_first(
    g: Value, x: Value, y: Value, dims: DotDims, of_y: tuple[int, ...], params: dict[str, Any]
) -> Value:
    """Contract g with y over the free axes of y (the axes `of_y` of g), into the axes of x."""
    swapped, numbers, permutation = _adjoint_plan(x.type, y.type, dims, of_y)
    g, y, dtype = cotangent_beside(g, y)
    pair = (y, g) if swapped else (g, y)
    part = emit.dot_general(*pair, dot_dimension_numbers=numbers, dtype=dtype, **params)
    part = in_dtype_of(x, part)
    return emit.transpose(part, permutation=permutation) if permutation else part


@lru_cache(4096)
def _adjoint_plan(
    x: Any, y: Any, dims: DotDims, of_y: tuple[int, ...]
) -> tuple[bool, DotDims, tuple[int, ...]]:
    """Whether y comes first, the dimension numbers, and the result's permutation, () if none."""
    batching, y_batching, contracting, y_contracting = dims
    g_batching = tuple(range(len(batching)))
    y_free = tuple(_free(y, y_batching, y_contracting))
    # The result has the batching axes of x, then those from g, then those from y; or the last two
    # exchanged, if that saves a transpose.
    of_g = _free(x, batching, contracting)
    in_y_order = [b for b in range(y.rank) if b in y_contracting]
    contracted = [contracting[y_contracting.index(b)] for b in in_y_order]
    axes = [*batching, *of_g, *contracted]
    if axes == sorted(axes):
        return False, DotDims(g_batching, y_batching, of_y, y_free), ()
    axes = [*batching, *contracted, *of_g]
    permutation = tuple(axes.index(a) for a in range(len(axes)))
    numbers = DotDims(y_batching, g_batching, y_free, of_y)
    return True, numbers, () if axes == sorted(axes) else permutation
