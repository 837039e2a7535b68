// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of dynamic_slice and dynamic_update_slice.

func.func @dynamic_slice_of_too_few_starts(%x: tensor<4x3xf32>, %s0: tensor<i32>) {
  // expected-error @+1 {{dynamic_slice: takes one start per axis of tensor<4x3xf32>, got 1}}
  %y = "anvl.dynamic_slice"(%x, %s0) {slice_sizes = array<i64: 2, 2>}
      : (tensor<4x3xf32>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_of_too_few_sizes(%x: tensor<4x3xf32>, %s0: tensor<i32>, %s1: tensor<i32>) {
  // expected-error @+1 {{dynamic_slice: slice_sizes [2] must have one entry for each axis of tensor<4x3xf32>}}
  %y = "anvl.dynamic_slice"(%x, %s0, %s1) {slice_sizes = array<i64: 2>}
      : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_starts_at_a_float(%x: tensor<4x3xf32>, %s0: tensor<f32>, %s1: tensor<f32>) {
  // expected-error @+1 {{dynamic_slice: a start is tensor<f32>; it must hold integers}}
  %y = "anvl.dynamic_slice"(%x, %s0, %s1) {slice_sizes = array<i64: 2, 2>}
      : (tensor<4x3xf32>, tensor<f32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_starts_are_no_scalars(%x: tensor<4x3xf32>, %s0: tensor<1xi32>, %s1: tensor<1xi32>) {
  // expected-error @+1 {{dynamic_slice: starts tensor<1xi32>, tensor<1xi32> must be scalars of one dtype}}
  %y = "anvl.dynamic_slice"(%x, %s0, %s1) {slice_sizes = array<i64: 2, 2>}
      : (tensor<4x3xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_starts_differ(%x: tensor<4x3xf32>, %s0: tensor<i32>, %s1: tensor<i64>) {
  // expected-error @+1 {{dynamic_slice: starts tensor<i32>, tensor<i64> must be scalars of one dtype}}
  %y = "anvl.dynamic_slice"(%x, %s0, %s1) {slice_sizes = array<i64: 2, 2>}
      : (tensor<4x3xf32>, tensor<i32>, tensor<i64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_of_more_than_there_is(%x: tensor<4x3xf32>, %s0: tensor<i32>, %s1: tensor<i32>) {
  // expected-error @+1 {{dynamic_slice: slice_sizes [2, 4] must be between 0 and the sizes of tensor<4x3xf32>}}
  %y = "anvl.dynamic_slice"(%x, %s0, %s1) {slice_sizes = array<i64: 2, 4>}
      : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_of_less_than_nothing(%x: tensor<4x3xf32>, %s0: tensor<i32>, %s1: tensor<i32>) {
  // expected-error @+1 {{dynamic_slice: slice_sizes [2, -1] must be between 0 and the sizes of tensor<4x3xf32>}}
  %y = "anvl.dynamic_slice"(%x, %s0, %s1) {slice_sizes = array<i64: 2, -1>}
      : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_result(%x: tensor<4x3xf32>, %s0: tensor<i32>, %s1: tensor<i32>) {
  // expected-error @+1 {{dynamic_slice: result is tensor<2x3xf32> but the operands give tensor<2x2xf32>}}
  %y = "anvl.dynamic_slice"(%x, %s0, %s1) {slice_sizes = array<i64: 2, 2>}
      : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @update_of_another_dtype(%x: tensor<4x3xf32>, %u: tensor<2x2xf64>, %s0: tensor<i32>, %s1: tensor<i32>) {
  // expected-error @+1 {{dynamic_update_slice: update is tensor<2x2xf64>; it must have the dtype and the rank of tensor<4x3xf32>}}
  %y = "anvl.dynamic_update_slice"(%x, %u, %s0, %s1)
      : (tensor<4x3xf32>, tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @update_of_another_rank(%x: tensor<4x3xf32>, %u: tensor<2xf32>, %s0: tensor<i32>, %s1: tensor<i32>) {
  // expected-error @+1 {{dynamic_update_slice: update is tensor<2xf32>; it must have the dtype and the rank of tensor<4x3xf32>}}
  %y = "anvl.dynamic_update_slice"(%x, %u, %s0, %s1)
      : (tensor<4x3xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @update_is_too_large(%x: tensor<4x3xf32>, %u: tensor<2x4xf32>, %s0: tensor<i32>, %s1: tensor<i32>) {
  // expected-error @+1 {{dynamic_update_slice: update tensor<2x4xf32> does not fit into tensor<4x3xf32>}}
  %y = "anvl.dynamic_update_slice"(%x, %u, %s0, %s1)
      : (tensor<4x3xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @update_of_too_few_starts(%x: tensor<4x3xf32>, %u: tensor<2x2xf32>) {
  // expected-error @+1 {{dynamic_update_slice: takes one start per axis of tensor<4x3xf32>, got 0}}
  %y = "anvl.dynamic_update_slice"(%x, %u)
      : (tensor<4x3xf32>, tensor<2x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @update_starts_differ(%x: tensor<4x3xf32>, %u: tensor<2x2xf32>, %s0: tensor<i32>, %s1: tensor<i64>) {
  // expected-error @+1 {{dynamic_update_slice: starts tensor<i32>, tensor<i64> must be scalars of one dtype}}
  %y = "anvl.dynamic_update_slice"(%x, %u, %s0, %s1)
      : (tensor<4x3xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @update_result(%x: tensor<4x3xf32>, %u: tensor<2x2xf32>, %s0: tensor<i32>, %s1: tensor<i32>) {
  // expected-error @+1 {{dynamic_update_slice: result is tensor<2x2xf32> but the operands give tensor<4x3xf32>}}
  %y = "anvl.dynamic_update_slice"(%x, %u, %s0, %s1)
      : (tensor<4x3xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return
}
