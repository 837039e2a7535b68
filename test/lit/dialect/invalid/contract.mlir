// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of dot_general.

func.func @dot_general_dtypes_differ(%x: tensor<2x3xf32>, %y: tensor<3x4xf64>) {
  // expected-error @+1 {{dot_general: operands differ in dtype: tensor<2x3xf32>, tensor<3x4xf64>; convert them to one dtype first}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_sizes_differ(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: contracting sizes differ: axis 0 of tensor<2x3xf32> is 2, axis 0 of tensor<3x4xf32> is 3}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [0],
      rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_axis_is_none(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: left axes, batching [] and contracting [2]: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [2],
      rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_axis_of_the_right_is_none(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: right axes, batching [] and contracting [7]: 7 is not an axis of tensor<3x4xf32>, which has axes 0 to 1}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [7]>
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_axis_twice(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: left axes, batching [1] and contracting [1] repeat an axis of tensor<2x3xf32>; name each once}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_batching_dimensions = [1],
      rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_contracting_in_number(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: contracting axes [1] of tensor<2x3xf32> and [] of tensor<3x4xf32> differ in number; they go in pairs}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1]>
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_batching_in_number(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: batching axes [0] of tensor<2x3xf32> and [] of tensor<3x4xf32> differ in number; they go in pairs}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_result(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: result is tensor<4x2xf32> but the operands give tensor<2x4xf32>}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_without_axes(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: attribute `dot_dimension_numbers` is missing}}
  %z = "anvl.dot_general"(%x, %y) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_axes_of_another_kind(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: attribute `dot_dimension_numbers`: expected #stablehlo.dot<...>, got 1 : i64}}
  %z = "anvl.dot_general"(%x, %y) {dot_dimension_numbers = 1 : i64} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_one_precision(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{dot_general: attribute `precision_config`: expected the same #stablehlo<precision ...> twice}}
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0]>,
    precision_config = [#stablehlo<precision HIGH>]
  } : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
