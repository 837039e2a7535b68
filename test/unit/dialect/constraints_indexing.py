"""What `gather`, `scatter` and the ops of one window refuse, by StableHLO's constraints."""

from typing import Any

from constraints import Row, about, of_fields

from anvl.dialect.core.op import emit
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims


def gather(rule: str, operands: str, says: str, sizes: Any, *, only: str = "", **dims: Any) -> Row:
    params = {"dimension_numbers": GatherDims(**dims), "slice_sizes": sizes}
    return Row("gather", rule, operands, says, params, only=only)


# Rows of a 5x3 array by 4 indices: what is right, but for what each row changes.
RIGHT: dict[str, Any] = {
    "offset_dims": (1,),
    "collapsed_slice_dims": (0,),
    "start_index_map": (0,),
    "index_vector_dim": 1,
}
# One number of each row of a 5x3 array, batched over the rows.
EACH: dict[str, Any] = {
    "collapsed_slice_dims": (1,),
    "operand_batching_dims": (0,),
    "start_indices_batching_dims": (0,),
    "start_index_map": (1,),
    "index_vector_dim": 2,
}

# fmt: off
GATHER = [
    gather("C1", "5x3xf32 4x1xi32", "offset_dims [1], collapsed_slice_dims [] and operand_batching_dims [] together must name all 2 axes of tensor<5x3xf32>", (1, 3), **RIGHT | {"collapsed_slice_dims": ()}),
    gather("C2", "5x3xf32 4x1xi32", "index_vector_dim 3 must be 0 to 2, the rank of tensor<4x1xi32>", (1, 3), **RIGHT | {"index_vector_dim": 3}),
    gather("C2", "5x3xf32 4x1xi32", "index_vector_dim -1 must be 0 to 2", (1, 3), **RIGHT | {"index_vector_dim": -1}),
    gather("C3", "5x3xf32 4x2xi32", "start_index_map [0] must name an axis for each of the 2 components of tensor<4x2xi32> along index_vector_dim 1", (1, 3), **RIGHT),
    gather("C3", "5x3xf32 4xi32", "start_index_map [0, 1] must name an axis for each of the 1 components of tensor<4xi32>", (1, 3), **RIGHT | {"start_index_map": (0, 1)}),
    gather("C4", "5x3xf32 4x1xi32", "offset_dims [1, 1] repeat an axis", (5, 3), **RIGHT | {"offset_dims": (1, 1), "collapsed_slice_dims": ()}),
    gather("C4", "5x3xf32 4x1xi32", "offset_dims [2, 1] must be in ascending order", (5, 3), **RIGHT | {"offset_dims": (2, 1), "collapsed_slice_dims": ()}),
    gather("C5", "5x3xf32 4x1xi32", "offset_dims [2]: 2 is not an axis of the result", (1, 3), **RIGHT | {"offset_dims": (2,)}),
    gather("C5", "5x3xf32 4x1xi32", "offset_dims [-1]: -1 is not an axis of the result", (1, 3), **RIGHT | {"offset_dims": (-1,)}),
    gather("C6", "5x3xf32 5x4x1xi32", "collapsed_slice_dims [0] and operand_batching_dims [0] repeat an axis of tensor<5x3xf32>", (1, 1), **EACH | {"collapsed_slice_dims": (0,)}),
    gather("C7", "5x3xf32 4x1xi32", "collapsed_slice_dims [1, 0] must be in ascending order", (1, 1), **RIGHT | {"offset_dims": (), "collapsed_slice_dims": (1, 0)}),
    gather("C8", "5x3xf32 4x1xi32", "collapsed_slice_dims [2] and operand_batching_dims []: 2 is not an axis of tensor<5x3xf32>", (1, 3), **RIGHT | {"collapsed_slice_dims": (2,)}),
    gather("C8", "5x3xf32 4x1xi32", "collapsed_slice_dims [-1] and operand_batching_dims []: -1 is not an axis", (1, 3), **RIGHT | {"collapsed_slice_dims": (-1,)}),
    gather("C9", "5x3xf32 4x1xi32", "slice_sizes [2, 3] of tensor<5x3xf32> must be at most 1 along collapsed_slice_dims [0]", (2, 3), **RIGHT),
    gather("C10", "5x3xf32 5x3x0xi32", "operand_batching_dims [1, 0] must be in ascending order", (1, 1), operand_batching_dims=(1, 0), start_indices_batching_dims=(1, 0), start_index_map=(), index_vector_dim=2),
    gather("C11", "5x3xf32 5x4x1xi32", "operand_batching_dims [2]: 2 is not an axis of tensor<5x3xf32>", (1, 1), **EACH | {"operand_batching_dims": (2,)}),
    gather("C12", "5x3xf32 5x4x1xi32", "slice_sizes [5, 1] of tensor<5x3xf32> must be at most 1 along operand_batching_dims [0]", (5, 1), **EACH),
    gather("C13", "5x5xf32 5x4x0xi32", "start_indices_batching_dims [0, 0] repeat an axis of tensor<5x4x0xi32>", (1, 1), operand_batching_dims=(0, 1), start_indices_batching_dims=(0, 0), index_vector_dim=2, start_index_map=()),
    gather("C14", "5x3xf32 5x4x1xi32", "start_indices_batching_dims [3]: 3 is not an axis of tensor<5x4x1xi32>", (1, 1), **EACH | {"start_indices_batching_dims": (3,)}),
    gather("C15", "5x3xf32 4x1xi32", "start_indices_batching_dims [1] must not name index_vector_dim 1", (1, 1), **EACH | {"start_indices_batching_dims": (1,), "index_vector_dim": 1, "start_index_map": (1,)}),
    gather("C16", "5x3xf32 5x4x1xi32", "operand_batching_dims [0] and start_indices_batching_dims [] must have equally many entries", (1, 1), **EACH | {"start_indices_batching_dims": ()}),
    gather("C17", "5x3xf32 4x4x1xi32", "axis 0 of tensor<5x3xf32> is batched with axis 0 of tensor<4x4x1xi32>, so their sizes must be equal", (1, 1), **EACH),
    gather("C18", "5x3xf32 5x4x1xi32", "start_index_map [0] and operand_batching_dims [0] repeat an axis of tensor<5x3xf32>", (1, 1), **EACH | {"start_index_map": (0,)}),
    gather("C19", "5x3xf32 4x1xi32", "start_index_map [2] and operand_batching_dims []: 2 is not an axis of tensor<5x3xf32>", (1, 3), **RIGHT | {"start_index_map": (2,)}),
    gather("C20", "5x3xf32 4x1xi32", "slice_sizes [1] must have one entry for each axis of tensor<5x3xf32>", (1,), **RIGHT),
    gather("C21", "5x3xf32 4x1xi32", "slice_sizes [1, 4] do not fit tensor<5x3xf32>: axis 1 has 3 elements", (1, 4), **RIGHT),
    gather("C21", "5x3xf32 4x1xi32", "slice_sizes [1, -1] do not fit tensor<5x3xf32>", (1, -1), **RIGHT),
    gather("I2", "5x3xf32 4x1xf32", "the tensor of indices is tensor<4x1xf32>; it must hold integers", (1, 3), **RIGHT),
    gather("I2", "5x3xf32 4x1xi1", "the tensor of indices is tensor<4x1xi1>; it must hold integers", (1, 3), **RIGHT),
    Row("gather", "C22", "5x3xf32 4x1xi32", "result is tensor<4x2xf32> but the operands give tensor<4x3xf32>", {"dimension_numbers": GatherDims(**RIGHT), "slice_sizes": (1, 3)}, results="4x2xf32"),
    Row("gather", "C23", "5x3xf32 4x1xi32", "result is tensor<4x3xf64> but the operands give tensor<4x3xf32>", {"dimension_numbers": GatherDims(**RIGHT), "slice_sizes": (1, 3)}, results="4x3xf64"),
    gather("unsupported", "5x3xf32 4x1xi32", "slice_sizes [0, 3] are empty windows of tensor<5x3xf32>, but the result has shape [4, 3]; there is no element to fill it with", (0, 3), **RIGHT),
    *of_fields("gather", 3, "5x3xf32 4x1xi32", {"dimension_numbers": GatherDims(**RIGHT), "slice_sizes": (1, 3)}, "dimension_numbers"),
    Row("gather", "I3", "5x3xf32 4x1xi32", "dimension_numbers is ((1,), (0,)); it must be GatherDims(offset_dims, collapsed_slice_dims,", {"dimension_numbers": ((1,), (0,)), "slice_sizes": (1, 3)}, only="python"),
]


