// RUN: anvl-opt %s --anvl-control-flow --anvl-inline --anvl-lower-to-stablehlo | filecheck %s

// The body is for parts along x, and the partitioner divides it along y. A device's number has no
// meaning then, so the position along x comes as the part of an iota; the place of a sum is not read.

// CHECK-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<1xi32>) -> tensor<4xf32>
// CHECK-NOT:     partition_id
// CHECK:         stablehlo.reshape %[[I]] : (tensor<1xi32>) -> tensor<i32>
// CHECK-LABEL: func.func @main(
// CHECK:         %[[IOTA:.*]] = stablehlo.iota dim = 0 : tensor<4xi32>
// CHECK:         stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x, %[[IOTA]]) {has_side_effect = true,
// CHECK-SAME{LITERAL}: [{\22x\22, ?}]>, <mesh<[\22x\22=4, \22y\22=2]>, [{\22x\22, ?}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = "anvl.axis_index"() {axes = ["x"], mesh = "x=4,y=2"} : () -> tensor<i32>
  %s = "anvl.all_reduce"(%x, %i) {axes = ["x"], kind = "sum", mesh = "x=4,y=2"}
    : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  %f = "anvl.convert"(%i) {dtype = "f32"} : (tensor<i32>) -> tensor<f32>
  %t = "anvl.broadcast_in_dim"(%f) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %y = "anvl.mul"(%s, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @each(tensor<16xf32>) -> tensor<16xf32>
    attributes {anvl.shard_map = {axes = ["x"], body = @body, mesh = "x=4,y=2", in = ["x"], out = ["x"]}}
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %y = func.call @each(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}
