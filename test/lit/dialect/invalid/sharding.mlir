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
