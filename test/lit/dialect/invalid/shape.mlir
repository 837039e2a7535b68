// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of the ops that move elements.

func.func @transpose_permutation_repeats_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{transpose: permutation [0, 0] does not name each axis of tensor<2x3xf32> once}}
  %y = "anvl.transpose"(%x) {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_permutation_too_short(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{transpose: permutation [0] does not name each axis of tensor<2x3xf32> once}}
  %y = "anvl.transpose"(%x) {permutation = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @transpose_result(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{transpose: result is tensor<2x3xf32> but the operands give tensor<3x2xf32>}}
  %y = "anvl.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_to_another_number_of_elements(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{reshape: tensor<2x3xf32> has 6 elements but shape [5] has 5}}
  %y = "anvl.reshape"(%x) : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reshape_changes_dtype(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{reshape: result is tensor<6xf64> but the operands give tensor<6xf32>}}
  %y = "anvl.reshape"(%x) : (tensor<2x3xf32>) -> tensor<6xf64>
  return
}

// -----

func.func @reverse_axis_is_none(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{reverse: dimensions [2]: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.reverse"(%x) {dimensions = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reverse_axis_twice(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{reverse: dimensions [1, 1] repeat an axis of tensor<2x3xf32>; name each once}}
  %y = "anvl.reverse"(%x) {dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_of_too_many_axes(%x: tensor<4xf32>) {
  // expected-error @+1 {{slice: start_indices [0, 0], limit_indices [2] and strides [1] must each have one entry for each axis of tensor<4xf32>}}
  %y = "anvl.slice"(%x) {
    start_indices = array<i64: 0, 0>,
    limit_indices = array<i64: 2>,
    strides = array<i64: 1>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_beyond_the_end(%x: tensor<4xf32>) {
  // expected-error @+1 {{slice: 3:5:1 does not fit axis 0 of tensor<4xf32>; it takes 0 <= start <= limit <= 4 and a stride of at least 1}}
  %y = "anvl.slice"(%x) {
    start_indices = array<i64: 3>,
    limit_indices = array<i64: 5>,
    strides = array<i64: 1>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_backwards(%x: tensor<4xf32>) {
  // expected-error @+1 {{slice: 3:1:1 does not fit axis 0 of tensor<4xf32>}}
  %y = "anvl.slice"(%x) {
    start_indices = array<i64: 3>,
    limit_indices = array<i64: 1>,
    strides = array<i64: 1>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_stride_is_zero(%x: tensor<4xf32>) {
  // expected-error @+1 {{slice: 0:2:0 does not fit axis 0 of tensor<4xf32>}}
  %y = "anvl.slice"(%x) {
    start_indices = array<i64: 0>,
    limit_indices = array<i64: 2>,
    strides = array<i64: 0>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_in_dim_of_too_few_axes(%x: tensor<3xf32>) {
  // expected-error @+1 {{broadcast_in_dim: broadcast_dimensions [] must name one axis of the result for each axis of tensor<3xf32>}}
  %y = "anvl.broadcast_in_dim"(%x) {broadcast_dimensions = array<i64>}
      : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_axis_is_none(%x: tensor<3xf32>) {
  // expected-error @+1 {{broadcast_in_dim: broadcast_dimensions [2] of tensor<3xf32>: 2 is not an axis of [2, 3], which has axes 0 to 1}}
  %y = "anvl.broadcast_in_dim"(%x) {broadcast_dimensions = array<i64: 2>}
      : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_axis_twice(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{broadcast_in_dim: broadcast_dimensions [0, 0] of tensor<2x3xf32> repeat an axis of [2, 3]; name each once}}
  %y = "anvl.broadcast_in_dim"(%x) {broadcast_dimensions = array<i64: 0, 0>}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_sizes_differ(%x: tensor<3xf32>) {
  // expected-error @+1 {{broadcast_in_dim: tensor<3xf32> does not broadcast to [2, 4] along [1]: size 3 meets 4}}
  %y = "anvl.broadcast_in_dim"(%x) {broadcast_dimensions = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @concatenate_axis_is_none(%x: tensor<3xf32>) {
  // expected-error @+2 {{dimension 1 is out-of-bounds for input rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = "stablehlo.concatenate"(%x, %x) {dimension = 1 : i64}
      : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @bitcast_convert_needs_a_last_axis(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{bitcast_convert: tensor<2x3xi32> to i64 needs a last axis of size 2}}
  %y = "anvl.bitcast_convert"(%x) : (tensor<2x3xi32>) -> tensor<2x3xi64>
  return
}

// -----

func.func @bitcast_convert_of_bools(%x: tensor<2xi1>) {
  // expected-error @+1 {{bitcast_convert: tensor<2xi1> to i8: bool has no bits to read; use a number dtype}}
  %y = "anvl.bitcast_convert"(%x) : (tensor<2xi1>) -> tensor<2xi8>
  return
}

// -----

func.func @bitcast_convert_adds_a_last_axis(%x: tensor<2xi64>) {
  // expected-error @+1 {{bitcast_convert: result is tensor<2xi32> but the operands give tensor<2x2xi32>}}
  %y = "anvl.bitcast_convert"(%x) : (tensor<2xi64>) -> tensor<2xi32>
  return
}

// -----

func.func @convert_changes_shape(%x: tensor<2xf32>) {
  // expected-error @+1 {{convert: result is tensor<3xi32> but the operands give tensor<2xi32>}}
  %y = "anvl.convert"(%x) : (tensor<2xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @convert_to_an_unknown_dtype(%x: tensor<2xf32>) {
  // expected-error @+1 {{convert: operands and results must be tensors of bool, i4, i8, i16, i32, i64, ui4, ui8, ui16, ui32, ui64, f8E4M3FN, f8E5M2, f16, bf16, f32, f64, c64, c128, got tensor<2xi7>}}
  %y = "anvl.convert"(%x) : (tensor<2xf32>) -> tensor<2xi7>
  return
}

// -----

func.func @get_dimension_size_of_no_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{get_dimension_size: dimension 2: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.get_dimension_size"(%x) {dimension = 2 : i64} : (tensor<2x3xf32>) -> tensor<i32>
  return
}

// -----

func.func @set_dimension_size_beyond_the_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{set_dimension_size: size 4 must be from 0 to 3, the size of axis 1 of tensor<2x3xf32>; pad it first to make it larger}}
  %y = "anvl.set_dimension_size"(%x) {size = 4 : i64, dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}
