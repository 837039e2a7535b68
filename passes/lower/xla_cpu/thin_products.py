"""Products of a transposed matrix, as XLA:CPU computes them faster."""

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import DotDimensions, DotDims, Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import Hlo, maker, runs_once
from anvl.passes.lower.xla_cpu.small_products import are_static_floats

__all__ = ["write_thin_products"]

# Note [Products of a transposed matrix]
#
# XLA:CPU hands products to YNNPACK, unless the first operand is summed over its first axis, as in
# the derivative by the weights of each dense layer, x^T g.  These it gives to Eigen, which takes
# 2 to 8 times as long where g has few columns, as behind the last layer of a classifier.  So
#
#     z = x^T g      becomes      z = (t g)^T x, transposed, where t g is made an array,
#     or             z = (t x) g, where t x is made an array
#
# with t for `transpose`: the first for few columns of g, the second, in f64, for few of x.
# Barriers keep XLA from undoing it, which are for what runs once (Note [Barriers on the CPU]).  A
# kernel that transposes takes 10 to 20 ms to compile: so that is for products that take at least
# some 100 us.
#
# Times, before and after (two cores of an AMD EPYC; rows of x and g, columns of x, columns of g):
# with jaxlib 0.10.2 256 x 512 x 10 306 us -> 50, 128 x 1,024 x 10 290 -> 38, 128 x 1,024 x 64 546
# -> 196, 10,000 x 784 x 10 6.7 ms -> 3.5; in f64 256 x 512 x 10 222 us -> 104, 512 x 10 x 1,024 554
# -> 262; with 0.12.0.1 about the same.  The gradient of a logistic regression of 256 images of 512
# numbers takes 0.2 to 0.3 of the time, of 10,000 of 784 half.  Of many columns it gains nothing: in
# f32 0.85 to 1.15 of the time, in f64 0.65 to 0.8 with 0.10.2, but 1 to 1.1 with 0.12.0.1.

_BARRIER, _PRODUCT = "stablehlo.optimization_barrier", "stablehlo.dot_general"
_TRANSPOSE, _RESHAPE = "stablehlo.transpose", "stablehlo.reshape"
_MOST_THIN = 64  # columns of the thinner operand
_WIDER = 4  # times as many has the other
_FEWEST = 1 << 16  # elements of the wide operand
_FEWEST_OF_F64 = 1 << 18  # the same, if the first operand is the thin one

_hlo = Hlo("")


class _Form(NamedTuple):
    """How a product is written: the sizes of its matrices, and which operand is transposed."""

    batch: tuple[int, ...]
    summed: int
    rows: int
    columns: int
    is_first: bool


def write_thin_products(module: ir.Operation) -> None:
    """Transpose one operand of products whose first operand is summed over its first axis."""
    for op in find(module, _PRODUCT):
        (x, y), z = op.operands, op.results[0]
        form = _form(x.type, y.type, z.type, op.attributes["dot_dimension_numbers"])
        if form is None or "algorithm" in op.attributes or not runs_once(op):
            continue
        if not (_is_transposed(x) or _is_transposed(y)):
            with op.context, op.location, ir.InsertionPoint(op):
                z.replace_all_uses_with(_written(x, y, z.type, form))
            op.erase()


@lru_cache(1024)
def _form(x: Any, y: Any, z: Any, numbers: ir.Attribute) -> _Form | None:
    """The faster form of a product, if there is one.

    Batch axes come first in both operands, then those that are summed over, then one other.
    """
    axes = DotDimensions.decode(numbers)
    n, end = len(axes.lhs_batching), len(axes.lhs_batching) + len(axes.lhs_contracting)
    batch, summed = tuple(range(n)), tuple(range(n, end))
    are_matrices = bool(summed) and x.rank == y.rank == end + 1 and are_static_floats(x, y, z)
    if not are_matrices or axes != DotDims(batch, batch, summed, summed):
        return None
    k, rows, columns = prod(x.shape[n:end]), x.shape[-1], y.shape[-1]
    form = _Form(tuple(z.shape[:-2]), k, rows, columns, True)
    if k == 1:  # elementwise
        return None
    if _is_thin(columns, rows) and prod(x.shape) >= _FEWEST:
        return form._replace(is_first=False)
    is_first = _is_thin(rows, columns) and prod(y.shape) >= _FEWEST_OF_F64
    return form if is_first and isinstance(z.element_type, ir.F64Type) else None


def _is_thin(few: int, many: int) -> bool:
    return 2 <= few <= _MOST_THIN and _WIDER * few <= many


def _is_transposed(x: ir.Value) -> bool:
    """Whether an operand is transposed already: what undoes that would be a name of it, no array.

    See Note [One name for a buffer].
    """
    op = maker(x)
    while op is not None and op.name == _RESHAPE:
        op = maker(op.operands[0])
    return op is not None and op.name == _TRANSPOSE


def _written(x: ir.Value, y: ir.Value, z: ir.Type, form: _Form) -> ir.Value:
    x, y = (_as_matrices(v, form) for v in (x, y))
    if form.is_first:
        return _product(_array(_transposed(x)), y, z)
    swapped = tensor((*form.batch, form.columns, form.rows), z.element_type)
    return _transposed(_array(_product(_array(_transposed(y)), x, swapped)))


def _as_matrices(x: ir.Value, form: _Form) -> ir.Value:
    shape = *form.batch, form.summed, x.type.shape[-1]
    if tuple(x.type.shape) == shape:
        return x
    return _hlo("reshape", x, type=tensor(shape, x.type.element_type))


def _transposed(x: ir.Value) -> ir.Value:
    *batch, rows, columns = x.type.shape
    n = len(batch)
    order = Ints.encode((*range(n), n + 1, n))
    type_ = tensor((*batch, columns, rows), x.type.element_type)
    return _hlo("transpose", x, type=type_, permutation=order)


def _array(x: ir.Value) -> ir.Value:
    return ir.Operation.create(_BARRIER, [x.type], [x]).result


def _product(x: ir.Value, y: ir.Value, z: ir.Type) -> ir.Value:
    n = z.rank - 2
    batch = tuple(range(n))
    numbers = DotDimensions.encode(DotDims(batch, batch, (n + 1,), (n,)))
    return _hlo("dot_general", x, y, type=z, dot_dimension_numbers=numbers)