def scatter(rule: str, operands: str, says: str, *, body: Any = emit.add, **dims: Any) -> Row:
    params = {"scatter_dimension_numbers": ScatterDims(**dims), "update_computation": body}
    only = about(says, "update_computation")
    return Row("scatter", rule, operands, says, params, only=only)


# Rows of a 5x3 array, at 4 indices; and one number of each row, batched over the rows.
ROWS_OF: dict[str, Any] = {
    "update_window_dims": (1,),
    "inserted_window_dims": (0,),
    "scatter_dims_to_operand_dims": (0,),
    "index_vector_dim": 1,
}
EACH_OF: dict[str, Any] = {
    "inserted_window_dims": (1,),
    "input_batching_dims": (0,),
    "scatter_indices_batching_dims": (0,),
    "scatter_dims_to_operand_dims": (1,),
    "index_vector_dim": 2,
}
_X, _AT, _U = "5x3xf32", "4x1xi32", "4x3xf32"
FITS = f"{_X} {_AT} {_U}"
FIT_EACH = "5x3xf32 5x4x1xi32 5x4xf32"

# fmt: off
SCATTER = [
    scatter("C1", f"{_X} 5x2xf32 {_AT} {_U} {_U}", "inputs tensor<5x3xf32>, tensor<5x2xf32> must be of one shape", **ROWS_OF),
    scatter("C2", FITS, "update_window_dims [1], inserted_window_dims [] and input_batching_dims [] together must name all 2 axes of tensor<5x3xf32>", **ROWS_OF | {"inserted_window_dims": ()}),
    scatter("C3", f"{_X} {_X} {_AT} {_U} 4x2xf32", "updates tensor<4x3xf32>, tensor<4x2xf32> must be of one shape", **ROWS_OF),
    scatter("C4", f"{_X} {_AT} 3x3xf32", "updates are tensor<3x3xf32>, but the indices tensor<4x1xi32> and windows within tensor<5x3xf32> require [4, 3], or less along update_window_dims [1]", **ROWS_OF),
    scatter("C4", f"{_X} {_AT} 4x4xf32", "require [4, 3], or less along update_window_dims [1]", **ROWS_OF),
    scatter("C4", f"{_X} {_AT} 4xf32", "require [4, 3], or less along update_window_dims [1]", **ROWS_OF),
    scatter("C5", "", "takes n arrays, indices and n updates, got none", **ROWS_OF),
    scatter("C5", f"{_X} {_AT}", "takes n arrays, indices and n updates, got tensor<5x3xf32>, tensor<4x1xi32>", **ROWS_OF),
    scatter("C5", "4x1xi32", "takes n arrays, indices and n updates, got tensor<4x1xi32>", **ROWS_OF),
    scatter("C6", f"{_X} {_AT} 4x3xf64", "update tensor<4x3xf64> must have the dtype of its input tensor<5x3xf32>", **ROWS_OF),
    scatter("C7", f"{_X} {_AT} 4x5x3xf32", "update_window_dims [1, 1] repeat an axis", **ROWS_OF | {"update_window_dims": (1, 1), "inserted_window_dims": ()}),
    scatter("C7", f"{_X} {_AT} 4x5x3xf32", "update_window_dims [2, 1] must be in ascending order", **ROWS_OF | {"update_window_dims": (2, 1), "inserted_window_dims": ()}),
    scatter("C8", FITS, "update_window_dims [2]: 2 is not an axis of the updates, which has axes 0 to 1", **ROWS_OF | {"update_window_dims": (2,)}),
    scatter("C8", FITS, "update_window_dims [-1]: -1 is not an axis", **ROWS_OF | {"update_window_dims": (-1,)}),
    scatter("C9", FIT_EACH, "inserted_window_dims [0] and input_batching_dims [0] repeat an axis of tensor<5x3xf32>", **EACH_OF | {"inserted_window_dims": (0,)}),
    scatter("C10", f"{_X} {_AT} 4xf32", "inserted_window_dims [1, 0] must be in ascending order", **ROWS_OF | {"update_window_dims": (), "inserted_window_dims": (1, 0)}),
    scatter("C11", FITS, "inserted_window_dims [2] and input_batching_dims []: 2 is not an axis of tensor<5x3xf32>", **ROWS_OF | {"inserted_window_dims": (2,)}),
    scatter("C12", "5x3xf32 5x3x0xi32 5x3xf32", "input_batching_dims [1, 0] must be in ascending order", input_batching_dims=(1, 0), scatter_indices_batching_dims=(1, 0), index_vector_dim=2),
    scatter("C13", FIT_EACH, "input_batching_dims [2]: 2 is not an axis of tensor<5x3xf32>", **EACH_OF | {"input_batching_dims": (2,)}),
    scatter("C14", "5x5xf32 5x4x0xi32 5x4xf32", "scatter_indices_batching_dims [0, 0] repeat an axis of tensor<5x4x0xi32>", input_batching_dims=(0, 1), scatter_indices_batching_dims=(0, 0), index_vector_dim=2),
    scatter("C15", FIT_EACH, "scatter_indices_batching_dims [3]: 3 is not an axis of tensor<5x4x1xi32>", **EACH_OF | {"scatter_indices_batching_dims": (3,)}),
    scatter("C16", "5x3xf32 4x1xi32 4xf32", "scatter_indices_batching_dims [1] must not name index_vector_dim 1", **EACH_OF | {"scatter_indices_batching_dims": (1,), "index_vector_dim": 1}),
    scatter("C17", FIT_EACH, "input_batching_dims [0] and scatter_indices_batching_dims [] must have equally many entries", **EACH_OF | {"scatter_indices_batching_dims": ()}),
    scatter("C18", "5x3xf32 4x4x1xi32 4x4xf32", "axis 0 of tensor<5x3xf32> is batched with axis 0 of tensor<4x4x1xi32>, so their sizes must be equal", **EACH_OF),
    scatter("C19", f"{_X} 4x2xi32 {_U}", "scatter_dims_to_operand_dims [0] must name an axis for each of the 2 components of tensor<4x2xi32> along index_vector_dim 1", **ROWS_OF),
    scatter("C20", FIT_EACH, "scatter_dims_to_operand_dims [0] and input_batching_dims [0] repeat an axis of tensor<5x3xf32>", **EACH_OF | {"scatter_dims_to_operand_dims": (0,)}),
    scatter("C21", FITS, "scatter_dims_to_operand_dims [2] and input_batching_dims []: 2 is not an axis of tensor<5x3xf32>", **ROWS_OF | {"scatter_dims_to_operand_dims": (2,)}),
    scatter("C22", FITS, "index_vector_dim 3 must be 0 to 2, the rank of tensor<4x1xi32>", **ROWS_OF | {"index_vector_dim": 3}),
    scatter("C23", FITS, "update_computation returns tensor<i1> but must return tensor<f32>", body=lambda old, new: emit.is_finite(new), **ROWS_OF),
    scatter("C23", FITS, "update_computation returns tensor<f32>, tensor<f32> but must return tensor<f32>", body=lambda old, new: [old, new], **ROWS_OF),
    scatter("C23", FITS, "update_computation returns None of type NoneType but must return tensor<f32>, made of its arguments", body=lambda old, new: None, **ROWS_OF),
    scatter("C23", FITS, "update_computation takes (old) but is called with 2 scalars, tensor<f32>, tensor<f32>", body=lambda old: old, **ROWS_OF),
    scatter("I2", f"{_X} 4x1xf32 {_U}", "the tensor of indices is tensor<4x1xf32>; it must hold integers", **ROWS_OF),
    scatter("unsupported", "5x3xf32 4x0xi32 4x5x3xf32", "tensor<4x0xi32> holds 4 index vectors of no components, so all updates meet one element; combine them first, as `reduce` does", update_window_dims=(1, 2), index_vector_dim=1),
    *of_fields("scatter", 4, FITS, {"scatter_dimension_numbers": ScatterDims(**ROWS_OF), "update_computation": emit.add}, "scatter_dimension_numbers"),
    Row("scatter", "I12", FITS, "update_computation is 3; it must be a function of scalars", {"scatter_dimension_numbers": ScatterDims(**ROWS_OF), "update_computation": 3}, only="python"),
    Row("scatter", "I4", FITS, "scatter_dimension_numbers is 'rows'; it must be ScatterDims(update_window_dims, ", {"scatter_dimension_numbers": "rows", "update_computation": emit.add}, only="python"),
    Row("scatter", "I10", FITS, "indices_are_sorted is 'no'; it must be True or False", {"scatter_dimension_numbers": ScatterDims(**ROWS_OF), "update_computation": emit.add, "indices_are_sorted": "no"}, only="python"),
    Row("scatter", "I11", FITS, "unique_indices is 1; it must be True or False", {"scatter_dimension_numbers": ScatterDims(**ROWS_OF), "update_computation": emit.add, "unique_indices": 1}, only="python"),
]

