"""What ops of windows refuse: `reduce_window`, `select_and_scatter`, `convolution`."""

from typing import Any

from constraints import Row, about, of_fields

from anvl.dialect.core.op import emit
from anvl.dialect.core.params.window_params import ConvDims


def windows(
    rule: str, operands: str, says: str, sizes: Any = (2, 3), *, body: Any = emit.add, **rest: Any
) -> Row:
    params = {"window_dimensions": sizes, "body": body, **rest}
    return Row("reduce_window", rule, operands, says, params, only=about(says, "body"))


def _keeps(best: Any, new: Any) -> Any:
    return emit.compare(best, new, comparison_direction="GE")


def selects(
    rule: str, operands: str, says: str, sizes: Any = (2, 3), *, select: Any = _keeps,
    scatter: Any = emit.add, **rest: Any,
) -> Row:  # fmt: skip
    params = {"window_dimensions": sizes, "select": select, "scatter": scatter, **rest}
    only = about(says, "select", "scatter")
    return Row("select_and_scatter", rule, operands, says, params, only=only)


# Batch, two places, features: 2x6x5x4 by a kernel of 3x2 places, 4 features in and 8 out.
NHWC = ConvDims(0, 3, (1, 2), 2, 3, (0, 1), 0, 3, (1, 2))
PLAIN: dict[str, Any] = {
    "window_strides": (1, 1),
    "padding": ((0, 0), (0, 0)),
    "lhs_dilation": (1, 1),
    "rhs_dilation": (1, 1),
    "window_reversal": (False, False),
    "dimension_numbers": NHWC,
    "feature_group_count": 1,
    "batch_group_count": 1,
}
IMAGES = "2x6x5x4xf32 3x2x4x8xf32"


def conv(
    rule: str, says: str, operands: str = IMAGES, *, dims: Any = None, only: str = "",
    results: str = "", error: type[Exception] = TypeError, **rest: Any,
) -> Row:  # fmt: skip
    numbers = {} if dims is None else {"dimension_numbers": NHWC._replace(**dims)}
    params = PLAIN | numbers | rest
    return Row("convolution", rule, operands, says, params, results, only, error)


# fmt: off
REDUCE_WINDOW = [
    windows("C1", "4x5xf32", "takes one initial value per array, got tensor<4x5xf32>"),
    windows("C1", "", "takes one initial value per array, got none"),
    windows("C1", "4x5xf32 4x5xf32 f32", "takes one initial value per array, got tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>"),
    windows("C2", "4x5xf32 4x4xf32 f32 f32", "arrays tensor<4x5xf32>, tensor<4x4xf32> differ in shape"),
    windows("C3", "4x5xf32 f64", "initial value tensor<f64> of array tensor<4x5xf32> must be tensor<f32>"),
    windows("I2", "4x5xf32 1xf32", "initial value tensor<1xf32> of array tensor<4x5xf32> must be tensor<f32>"),
    windows("C4", "4x5xf32 f32", "window_dimensions [2] must have one entry for each axis of tensor<4x5xf32>", (2,)),
    windows("C5", "4x5xf32 f32", "window_dimensions [0, 3] of tensor<4x5xf32> must be positive", (0, 3)),
    windows("C5", "4x5xf32 f32", "window_dimensions [2, -3] of tensor<4x5xf32> must be positive", (2, -3)),
    windows("C6", "4x5xf32 f32", "window_strides [1, 1, 1] must have one entry for each axis of tensor<4x5xf32>", window_strides=(1, 1, 1)),
    windows("C7", "4x5xf32 f32", "window_strides [1, 0] of tensor<4x5xf32> must be positive", window_strides=(1, 0)),
    windows("C8", "4x5xf32 f32", "base_dilations [1] must have one entry for each axis of tensor<4x5xf32>", base_dilations=(1,)),
    windows("C9", "4x5xf32 f32", "base_dilations [0, 1] of tensor<4x5xf32> must be positive", base_dilations=(0, 1)),
    windows("C10", "4x5xf32 f32", "window_dilations [] must have one entry for each axis of tensor<4x5xf32>", window_dilations=()),
    windows("C11", "4x5xf32 f32", "window_dilations [-1, 1] of tensor<4x5xf32> must be positive", window_dilations=(-1, 1)),
    windows("C12", "4x5xf32 f32", "padding [[0, 0]] must have one entry for each axis of tensor<4x5xf32>", padding=((0, 0),)),
    windows("C12", "4x5xf32 f32", "padding is ((0, 0, 0), (0, 0, 0)); it must be a tuple of pairs of integers, (low, high)", padding=((0, 0, 0), (0, 0, 0))),
    windows("C12", "4x5xf32 f32", "padding [[0, 0], [-3, -3]] removes more elements than there are along axis 1 of tensor<4x5xf32>", padding=((0, 0), (-3, -3))),
    windows("C13", "4x5xf32 f32", "body returns tensor<f64> but must return tensor<f32>", body=lambda x, y: emit.convert(x, dtype="f64")),
    windows("C13", "4x5xf32 f32", "body returns tensor<2xf32> but must return tensor<f32>", body=lambda x, y: emit.broadcast_in_dim(x, shape=(2,), broadcast_dimensions=())),
    windows("C13", "4x5xf32 f32", "body returns tensor<f32>, tensor<f32> but must return tensor<f32>", body=lambda x, y: (x, y)),
    windows("C13", "4x5xf32 4x5xi32 f32 i32", "body takes (x, y) but is called with 4 scalars, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>", body=lambda x, y: x),
    windows("C13", "4x5xf32 f32", "body returns 1.0 of type float but must return tensor<f32>, made of its arguments", body=lambda x, y: 1.0),
    windows("I3", "4x5xf32 f32", "window_dimensions is (2, 'x'); it must be a tuple of integers", (2, "x")),
    windows("I4", "4x5xf32 f32", "window_strides is (1, 0.5); it must be a tuple of integers", window_strides=(1, 0.5)),
    windows("I5", "4x5xf32 f32", "base_dilations is 'x'; it must be a tuple of integers", base_dilations="x"),
    windows("I6", "4x5xf32 f32", "window_dilations is (True, 1); it must be a tuple of integers", window_dilations=(True, 1)),
    windows("I7", "4x5xf32 f32", "padding is 'SAME'; it must be a tuple of pairs of integers, (low, high)", padding="SAME"),
    windows("I8", "4x5xf32 f32", "body is None; it must be a function of scalars", body=None),
]

