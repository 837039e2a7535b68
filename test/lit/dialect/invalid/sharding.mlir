// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of the ops on arrays that lie on several devices.

func.func @axis_that_the_mesh_lacks(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{with_sharding of tensor<4x2xf32>: axis z of spec 'z,-' is not in mesh 'x=4,y=2'; its axes are x, y}}
  %y = "anvl.with_sharding"(%x) {mesh = "x=4,y=2", spec = "z,-"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @mesh_without_sizes(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{with_sharding: attribute `mesh`: mesh: 'x' in 'x,y' is not an axis with its size; write the mesh like x=4,y=2}}
  %y = "anvl.with_sharding"(%x) {mesh = "x,y", spec = "x,-"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @too_few_entries(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{with_sharding of tensor<4x2xf32>: spec 'x' has 1 entries, the array has 2 dimensions}}
  %y = "anvl.with_sharding"(%x) {mesh = "x=4", spec = "x"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @sum_over_no_axis(%x: tensor<4x2xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{all_reduce: axes ['z'] must be different axes of mesh 'x=4', one at least}}
  %y = "anvl.all_reduce"(%x, %i) {axes = ["z"], kind = "sum", mesh = "x=4"} : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @reduction_of_no_kind(%x: tensor<4x2xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{all_reduce: kind is 'mean'; it must be one of sum, max, min}}
  %y = "anvl.all_reduce"(%x, %i) {axes = ["x"], kind = "mean", mesh = "x=4"} : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @place_of_floats(%x: tensor<4x2xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{all_gather: place is tensor<f32>; it must be tensor<i32>, the position along axes}}
  %y = "anvl.all_gather"(%x, %i) {axes = ["x"], dimension = 0 : i64, mesh = "x=4"} : (tensor<4x2xf32>, tensor<f32>) -> tensor<16x2xf32>
  return
}

// -----

func.func @parts_that_do_not_divide(%x: tensor<4x2xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{reduce_scatter: axis 1 of tensor<4x2xf32> does not divide into 4 parts, one for each member}}
  %y = "anvl.reduce_scatter"(%x, %i) {axes = ["x"], dimension = 1 : i64, mesh = "x=4"} : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @parts_of_no_axis(%x: tensor<4x2xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{all_to_all: split_dimension 2: 2 is not an axis of tensor<4x2xf32>, which has axes 0 to 1}}
  %y = "anvl.all_to_all"(%x, %i) {axes = ["x"], concat_dimension = 0 : i64, mesh = "x=2", split_dimension = 2 : i64} : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @member_that_there_is_not(%x: tensor<4x2xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{collective_permute: targets [2] must be different members, from 0 to 1}}
  %y = "anvl.collective_permute"(%x, %i) {axes = ["x"], mesh = "x=2", pairs = array<i64: 0, 2>} : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @place_along_no_axis() {
  // expected-error @+1 {{axis_index: axes [] must be different axes of mesh 'x=2', one at least}}
  %y = "anvl.axis_index"() {axes = [], mesh = "x=2"} : () -> tensor<i32>
  return
}
