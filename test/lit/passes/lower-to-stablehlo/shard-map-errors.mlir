// RUN: not anvl-opt %s --anvl-lower-to-stablehlo --split-input-file 2>&1 | filecheck %s

// A collective that no function runs for several devices, and declarations that do not fit.

// CHECK: error: anvl-lower-to-stablehlo: anvl.all_reduce combines values along x of mesh 'x=2', but stands in no function that runs for each of them; put it into one that is given to vmap with this axis_name, or to shard_map over this mesh
func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %y = "anvl.all_reduce"(%x, %i) {axes = ["x"], kind = "sum", mesh = "x=2"}
    : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK: error: anvl-lower-to-stablehlo: @each: anvl.shard_map: argument 0 is tensor<4xf32>, so tensor<2xf32> on a device by spec 'x', and tensor<4xf32> in its body @body
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @each(tensor<4xf32>) -> tensor<4xf32>
    attributes {anvl.shard_map = {body = @body, mesh = "x=2", in = ["x"], out = ["x"]}}

// -----

// CHECK: error: anvl-lower-to-stablehlo: @each: anvl.shard_map: argument 0: axis z of spec 'z' is not in mesh 'x=2'
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @each(tensor<4xf32>) -> tensor<4xf32>
    attributes {anvl.shard_map = {body = @body, mesh = "x=2", in = ["z"], out = ["x"]}}

// -----

// CHECK: error: anvl-lower-to-stablehlo: @each: anvl.shard_map: it has 1 arguments, 0 specs of arguments, and its body @body has 1; give one spec for each
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @each(tensor<4xf32>) -> tensor<4xf32>
    attributes {anvl.shard_map = {body = @body, mesh = "x=2", in = [], out = ["x"]}}

// -----

// CHECK: error: anvl-lower-to-stablehlo: @each: anvl.shard_map must be {body = @b,
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @each(tensor<4xf32>) -> tensor<4xf32>
    attributes {anvl.shard_map = {body = @body, mesh = 3, in = ["x"], out = ["x"]}}

// -----

// CHECK: error: anvl-lower-to-stablehlo: @each: anvl.shard_map: axes are z; name axes of mesh 'x=2'
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @each(tensor<4xf32>) -> tensor<4xf32>
    attributes {anvl.shard_map = {axes = ["z"], body = @body, mesh = "x=2", in = ["-"], out = ["-"]}}

// -----

// CHECK: error: anvl-lower-to-stablehlo: @each: anvl.shard_map: spec 'y' names y, and the body is for parts along x; along others the partitioner decides
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @each(tensor<8xf32>) -> tensor<8xf32>
    attributes {anvl.shard_map = {axes = ["x"], body = @body, mesh = "x=2,y=2", in = ["y"], out = ["y"]}}
