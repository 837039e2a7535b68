"""`convolution`: dot products of a kernel with the windows of an array.

Linear in each operand.  Both adjoints are convolutions, with the roles of the axes, strides and
paddings exchanged: for the input, the reversed kernel slides over the cotangent; for the kernel,
the cotangent slides over the input.
Source: StableHLO specification, `convolution`; constraints are cited by its numbers.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.families import Bilinear, check_axes, check_kind
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Operand, Result, Value, emit
from anvl.dialect.core.params.base import Int, Precision, WiderDtype
from anvl.dialect.core.params.window_params import (
    ConvDimensions,
    ConvDims,
    OptionalBools,
    OptionalPadding,
    Steps,
    entries_text,
)
from anvl.dialect.core.types import dtype_name, element_type, kind, shape_text, tensor
from anvl.dialect.ops.array.axes import merged, taken_out
from anvl.dialect.ops.elementwise.upcast import cotangent_beside, in_dtype_of, wider_element
from anvl.dialect.sparsity.combinations import convolution_dependence

__all__ = ["ConvolutionOp"]


class ConvolutionOp(Bilinear, name="convolution"):
    """Convolve: z[n, j, o] = the sum of x[n, j stride + k dilation, i] y[k, i, o] over k and i.

    `dimension_numbers` names the axes of batch n, positions j and k, and features i and o.
    `lhs_dilation` and `padding` insert zeros between and around the elements of x, negative padding
    removes elements; `rhs_dilation` dilates the kernel, `window_reversal` reverses it.  Features,
    or the batch, may be split into groups, each with its part of the kernel.  By default strides
    and dilations are 1, paddings 0, and windows not reversed.  The result may have a wider `dtype`
    than the operands.  StableHLO `convolution`.
    """

    x: Operand
    y: Operand
    window_strides: Steps
    padding: OptionalPadding
    lhs_dilation: Steps
    rhs_dilation: Steps
    window_reversal: OptionalBools
    dimension_numbers: ConvDimensions
    feature_group_count: Int
    batch_group_count: Int
    precision_config: Precision
    dtype: WiderDtype
    z: Result
    hlo = "convolution"

    @classmethod
    def work(cls, op: ir.Operation) -> int:
        kernel, features = op.operands[1].type, cls.read(op)["dimension_numbers"]
        count = max(1, kernel.shape[features.kernel_output_feature])
        return 2 * math.prod(op.results[0].type.shape) * math.prod(kernel.shape) // count

    @classmethod
    def result_type(cls, x: Any, y: Any, **params: Any) -> Any:
        check_kind("convolution", x, "bool int uint float complex")
        conv = _Conv.of(**params)
        conv.check(x, y)
        xs, ys, dims = x.shape, y.shape, conv.dims
        shape = [0] * x.rank
        shape[dims.output_batch] = xs[dims.input_batch] // conv.batch_groups
        shape[dims.output_feature] = ys[dims.kernel_output_feature]
        for axis, n in zip(dims.output_spatial, conv.counts(xs, ys), strict=True):
            shape[axis] = n
        return tensor(shape, wider_element("convolution", x, conv.dtype))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], z: Value, **params: Any) -> Sequence[Any]:
        x, y = xs
        conv = _Conv.of(**params)
        if _empty(x, y, g):
            return [lambda: zeros_like(x), lambda: zeros_like(y)]

        def of_input() -> Value:
            cotangent, kernel, dtype = cotangent_beside(g, y)
            part = conv._replace(dtype=dtype).adjoint_of_input(cotangent, x, kernel)
            return in_dtype_of(x, part)

        def of_kernel() -> Value:
            cotangent, given, dtype = cotangent_beside(g, x)
            part = conv._replace(dtype=dtype).adjoint_of_kernel(cotangent, given, y)
            return in_dtype_of(y, part)

        return [of_input, of_kernel]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], **params: Any) -> Value:
        conv = _Conv.of(**params)
        if all(batched):
            return conv.batch_both(*xs)
        return conv.batch_input(*xs) if batched[0] else conv.batch_kernel(*xs)

    @classmethod
    def on_platform(cls, platform: str, xs: Sequence[Value], **params: Any) -> Any:
        """Only XLA's CPU convolves complex numbers; elsewhere their parts are."""
        if kind(xs[0].type.element_type) != "complex":
            return None
        conv = _Conv.of(**params)
        if conv.dtype is not None:
            part = ir.ComplexType(element_type(conv.dtype)).element_type
            conv = conv._replace(dtype=dtype_name(part))
        (a, b), (c, d) = ((emit.real(v), emit.imag(v)) for v in xs)
        real = emit.sub(conv.emit(a, c), conv.emit(b, d))
        return [emit.complex(real, emit.add(conv.emit(a, d), conv.emit(b, c)))]

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], **params: Any) -> Any:
        return convolution_dependence(deps, xs, _Conv.of(**params))

    @classmethod
    def narrowed(cls, xs: Sequence[Value], dtype: str, /, **params: Any) -> Value:
        return cls.build(*xs, **{**params, "dtype": dtype})

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], **params: Any) -> Any:
        """Batch and output features pass; input features are contracted, with 0 in both."""
        (x, y), conv = xs, _Conv.of(**params)
        dims = conv.dims
        x = pads.widened(x, _renamed(pads.wanted, {dims.output_batch: dims.input_batch}))
        y = pads.widened(
            y, _renamed(pads.wanted, {dims.output_feature: dims.kernel_output_feature})
        )
        y = pads.widened(y, _renamed(x.axes, {dims.input_feature: dims.kernel_input_feature}))
        x = pads.widened(x, _renamed(y.axes, {dims.kernel_input_feature: dims.input_feature}))
        pads.check_unused([x], dims.input_spatial, _SPATIAL)
        pads.check_unused([y], dims.kernel_spatial, _SPATIAL)
        if conv.feature_groups > 1 or conv.batch_groups > 1:
            grouped = "it is split into groups"
            pads.check_unused([x], (dims.input_batch, dims.input_feature), grouped)
            pads.check_unused([y], (dims.kernel_input_feature, dims.kernel_output_feature), grouped)
        z = conv.emit(
            pads.masked(x, 0, (dims.input_feature,)),
            pads.masked(y, 0, (dims.kernel_input_feature,)),
        )
        return z, {
            **_renamed(x.axes, {dims.input_batch: dims.output_batch}),
            **_renamed(y.axes, {dims.kernel_output_feature: dims.output_feature}),
        }

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return [call for make in (_plain_calls, _group_calls) for call in draw.calls(*make(draw))]


