// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of pad.

func.func @pad_value_of_another_dtype(%x: tensor<4xf32>, %v: tensor<f64>) {
  // expected-error @+1 {{pad: padding_value is tensor<f64>; it must be tensor<f32>}}
  %y = "anvl.pad"(%x, %v) {
    edge_padding_low = array<i64: 0>,
    edge_padding_high = array<i64: 0>,
    interior_padding = array<i64: 0>
  } : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_value_is_no_scalar(%x: tensor<4xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{pad: padding_value is tensor<1xf32>; it must be tensor<f32>}}
  %y = "anvl.pad"(%x, %v) {
    edge_padding_low = array<i64: 0>,
    edge_padding_high = array<i64: 0>,
    interior_padding = array<i64: 0>
  } : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_of_too_many_axes(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{pad: edge_padding_low [0, 0], edge_padding_high [0] and interior_padding [0] must each have one entry for each axis of tensor<4xf32>}}
  %y = "anvl.pad"(%x, %v) {
    edge_padding_low = array<i64: 0, 0>,
    edge_padding_high = array<i64: 0>,
    interior_padding = array<i64: 0>
  } : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_interior_is_negative(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{pad: interior_padding [-1] of tensor<4xf32> must not be negative}}
  %y = "anvl.pad"(%x, %v) {
    edge_padding_low = array<i64: 0>,
    edge_padding_high = array<i64: 0>,
    interior_padding = array<i64: -1>
  } : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_cuts_more_than_there_is(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{pad: edge paddings [-3] and [-2] cut more from tensor<4xf32> than it has}}
  %y = "anvl.pad"(%x, %v) {
    edge_padding_low = array<i64: -3>,
    edge_padding_high = array<i64: -2>,
    interior_padding = array<i64: 0>
  } : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_result(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{pad: result is tensor<5xf32> but the operands give tensor<6xf32>}}
  %y = "anvl.pad"(%x, %v) {
    edge_padding_low = array<i64: 1>,
    edge_padding_high = array<i64: 1>,
    interior_padding = array<i64: 0>
  } : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return
}