GATHER += [
    Row("gather", "I10", "5x3xf32 4x1xi32", "indices_are_sorted is 1; it must be True or False", {"dimension_numbers": GatherDims(**RIGHT), "slice_sizes": (1, 3), "indices_are_sorted": 1}, only="python"),
    Row("gather", "I9", "5x3xf32 4x1xi32", "slice_sizes is (1, 3.5); it must be a tuple of integers", {"dimension_numbers": GatherDims(**RIGHT), "slice_sizes": (1, 3.5)}, only="python"),
]

WINDOW = [
    Row("dynamic_slice", "C1", "5x3xf32 i32 i32", "result is tensor<2x3xf64> but the operands give tensor<2x3xf32>", {"slice_sizes": (2, 3)}, results="2x3xf64"),
    Row("dynamic_slice", "C2", "5x3xf32 i32", "takes one start per axis of tensor<5x3xf32>, got 1", {"slice_sizes": (2, 3)}),
    Row("dynamic_slice", "C2", "5x3xf32 i32 i32", "slice_sizes [2] must have one entry for each axis of tensor<5x3xf32>", {"slice_sizes": (2,)}),
    Row("dynamic_slice", "C3", "5x3xf32 i32 i64", "starts tensor<i32>, tensor<i64> must be scalars of one dtype", {"slice_sizes": (2, 3)}),
    Row("dynamic_slice", "C4", "5x3xf32 i32 i32", "slice_sizes [6, 3] must be between 0 and the sizes of tensor<5x3xf32>", {"slice_sizes": (6, 3)}),
    Row("dynamic_slice", "C4", "5x3xf32 i32 i32", "slice_sizes [-1, 3] must be between 0 and the sizes of tensor<5x3xf32>", {"slice_sizes": (-1, 3)}),
    Row("dynamic_slice", "C5", "5x3xf32 i32 i32", "result is tensor<2x2xf32> but the operands give tensor<2x3xf32>", {"slice_sizes": (2, 3)}, results="2x2xf32"),
    Row("dynamic_slice", "I2", "5x3xf32 f32 f32", "a start is tensor<f32>; it must hold integers", {"slice_sizes": (2, 3)}),
    Row("dynamic_slice", "I2", "5x3xf32 1xi32 1xi32", "starts tensor<1xi32>, tensor<1xi32> must be scalars of one dtype", {"slice_sizes": (2, 3)}),
    Row("dynamic_slice", "I3", "5x3xf32 i32 i32", "slice_sizes is '23'; it must be a tuple of integers", {"slice_sizes": "23"}, only="python"),
    Row("dynamic_update_slice", "C1", "5x3xf32 2x3xf32 i32 i32", "result is tensor<2x3xf32> but the operands give tensor<5x3xf32>", results="2x3xf32"),
    Row("dynamic_update_slice", "C2", "5x3xf32 2x3xf64 i32 i32", "update is tensor<2x3xf64>; it must have the dtype and the rank of tensor<5x3xf32>"),
    Row("dynamic_update_slice", "C3", "5x3xf32 3xf32 i32 i32", "update is tensor<3xf32>; it must have the dtype and the rank of tensor<5x3xf32>"),
    Row("dynamic_update_slice", "C4", "5x3xf32 2x3xf32 i32", "takes one start per axis of tensor<5x3xf32>, got 1"),
    Row("dynamic_update_slice", "C5", "5x3xf32 2x3xf32 i32 ui32", "starts tensor<i32>, tensor<ui32> must be scalars of one dtype"),
    Row("dynamic_update_slice", "C6", "5x3xf32 6x3xf32 i32 i32", "update tensor<6x3xf32> does not fit into tensor<5x3xf32>"),
    Row("dynamic_update_slice", "I3", "5x3xf32 2x3xf32 i1 i1", "a start is tensor<i1>; it must hold integers"),
    Row("dynamic_update_slice", "I1", "", "takes at least 2 operands, got 0"),
]
# fmt: on

ROWS = [*GATHER, *SCATTER, *WINDOW]