SELECT_AND_SCATTER = [
    selects("C1", "4x5xf32 3x3xf64 f32", "source is tensor<3x3xf64>; windows of [2, 3] on tensor<4x5xf32> take tensor<3x3xf32>"),
    selects("C2", "4x5xf32 3x5xf32 f32", "source is tensor<3x5xf32>; windows of [2, 3] on tensor<4x5xf32> take tensor<3x3xf32>"),
    selects("C3", "4x5xf32 3x3xf32 i32", "initial value is tensor<i32>; it must be tensor<f32>, of the dtype of tensor<4x5xf32>"),
    selects("I3", "4x5xf32 3x3xf32 3xf32", "initial value is tensor<3xf32>; it must be tensor<f32>"),
    selects("C4", "4x5xf32 3x3xf32 f32", "window_dimensions [2] must have one entry for each axis of tensor<4x5xf32>", (2,)),
    selects("C5", "4x5xf32 3x3xf32 f32", "window_dimensions [2, 0] of tensor<4x5xf32> must be positive", (2, 0)),
    selects("C6", "4x5xf32 3x3xf32 f32", "window_strides [1] must have one entry for each axis of tensor<4x5xf32>", window_strides=(1,)),
    selects("C7", "4x5xf32 3x3xf32 f32", "window_strides [0, 1] of tensor<4x5xf32> must be positive", window_strides=(0, 1)),
    selects("C8", "4x5xf32 3x3xf32 f32", "padding [[0, 0]] must have one entry for each axis of tensor<4x5xf32>", padding=((0, 0),)),
    selects("C8", "4x5xf32 3x3xf32 f32", "padding [[-3, -2], [0, 0]] removes more elements than there are along axis 0 of tensor<4x5xf32>", padding=((-3, -2), (0, 0))),
    selects("C9", "4x5xf32 3x3xf32 f32", "select returns tensor<f32> but must return tensor<i1>", select=emit.add),
    selects("C9", "4x5xf32 3x3xf32 f32", "select returns tensor<i1>, tensor<i1> but must return tensor<i1>", select=lambda x, y: [_keeps(x, y)] * 2),
    selects("C9", "4x5xf32 3x3xf32 f32", "select takes (x) but is called with 2 scalars, tensor<f32>, tensor<f32>", select=lambda x: x),
    selects("C10", "4x5xf32 3x3xf32 f32", "scatter returns tensor<i1> but must return tensor<f32>", scatter=_keeps),
    selects("C10", "4x5xf32 3x3xf32 f32", "scatter takes () but is called with 2 scalars, tensor<f32>, tensor<f32>", scatter=lambda: 0),
    selects("I4", "4x5xf32 3x3xf32 f32", "window_dimensions is None; it must be a tuple of integers", None),
    selects("I5", "4x5xf32 3x3xf32 f32", "window_strides is 'x'; it must be a tuple of integers", window_strides="x"),
    selects("I6", "4x5xf32 3x3xf32 f32", "padding is 'SAME'; it must be a tuple of pairs of integers, (low, high)", padding="SAME"),
    selects("I7", "4x5xf32 3x3xf32 f32", "select is 'GE'; it must be a function of scalars", select="GE"),
    selects("I8", "4x5xf32 3x3xf32 f32", "scatter is 'add'; it must be a function of scalars", scatter="add"),
]

