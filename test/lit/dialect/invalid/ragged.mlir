// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of ragged_dot.

func.func @dtypes_differ(%x: tensor<4x2xf32>, %y: tensor<3x2x5xf64>, %sizes: tensor<3xi32>) {
  // expected-error @+1 {{ragged_dot: operands differ in dtype: tensor<4x2xf32>, tensor<3x2x5xf64>; convert them to one dtype first}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf32>, tensor<3x2x5xf64>, tensor<3xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @sizes_are_floats(%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %sizes: tensor<3xf32>) {
  // expected-error @+1 {{ragged_dot: group_sizes is tensor<3xf32>; it must be an array of integers}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @two_ragged_axes(%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %sizes: tensor<3xi32>) {
  // expected-error @+1 {{ragged_dot: ragged axes [0, 1] of tensor<4x2xf32>; name exactly one}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @ragged_axis_is_none(%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %sizes: tensor<3xi32>) {
  // expected-error @+1 {{ragged_dot: ragged axis 2: 2 is not an axis of tensor<4x2xf32>, which has axes 0 to 1}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @no_axis_of_groups(%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %sizes: tensor<3xi32>) {
  // expected-error @+1 {{ragged_dot: group axes [] of tensor<3x2x5xf32>; name exactly one, as the ragged axis 0 is neither batched nor summed over}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = []>
  } : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @groups_of_sums(%x: tensor<4x2xf32>, %y: tensor<4x5xf32>, %sizes: tensor<3xi32>) {
  // expected-error @+1 {{ragged_dot: group axes [1] of tensor<4x5xf32>; name none, as the ragged axis 0 is batched or summed over}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>
  } : (tensor<4x2xf32>, tensor<4x5xf32>, tensor<3xi32>) -> tensor<3x2x5xf32>
  return
}

// -----

func.func @other_number_of_groups(%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %sizes: tensor<2xi32>) {
  // expected-error @+1 {{ragged_dot: axis 0 of tensor<3x2x5xf32> has 3 groups, but group_sizes is tensor<2xi32>, for 2}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<2xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @shape_of_sizes(%x: tensor<6x4x2xf32>, %y: tensor<3x2x5xf32>, %sizes: tensor<4x3xi32>) {
  // expected-error @+1 {{ragged_dot: group_sizes is tensor<4x3xi32>; for the ragged axis 1 of tensor<6x4x2xf32> its shape must be [3] or [6, 3]}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>
  } : (tensor<6x4x2xf32>, tensor<3x2x5xf32>, tensor<4x3xi32>) -> tensor<6x4x5xf32>
  return
}

// -----

func.func @other_result(%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %sizes: tensor<3xi32>) {
  // expected-error @+1 {{ragged_dot: result is tensor<5x4xf32> but the operands give tensor<4x5xf32>}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @numbers_of_dot_general(%x: tensor<4x2xf32>, %y: tensor<3x2x5xf32>, %sizes: tensor<3xi32>) {
  // expected-error @+1 {{ragged_dot: attribute `ragged_dot_dimension_numbers`: expected #chlo.ragged_dot<...>, got #stablehlo.dot<>}}
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {ragged_dot_dimension_numbers = #stablehlo.dot<>} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
  return
}
