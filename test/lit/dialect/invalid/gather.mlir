// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of gather: constraints (C1) to (C23) of StableHLO's specification.

func.func @gather_windows_of_too_few_axes(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: offset_dims [], collapsed_slice_dims [0] and operand_batching_dims [] together must name all 2 axes of tensor<4x3xf32>}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_vector_is_no_axis(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: index_vector_dim 3 must be 0 to 2, the rank of tensor<2x1xi32>}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 3>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_map_of_too_many_components(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: start_index_map [0, 1] must name an axis for each of the 1 components of tensor<2x1xi32> along index_vector_dim 1}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0, 1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_offsets_repeat(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: offset_dims [1, 1] repeat an axis of the result; name each once}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1, 1],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_offsets_descend(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: offset_dims [2, 1] must be in ascending order}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [2, 1],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_offset_is_no_axis(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: offset_dims [2]: 2 is not an axis of the result, which has axes 0 to 1}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [2],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_collapses_what_is_batched(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: collapsed_slice_dims [0] and operand_batching_dims [0] repeat an axis of tensor<4x3xf32>; name each once}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0],
      operand_batching_dims = [0],
      start_indices_batching_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_collapsed_descend(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: collapsed_slice_dims [1, 0] must be in ascending order}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [1, 0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_collapsed_is_no_axis(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: collapsed_slice_dims [2] and operand_batching_dims []: 2 is not an axis of tensor<4x3xf32>, which has axes 0 to 1}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [2],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_collapses_a_long_window(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: slice_sizes [2, 3] of tensor<4x3xf32> must be at most 1 along collapsed_slice_dims [0]}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 2, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_batching_descends(%x: tensor<4x3xf32>, %at: tensor<3x4x0xi32>) {
  // expected-error @+1 {{gather: operand_batching_dims [1, 0] must be in ascending order}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      operand_batching_dims = [1, 0],
      start_indices_batching_dims = [1, 0],
      index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>
  } : (tensor<4x3xf32>, tensor<3x4x0xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_batches_a_long_window(%x: tensor<4x3xf32>, %at: tensor<4x1xi32>) {
  // expected-error @+1 {{gather: slice_sizes [2, 3] of tensor<4x3xf32> must be at most 1 along operand_batching_dims [0]}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      operand_batching_dims = [0],
      start_indices_batching_dims = [0],
      start_index_map = [1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 2, 3>
  } : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_batching_of_indices_repeats(%x: tensor<4x3xf32>, %at: tensor<4x1xi32>) {
  // expected-error @+1 {{gather: start_indices_batching_dims [0, 0] repeat an axis of tensor<4x1xi32>; name each once}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0],
      operand_batching_dims = [1],
      start_indices_batching_dims = [0, 0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_batching_is_no_axis_of_the_indices(%x: tensor<4x3xf32>, %at: tensor<4x1xi32>) {
  // expected-error @+1 {{gather: start_indices_batching_dims [2]: 2 is not an axis of tensor<4x1xi32>, which has axes 0 to 1}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      operand_batching_dims = [0],
      start_indices_batching_dims = [2],
      start_index_map = [1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_batches_its_vectors(%x: tensor<4x3xf32>, %at: tensor<4x1xi32>) {
  // expected-error @+1 {{gather: start_indices_batching_dims [1] must not name index_vector_dim 1}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      operand_batching_dims = [0],
      start_indices_batching_dims = [1],
      start_index_map = [1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_batches_the_operand_alone(%x: tensor<4x3xf32>, %at: tensor<4x1xi32>) {
  // expected-error @+1 {{gather: operand_batching_dims [0] and start_indices_batching_dims [] must have equally many entries}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      operand_batching_dims = [0],
      start_index_map = [1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_batches_differ(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: axis 0 of tensor<4x3xf32> is batched with axis 0 of tensor<2x1xi32>, so their sizes must be equal}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      operand_batching_dims = [0],
      start_indices_batching_dims = [0],
      start_index_map = [1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_maps_to_what_is_batched(%x: tensor<4x3xf32>, %at: tensor<4x1xi32>) {
  // expected-error @+1 {{gather: start_index_map [0] and operand_batching_dims [0] repeat an axis of tensor<4x3xf32>; name each once}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      operand_batching_dims = [0],
      start_indices_batching_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_map_is_no_axis(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: start_index_map [2] and operand_batching_dims []: 2 is not an axis of tensor<4x3xf32>, which has axes 0 to 1}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [2],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_of_too_few_sizes(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: slice_sizes [1] must have one entry for each axis of tensor<4x3xf32>}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_of_more_than_there_is(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: slice_sizes [1, 4] do not fit tensor<4x3xf32>: axis 1 has 3 elements}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 4>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_of_nothing(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: slice_sizes [0, 3] are empty windows of tensor<4x3xf32>, but the result has shape [2, 3]; there is no element to fill it with}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 0, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_with_floats(%x: tensor<4x3xf32>, %at: tensor<2x1xf32>) {
  // expected-error @+1 {{gather: the tensor of indices is tensor<2x1xf32>; it must hold integers}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_result(%x: tensor<4x3xf32>, %at: tensor<2x1xi32>) {
  // expected-error @+1 {{gather: result is tensor<2x2xf32> but the operands give tensor<2x3xf32>}}
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @scatter_body_returns_another_type(%x: tensor<3xf32>, %at: tensor<2x1xi32>, %u: tensor<2xf32>) {
  // expected-error @+1 {{parameter at index 0 is different than the corresponding result type: 'tensor<f32>' vs 'tensor<i32>'}}
  %y = "stablehlo.scatter"(%x, %at, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.convert %b : (tensor<f32>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<3xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @scatter_updates_of_too_few(%x: tensor<3xf32>, %at: tensor<2x1xi32>, %u: tensor<1xf32>) {
  // expected-error @+1 {{For scatter dimension 0, updates bound is 1 , scatter_indices bound is 2.}}
  %y = "stablehlo.scatter"(%x, %at, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<3xf32>, tensor<2x1xi32>, tensor<1xf32>) -> tensor<3xf32>
  return
}