CONVOLUTION = [
    conv("C1", "operands tensor<2x6x5x4xf32> and tensor<3x4x8xf32> must have one dtype and one rank", "2x6x5x4xf32 3x4x8xf32"),
    conv("C1", "dimension_numbers name 4 input axes, [0, 3, 1, 2], but the operands tensor<6xf32> and tensor<3xf32> have 1", "6xf32 3xf32"),
    conv("C2", "window_strides [1] must have one entry for each of the 2 spatial axes of tensor<2x6x5x4xf32>", window_strides=(1,)),
    conv("C3", "window_strides [1, 0] of tensor<2x6x5x4xf32> and tensor<3x2x4x8xf32> must be positive", window_strides=(1, 0)),
    conv("C4", "padding [[0, 0]] must have one entry for each of the 2 spatial axes of tensor<2x6x5x4xf32>", padding=((0, 0),)),
    conv("C4", "padding [-4, -3] removes more elements than there are along axis 1 of tensor<2x6x5x4xf32>", padding=((-4, -3), (0, 0))),
    conv("C5", "lhs_dilation [1, 1, 1] must have one entry for each of the 2 spatial axes of tensor<2x6x5x4xf32>", lhs_dilation=(1, 1, 1)),
    conv("C6", "lhs_dilation [-1, 1] of tensor<2x6x5x4xf32> and tensor<3x2x4x8xf32> must be positive", lhs_dilation=(-1, 1)),
    conv("C7", "rhs_dilation [] must have one entry for each of the 2 spatial axes of tensor<2x6x5x4xf32>", rhs_dilation=()),
    conv("C8", "rhs_dilation [1, 0] of tensor<2x6x5x4xf32> and tensor<3x2x4x8xf32> must be positive", rhs_dilation=(1, 0)),
    conv("C9", "window_reversal [False] must have one entry for each of the 2 spatial axes of tensor<2x6x5x4xf32>", window_reversal=(False,)),
    conv("C10", "the batch axis of tensor<2x6x5x4xf32> is 2, not a multiple of 3 groups", batch_group_count=3),
    conv("C11", "the feature axis of tensor<2x6x5x4xf32> is 4, not a multiple of 3 groups", feature_group_count=3),
    conv("C12", "dimension_numbers name 3 input axes, [0, 3, 1], but the operands tensor<2x6x5x4xf32> and tensor<3x2x4x8xf32> have 4", dims={"input_spatial": (1,)}),
    conv("C13", "input axes [0, 3, 1, 1] repeat an axis of tensor<2x6x5x4xf32>", dims={"input_spatial": (1, 1)}),
    conv("C13", "input axes [4, 3, 1, 2]: 4 is not an axis of tensor<2x6x5x4xf32>", dims={"input_batch": 4}),
    conv("C13", "input axes [0, -1, 1, 2]: -1 is not an axis of tensor<2x6x5x4xf32>", dims={"input_feature": -1}),
    conv("C14", "the kernel tensor<3x2x3x8xf32> takes 3 features, but tensor<2x6x5x4xf32> has 4 in each of 1 groups", "2x6x5x4xf32 3x2x3x8xf32"),
    conv("C14", "the kernel tensor<3x2x4x8xf32> takes 4 features, but tensor<2x6x5x4xf32> has 2 in each of 2 groups", feature_group_count=2),
    conv("C15", "the output feature axis of tensor<3x2x4x9xf32> is 9, not a multiple of 2 groups", "2x6x5x4xf32 3x2x4x9xf32", batch_group_count=2),
    conv("C16", "the output feature axis of tensor<3x2x2x9xf32> is 9, not a multiple of 2 groups", "2x6x5x4xf32 3x2x2x9xf32", feature_group_count=2),
    conv("C17", "dimension_numbers name 5 kernel axes, [2, 3, 0, 1, 1], but the operands", dims={"kernel_spatial": (0, 1, 1)}),
    conv("C18", "kernel axes [2, 2, 0, 1] repeat an axis of tensor<3x2x4x8xf32>", dims={"kernel_output_feature": 2}),
    conv("C18", "kernel axes [2, 3, 0, 4]: 4 is not an axis of tensor<3x2x4x8xf32>", dims={"kernel_spatial": (0, 4)}),
    conv("C19", "dimension_numbers name 3 output axes, [0, 3, 1], but the operands", dims={"output_spatial": (1,)}),
    conv("C20", "output axes [0, 0, 1, 2] repeat an axis of the result of tensor<2x6x5x4xf32>", dims={"output_feature": 0}),
    conv("C20", "output axes [4, 3, 1, 2]: 4 is not an axis of the result of tensor<2x6x5x4xf32>", dims={"output_batch": 4}),
    conv("C21", "feature_group_count 0 and batch_group_count 1, of tensor<2x6x5x4xf32> and tensor<3x2x4x8xf32>, must be positive, and one of them 1", feature_group_count=0),
    conv("C22", "feature_group_count 1 and batch_group_count -2, of tensor<2x6x5x4xf32> and tensor<3x2x4x8xf32>, must be positive, and one of them 1", batch_group_count=-2),
    conv("C23", "feature_group_count 2 and batch_group_count 2, of tensor<2x6x5x4xf32> and tensor<3x2x4x8xf32>, must be positive, and one of them 1", feature_group_count=2, batch_group_count=2),
    conv("C24", "precision_config is ('HIGH', 'LOW'); it must be one of DEFAULT, HIGH, HIGHEST", precision_config=("HIGH", "LOW"), only="python", error=ValueError),
    conv("C25", "result is tensor<2x4x5x8xf32> but the operands give tensor<2x4x4x8xf32>", results="2x4x5x8xf32"),
    conv("C26", "result is tensor<2x4x8xf32> but the operands give tensor<2x4x4x8xf32>", results="2x4x8xf32"),
    conv("C27", "operands tensor<2x6x5x4xf32> and tensor<3x2x4x8xf64> must have one dtype and one rank", "2x6x5x4xf32 3x2x4x8xf64"),
    conv("C27", "a result of f32 from tensor<2x6x5x4xf64>; it is f64, or wider of its kind", "2x6x5x4xf64 3x2x4x8xf64", results="2x4x4x8xf32"),
    conv("C27", "a result of i32 from tensor<2x6x5x4xf32>; it is f32, or wider of its kind", dtype="i32", only="python"),
    conv("I3", "dtype is 'f33'; use one of bool, i4", dtype="f33", only="python"),
    conv("I3", "window_strides is (1, None); it must be a tuple of integers", window_strides=(1, None), only="python"),
    conv("I4", "padding is (0, 0); it must be a tuple of pairs of integers, (low, high)", padding=(0, 0), only="python"),
    conv("I7", "window_reversal is (0, 1); it must be a tuple of bools", window_reversal=(0, 1), only="python"),
    conv("I5", "lhs_dilation is 'x'; it must be a tuple of integers", lhs_dilation="x", only="python"),
    conv("I6", "rhs_dilation is 'x'; it must be a tuple of integers", rhs_dilation="x", only="python"),
    conv("I8", "dimension_numbers is 'NHWC'; it must be ConvDims(input_batch, input_feature,", dimension_numbers="NHWC", only="python"),
    *of_fields("convolution", 8, IMAGES, PLAIN, "dimension_numbers"),
    conv("I19", "precision_config is 'BEST'; it must be one of DEFAULT, HIGH, HIGHEST", precision_config="BEST", only="python", error=ValueError),
    conv("I17", "feature_group_count is 1.0; it must be an integer", feature_group_count=1.0, only="python"),
    conv("I18", "batch_group_count is True; it must be an integer", batch_group_count=True, only="python"),
]
# fmt: on

ROWS = [*REDUCE_WINDOW, *SELECT_AND_SCATTER, *CONVOLUTION]