_SPATIAL = "a window reaches from true positions into the padding"


def _renamed(axes: Mapping[int, Any], names: Mapping[int, int]) -> dict[int, Any]:
    """The lengths of these axes, by the axes that `names` gives them; others are left out."""
    return {names[a]: length for a, length in axes.items() if a in names}


class _Conv(NamedTuple):
    """Parameters of a convolution, under shorter names."""

    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    lhs_dilation: tuple[int, ...]
    rhs_dilation: tuple[int, ...]
    reversal: tuple[bool, ...]
    dims: ConvDims
    feature_groups: int
    batch_groups: int
    precision: str
    dtype: str | None

    @classmethod
    def of(
        cls, *, dimension_numbers: ConvDims, feature_group_count: int, batch_group_count: int,
        window_strides: Any = None, padding: Any = None, lhs_dilation: Any = None,
        rhs_dilation: Any = None, window_reversal: Any = None, precision_config: str = "DEFAULT",
        dtype: str | None = None,
    ) -> "_Conv":  # fmt: skip
        """Make one from the op's parameters, where None stands for each axis's default."""

        def each(given: Any, default: Any) -> Any:
            return (default,) * len(dimension_numbers.input_spatial) if given is None else given

        return cls(
            each(window_strides, 1), each(padding, (0, 0)), each(lhs_dilation, 1),
            each(rhs_dilation, 1), each(window_reversal, False),
            dimension_numbers, feature_group_count, batch_group_count, precision_config, dtype,
        )  # fmt: skip

    def emit(self, x: Value, y: Value) -> Value:
        return emit.convolution(
            x,
            y,
            window_strides=self.strides,
            padding=self.padding,
            lhs_dilation=self.lhs_dilation,
            rhs_dilation=self.rhs_dilation,
            window_reversal=self.reversal,
            dimension_numbers=self.dims,
            feature_group_count=self.feature_groups,
            batch_group_count=self.batch_groups,
            precision_config=self.precision,
            dtype=self.dtype,
        )

    # -- type --------------------------------------------------------------------------------------

    def check(self, x: Any, y: Any) -> None:
        """Raise TypeError for violated constraints of the specification."""
        if x.element_type != y.element_type or x.rank != y.rank:  # C1, C27
            raise TypeError(f"convolution: operands {x} and {y} must have one dtype and one rank")
        self._check_dims(x, y)
        for word, entries in self._steps().items():  # C2 to C9
            if len(entries) != x.rank - 2:
                raise TypeError(
                    f"convolution: {word} {entries_text(entries)} must have one entry for each of "
                    f"the {x.rank - 2} spatial axes of {x}"
                )
            if word not in _SIGNED and any(n < 1 for n in entries):
                raise TypeError(
                    f"convolution: {word} {shape_text(entries)} of {x} and {y} must be positive"
                )
        self._check_groups(x, y)
        if any(y.shape[axis] == 0 for axis in self.dims.kernel_spatial):
            raise TypeError(  # required by StableHLO's verifier, not by the specification
                f"convolution: the kernel {y} is empty along one of its spatial axes "
                f"{shape_text(self.dims.kernel_spatial)}; windows have at least 1 element"
            )
        for i, n in enumerate(self._padded(x.shape)):
            if n < 0:
                raise TypeError(
                    f"convolution: padding {shape_text(self.padding[i])} removes more elements "
                    f"than there are along axis {self.dims.input_spatial[i]} of {x}"
                )

    def _steps(self) -> dict[str, tuple[Any, ...]]:
        return {
            "window_strides": self.strides,
            "padding": self.padding,
            "lhs_dilation": self.lhs_dilation,
            "rhs_dilation": self.rhs_dilation,
            "window_reversal": self.reversal,
        }

    def _check_dims(self, x: Any, y: Any) -> None:
        """C12, C13 and C17 to C20: each axis of each array is named once."""
        d = self.dims
        sides = {
            "input": (d.input_batch, d.input_feature, *d.input_spatial),
            "kernel": (d.kernel_input_feature, d.kernel_output_feature, *d.kernel_spatial),
            "output": (d.output_batch, d.output_feature, *d.output_spatial),
        }
        for side, axes in sides.items():
            if len(axes) != x.rank:
                raise TypeError(
                    f"convolution: dimension_numbers name {len(axes)} {side} axes, "
                    f"{shape_text(axes)}, but the operands {x} and {y} have {x.rank}"
                )
            of = {"input": x, "kernel": y, "output": f"the result of {x}"}[side]
            check_axes(f"convolution: {side} axes {shape_text(axes)}", axes, x.rank, of)

    def _check_groups(self, x: Any, y: Any) -> None:
        """C10, C11, C14 to C16 and C21 to C23."""
        f, b = self.feature_groups, self.batch_groups
        if f < 1 or b < 1 or (f > 1 and b > 1):
            raise TypeError(
                f"convolution: feature_group_count {f} and batch_group_count {b}, of {x} and {y}, "
                "must be positive, and one of them 1"
            )
        d, xs, ys = self.dims, x.shape, y.shape
        for count, size, what in (
            (b, xs[d.input_batch], f"the batch axis of {x}"),
            (f, xs[d.input_feature], f"the feature axis of {x}"),
            (b * f, ys[d.kernel_output_feature], f"the output feature axis of {y}"),
        ):
            if size % count:
                raise TypeError(f"convolution: {what} is {size}, not a multiple of {count} groups")
        if ys[d.kernel_input_feature] != xs[d.input_feature] // f:
            raise TypeError(
                f"convolution: the kernel {y} takes {ys[d.kernel_input_feature]} features, but "
                f"{x} has {xs[d.input_feature] // f} in each of {f} groups"
            )

    def _padded(self, xs: Sequence[int]) -> list[int]:
        return [
            low + _dilated_size(xs[axis], inner) + high
            for axis, inner, (low, high) in zip(
                self.dims.input_spatial, self.lhs_dilation, self.padding, strict=True
            )
        ]

    def counts(self, xs: Sequence[int], ys: Sequence[int]) -> list[int]:
        """C25: number of windows along each spatial axis."""
        sizes = self._sizes(ys, self.dims.kernel_spatial)
        spans = [_dilated_size(n, d) for n, d in zip(sizes, self.rhs_dilation, strict=True)]
        return [
            0 if n == 0 or span > n else (n - span) // stride + 1
            for n, span, stride in zip(self._padded(xs), spans, self.strides, strict=True)
        ]

    @staticmethod
    def _sizes(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
        return [shape[axis] for axis in axes]

    # -- adjoints ----------------------------------------------------------------------------------

    def adjoint_of_input(self, g: Value, x: Value, y: Value) -> Value:
        """Convolve the cotangent, dilated by the strides, with the reversed kernel.

        With low the padding: dx[i] sums g[j] y[k] where j stride + k dilation = low + i base.  Read
        from its last element the kernel reaches there from i base - ((size - 1) dilation - low).
        """
        d = self.dims
        groups = self.feature_groups * self.batch_groups
        turned = y
        if groups > 1:  # groups of output features become groups of input features
            turned = merged(taken_out(y, d.kernel_output_feature, groups), d.kernel_input_feature)
        # Reversed here rather than by `window_reversal`: XLA has no fast convolution with it.
        straight = [axis for axis, r in zip(d.kernel_spatial, self.reversal, strict=True) if not r]
        if straight:
            turned = emit.reverse(turned, dimensions=tuple(straight))
        conv = self._replace(
            strides=self.lhs_dilation,
            lhs_dilation=self.strides,
            padding=self._padding_for_input(g, x, y),
            reversal=(False,) * len(self.reversal),
            dims=ConvDims(
                *d[6:], d.kernel_output_feature, d.kernel_input_feature, d.kernel_spatial, *d[:3]
            ),
            feature_groups=groups,
            batch_groups=1,
        )
        dx = conv.emit(g, turned)
        if self.batch_groups == 1:
            return dx
        return merged(taken_out(dx, d.input_feature, groups), d.input_batch)

    def _padding_for_input(self, g: Value, x: Value, y: Value) -> tuple[tuple[int, int], ...]:
        d, padding = self.dims, []
        for i, axis in enumerate(d.input_spatial):
            reach = (y.type.shape[d.kernel_spatial[i]] - 1) * self.rhs_dilation[i]
            low = reach - self.padding[i][0]
            wanted = _dilated_size(x.type.shape[axis], self.lhs_dilation[i]) + reach
            there = _dilated_size(g.type.shape[d.output_spatial[i]], self.strides[i])
            padding.append((low, wanted - low - there))
        return tuple(padding)

    def adjoint_of_kernel(self, g: Value, x: Value, y: Value) -> Value:
        """Convolve the input with the cotangent: dy[k] sums x[j stride + k dilation] g[j].

        The batch is summed over and takes the place of the features; batch groups become feature
        groups and vice versa.
        """
        d, padding = self.dims, []
        for i, axis in enumerate(d.input_spatial):
            low = self.padding[i][0]
            wanted = (
                (y.type.shape[d.kernel_spatial[i]] - 1) * self.rhs_dilation[i]
                + _dilated_size(g.type.shape[d.output_spatial[i]], self.strides[i])
            )  # fmt: skip
            padding.append(
                (low, wanted - low - _dilated_size(x.type.shape[axis], self.lhs_dilation[i]))
            )
        conv = self._replace(
            strides=self.rhs_dilation,
            rhs_dilation=self.strides,
            padding=tuple(padding),
            reversal=(False,) * len(padding),
            dims=ConvDims(
                d.input_feature, d.input_batch, d.input_spatial,
                d.output_batch, d.output_feature, d.output_spatial,
                d.kernel_input_feature, d.kernel_output_feature, d.kernel_spatial,
            ),
            feature_groups=self.batch_groups,
            batch_groups=self.feature_groups,
        )  # fmt: skip
        turned = tuple(axis for axis, r in zip(d.kernel_spatial, self.reversal, strict=True) if r)
        dy = conv.emit(x, g)
        return emit.reverse(dy, dimensions=turned) if turned else dy

    # -- batching ----------------------------------------------------------------------------------

    def batch_both(self, x: Value, y: Value) -> Value:
        """Make each member a group: of the batch if that is grouped, else of the features."""
        d, count = self.dims, x.type.shape[0]
        kernel = merged(y, d.kernel_output_feature)
        if self.batch_groups > 1:
            conv = self._replace(batch_groups=count * self.batch_groups)
            z = conv.emit(merged(x, d.input_batch), kernel)
        else:
            conv = self._replace(feature_groups=count * self.feature_groups)
            z = conv.emit(merged(x, d.input_feature), kernel)
        return taken_out(z, d.output_feature, count)

    def batch_input(self, x: Value, y: Value) -> Value:
        """Merge the members into the batch."""
        count = x.type.shape[0]
        z = self.emit(merged(x, self.dims.input_batch, self.batch_groups), y)
        return taken_out(z, self.dims.output_batch, count)

    def batch_kernel(self, x: Value, y: Value) -> Value:
        """Merge the members into the output features, within each group."""
        count, groups = y.type.shape[0], self.feature_groups * self.batch_groups
        z = self.emit(x, merged(y, self.dims.kernel_output_feature, groups))
        return taken_out(z, self.dims.output_feature, count, groups)


_SIGNED = ("padding", "window_reversal")


def _dilated_size(n: int, step: int) -> int:
    """Extent of n elements that are `step` apart."""
    return (n - 1) * step + 1 if n else 0


def _empty(*xs: Value) -> bool:
    return any(0 in x.type.shape for x in xs)


# -- samples ---------------------------------------------------------------------------------------

_NHC = ConvDims(0, 2, (1,), 1, 2, (0,), 0, 2, (1,))  # batch, position, feature; position, in, out


def _over(dims: ConvDims, features: int = 1, batches: int = 1, **rest: Any) -> dict[str, Any]:
    n = len(dims.input_spatial)
    plain = {
        "window_strides": (1,) * n, "padding": ((0, 0),) * n, "lhs_dilation": (1,) * n,
        "rhs_dilation": (1,) * n, "window_reversal": (False,) * n, "dimension_numbers": dims,
        "feature_group_count": features, "batch_group_count": batches,
    }  # fmt: skip
    return plain | rest


def _required_only(dims: ConvDims) -> dict[str, Any]:
    """Only the required parameters."""
    return {"dimension_numbers": dims, "feature_group_count": 1, "batch_group_count": 1}


def _plain_calls(draw: Any) -> list[Any]:
    nchw = ConvDims(0, 1, (2, 3), 1, 0, (2, 3), 0, 1, (2, 3))
    mixed = ConvDims(2, 0, (3, 1), 3, 1, (2, 0), 1, 2, (3, 0))
    every: dict[str, Any] = {
        "window_strides": (2, 1), "padding": ((1, -1), (2, 1)), "lhs_dilation": (1, 2),
        "rhs_dilation": (2, 1), "window_reversal": (True, False),
    }  # fmt: skip
    wide = [draw.floats(2, 4, 2, 6), draw.floats(3, 2, 2, 2)]
    narrow = [x.astype("float32") for x in wide]
    return [
        ([draw.floats(2, 5, 3), draw.floats(3, 3, 2)], _over(_NHC)),
        ([draw.floats(2, 2, 5, 4), draw.floats(3, 2, 2, 3)], _over(nchw, padding=((1, 1), (0, 2)))),
        ([draw.floats(2, 4, 2, 6), draw.floats(3, 2, 2, 2)], _over(mixed, **every)),
        ([draw.floats(2, 3), draw.floats(3, 4)], _over(ConvDims(0, 1, (), 0, 1, (), 0, 1, ()))),
        ([draw.floats(1, 6, 1), draw.floats(2, 1, 1)], _over(_NHC, window_strides=(3,))),
        ([draw.floats(1, 2, 1), draw.floats(3, 1, 1)], _over(_NHC)),
        ([draw.floats(0, 4, 1), draw.floats(2, 1, 2)], _over(_NHC)),
        ([draw.ints(2, 5, 3), draw.ints(3, 3, 2)], _over(_NHC, padding=((1, 0),))),
        (narrow, _over(mixed, dtype="f64", **every)),
        (wide, _over(mixed, dtype="f64", **every)),
        (
            [draw.ints(1, 4, 2, dtype="i8"), draw.ints(2, 2, 1, dtype="i8")],
            _over(_NHC, dtype="i32"),
        ),
        ([draw.floats(1, 4, 1), draw.floats(2, 1, 1)], _required_only(_NHC)),
    ]


def _group_calls(draw: Any) -> list[Any]:
    every: dict[str, Any] = {
        "window_strides": (2,), "padding": ((2, 1),), "lhs_dilation": (2,), "rhs_dilation": (3,),
        "window_reversal": (True,), "precision_config": "HIGHEST",
    }  # fmt: skip
    return [
        ([draw.floats(2, 5, 4), draw.floats(3, 2, 6)], _over(_NHC, features=2)),
        ([draw.floats(2, 5, 3), draw.floats(2, 1, 6)], _over(_NHC, features=3, **every)),
        ([draw.floats(4, 5, 2), draw.floats(3, 2, 6)], _over(_NHC, batches=2)),
        ([draw.floats(6, 5, 2), draw.floats(2, 2, 3)], _over(_NHC, batches=3, **every)),
    ]
