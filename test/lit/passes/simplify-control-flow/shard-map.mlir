// RUN: anvl-opt %s --anvl-simplify-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-simplify-control-flow --anvl-simplify-control-flow | filecheck %s

// A result that is not used goes, with the collective for it and the argument that only it reads.
// Where all is used, nothing changes.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[Y:.*]] = call @[[PART:.*]](%x) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK:         %[[Z:.*]]:2 = call @each(%x, %w)
// CHECK:         return %[[Y]], %[[Z]]#0, %[[Z]]#1
// CHECK-LABEL: func.func private @body_part(
// CHECK-NOT:     all_reduce
// CHECK:         return
// CHECK:       func.func private @[[PART]](tensor<8xf32>) -> tensor<8xf32> attributes
// CHECK-SAME:      {anvl.shard_map = {body = @body_part, in = ["x"], mesh = "x=4", out = ["x"]}}
func.func private @body(%x: tensor<2xf32>, %w: tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
  %y = "anvl.sin"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %p = "anvl.axis_index"() {mesh = "x=4", axes = ["x"]} : () -> tensor<i32>
  %s = "anvl.all_reduce"(%w, %p) {mesh = "x=4", axes = ["x"], kind = "sum"} : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return %y, %s : tensor<2xf32>, tensor<3xf32>
}
func.func private @each(tensor<8xf32>, tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>)
    attributes {anvl.shard_map = {body = @body, mesh = "x=4", in = ["x", "-"], out = ["x", "-"]}}
func.func @main(%x: tensor<8xf32>, %w: tensor<3xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<3xf32>) {
  %a:2 = func.call @each(%x, %w) : (tensor<8xf32>, tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>)
  %b:2 = func.call @each(%x, %w) : (tensor<8xf32>, tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>)
  return %a#0, %b#0, %b#1 : tensor<8xf32>, tensor<8xf32>, tensor<3xf32>
}
