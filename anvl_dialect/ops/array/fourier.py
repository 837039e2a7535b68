"""`fft`: four kinds of discrete Fourier transform along the last one to three axes.

All are linear.  A cotangent pairs with a tangent as Re(sum(g * t)), so the adjoints are plain
transposes: FFT and IFFT have symmetric matrices and are their own; the adjoints of RFFT and IRFFT
are each other with conjugate frequencies, in which one that stands for two counts half or twice.
Source: StableHLO specification, `fft`.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from anvl.dialect.core.create import literal, zeros_like
from anvl.dialect.core.families import Linear
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Operand, Result, Value, emit
from anvl.dialect.core.params.base import Ints, enum
from anvl.dialect.core.types import dtype_name, element_type, kind, numpy_of, shape_text, tensor
from anvl.dialect.ops.elementwise.complexes import complex_, conj
from anvl.dialect.ops.elementwise.elementary import mul

__all__ = ["FftOp"]

# Note [Layouts of transforms]
# A LAPACK routine takes its operand in column-major layout, and XLA lets the operand's producer
# write it so; its CPU transforms cannot, and such a program failed at run time (jaxlib 0.10 and
# 0.12).  XLA's own LayoutConstraint, free where the layout is row-major already, prevents this.


def row_major(x: Value) -> Value:
    """Force XLA to lay x out row-major."""
    layout = np.arange(x.type.rank)[::-1].astype(np.int64)
    rows = ir.ArrayAttr.get([ir.DenseElementsAttr.get(layout, type=ir.IndexType.get())])
    attributes = {
        "call_target_name": ir.StringAttr.get("LayoutConstraint"),
        "operand_layouts": rows,
        "result_layouts": rows,
    }
    return ir.Operation.create("stablehlo.custom_call", [x.type], [x], attributes).result


_PAIRS = {"f32": "c64", "f64": "c128"}
_PARTS = {"c64": "f32", "c128": "f64"}


class FftType(enum("fft_type", "FFT", "IFFT", "RFFT", "IRFFT")):  # type: ignore[misc]
    """Kind of transform: forward, inverse, forward of reals, or inverse to reals."""


class FftOp(Linear, name="fft"):
    """Discrete Fourier transform of the last `len(fft_length)` axes.  StableHLO `fft`.

    FFT and IFFT map complex numbers to complex numbers.  RFFT maps reals to the first
    `length // 2 + 1` frequencies of the last axis, which determine the others; IRFFT maps such
    frequencies to reals.  The inverse transforms divide by the number of elements.
    """

    x: Operand
    fft_type: FftType
    fft_length: Ints
    y: Result
    lifts = "stablehlo.fft"

    @classmethod
    def lower(cls, hlo: Any, x: Value, fft_type: str, fft_length: Any) -> Value:
        """See Note [Layouts of transforms]."""
        type_ = cls.result_type(x.type, fft_type, fft_length)
        y = hlo(
            "fft", x, type=type_, fft_type=FftType.encode(fft_type),
            fft_length=Ints.encode(fft_length),
        )  # fmt: skip
        return row_major(y) if hlo.platform == "cpu" and type_.rank > 1 else y

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        return list(op.operands), dict(cls.read(op))

    @classmethod
    def result_type(cls, x: Any, fft_type: str, fft_length: Any) -> Any:
        lengths = tuple(fft_length)
        text = f"fft: fft_length {shape_text(lengths)}"
        _check_dtype(x, fft_type)
        if not 1 <= len(lengths) <= 3:
            raise TypeError(
                f"{text} of {x} must have 1 to 3 lengths, one for each of the last axes"
            )
        if len(lengths) > x.rank:
            raise TypeError(f"{text} names more lengths than {x} has axes")
        if any(n < 0 for n in lengths):
            raise TypeError(f"{text} of {x} must not be negative")
        before = x.shape[: x.rank - len(lengths)]
        half = lengths[-1] // 2 + 1 if lengths[-1] else 0
        found = [*before, *lengths[:-1], half if fft_type == "IRFFT" else lengths[-1]]
        if list(x.shape) != found:
            raise TypeError(
                f"{text} of {fft_type} takes an operand of shape {shape_text(found)}, got {x}; "
                "pad or slice it first"
            )
        if fft_type == "RFFT":
            element = element_type(_PAIRS[dtype_name(x.element_type)])
            return tensor([*before, *lengths[:-1], half], element)
        if fft_type == "IRFFT":
            return tensor([*before, *lengths], element_type(_PARTS[dtype_name(x.element_type)]))
        return x

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, fft_type: str, fft_length: Any
    ) -> Sequence[Any]:
        if 0 in g.type.shape:
            return [None]
        if fft_type == "RFFT":
            return [_of_rfft(g, fft_length)]
        if fft_type == "IRFFT":
            return [_of_irfft(g, fft_length)]
        return [emit.fft(g, fft_type=fft_type, fft_length=fft_length)]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], fft_type: str, fft_length: Any
    ) -> Value:
        return emit.fft(xs[0], fft_type=fft_type, fft_length=fft_length)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], fft_length: Any, **params: Any) -> Any:
        return deps.batched(xs, len(fft_length))[0]

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], fft_type: str, fft_length: Any) -> Any:
        kind = {"fft_type": fft_type, "fft_length": fft_length}
        return pads.stacked(cls.build, xs, len(fft_length), **kind)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def of(fft_type: str, *fft_length: int) -> dict[str, Any]:
            return {"fft_type": fft_type, "fft_length": fft_length}

        return draw.calls(
            ([draw.complexes(5)], of("FFT", 5)),
            ([draw.complexes(2, 3, 4)], of("FFT", 3, 4)),
            ([draw.complexes(2, 3, 2)], of("FFT", 2, 3, 2)),
            ([draw.complexes(2, 6)], of("IFFT", 6)),
            ([draw.complexes(3, 2)], of("IFFT", 3, 2)),
            ([draw.floats(2, 6)], of("RFFT", 6)),
            ([draw.floats(5)], of("RFFT", 5)),
            ([draw.floats(1)], of("RFFT", 1)),
            ([draw.floats(2, 3, 4)], of("RFFT", 3, 4)),
            ([draw.floats(2, 2, 3)], of("RFFT", 2, 2, 3)),
            ([draw.complexes(2, 4)], of("IRFFT", 6)),
            ([draw.complexes(3)], of("IRFFT", 5)),
            ([draw.complexes(2)], of("IRFFT", 2)),
            ([draw.complexes(1)], of("IRFFT", 1)),
            ([draw.complexes(2, 3, 3)], of("IRFFT", 3, 4)),
            ([draw.complexes(2, 3, 3)], of("IRFFT", 2, 3, 5)),
            ([draw.complexes(0, 4)], of("FFT", 4)),
        )


def _check_dtype(x: Any, fft_type: str) -> None:
    wanted, names = ("float", _PAIRS) if fft_type == "RFFT" else ("complex", _PARTS)
    element = x.element_type
    if kind(element) != wanted or dtype_name(element) not in names:
        raise TypeError(f"fft: {fft_type} takes {' or '.join(names)}, got {x}; convert it first")


def _of_rfft(g: Value, lengths: Sequence[int]) -> Value:
    """Transpose of RFFT: IRFFT(conj(g)), where each frequency that stands for two counts half.

    The real part of an FFT of the frequencies, and zeros for the half that is not computed, is the
    same, but twice the work.
    """
    weights = prod(lengths) / _multiplicities(lengths[-1])
    return emit.fft(_weighted(conj(g), weights), fft_type="IRFFT", fft_length=tuple(lengths))


def _of_irfft(g: Value, lengths: Sequence[int]) -> Value:
    """Transpose of IRFFT: conj(RFFT(g)), weighted by frequency multiplicity over length."""
    spectrum = conj(emit.fft(g, fft_type="RFFT", fft_length=tuple(lengths)))
    return _weighted(spectrum, _multiplicities(lengths[-1]) / prod(lengths))


def _multiplicities(n: int) -> Any:
    """How many of n frequencies each of the first n // 2 + 1 stands for: 1 or 2."""
    k = np.arange(n // 2 + 1)
    return np.where((k > 0) & (2 * k != n), 2.0, 1.0)


def _weighted(spectrum: Value, weights: Any) -> Value:
    """Multiply along the last axis."""
    shape, rank = tuple(spectrum.type.shape), spectrum.type.rank
    element = element_type(_PARTS[dtype_name(spectrum.type.element_type)])
    row = literal(weights.astype(numpy_of(element)), tensor([len(weights)], element))
    wide = emit.broadcast_in_dim(row, shape=shape, broadcast_dimensions=(rank - 1,))
    return mul(spectrum, complex_(wide, zeros_like(wide)))
