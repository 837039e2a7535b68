// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0,1" | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0,1" | filecheck %s --check-prefix=SECOND

// The first manual computation also returns the sum over y, which the second reads: no sum of the
// function runs again. Each device keeps its own, along an axis that both axes of the mesh cut. The
// result is cut along each axis, so it is its own residual; the arguments are there.

// CHECK-LABEL: func.func @main_adjoint(
// CHECK:         %[[ALL:.*]]:2 = call @each_forward(%x, %w)
// CHECK:         call @each_adjoint(%[[ALL]]#1, %[[ALL]]#0, %x, %w, %{{.*}})
// CHECK-LABEL: func.func private @body_forward(
// CHECK:         %[[TOTAL:.*]] = "anvl.all_reduce"
// CHECK:         %[[Y:.*]] = "anvl.exp"
// CHECK:         %[[ROW:.*]] = "anvl.reshape"(%[[TOTAL]]) : (tensor<2xf32>) -> tensor<1x2xf32>
// CHECK:         return %[[Y]], %[[ROW]]
// CHECK:       @each_forward(tensor<16xf32>, tensor<2xf32>) -> (tensor<16xf32>, tensor<8x2xf32>)
// CHECK-SAME:      in = ["x*y", "-"], mesh = "x=4,y=2", out = ["x*y", "x*y,-"]

// SECOND-LABEL: func.func private @body_adjoint(
// SECOND-NOT:     "anvl.exp"
// SECOND:         "anvl.all_reduce"(%{{.*}}) {axes = ["y"]
// SECOND:         "anvl.all_reduce"(%{{.*}}) {axes = ["x", "y"]
// SECOND-NOT:     "anvl.all_reduce"
// SECOND:         return
// SECOND:       in = ["x*y,-", "x*y", "x*y", "-", "x*y"], mesh = "x=4,y=2", out = ["x*y", "-"]
func.func private @body(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %p = "anvl.axis_index"() {mesh = "x=4,y=2", axes = ["y"]} : () -> tensor<i32>
  %s = "anvl.all_reduce"(%x, %p) {mesh = "x=4,y=2", axes = ["y"], kind = "sum"} : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  %v = "anvl.mul"(%s, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = "anvl.mul"(%v, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %y = "anvl.exp"(%z) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @each(tensor<16xf32>, tensor<2xf32>) -> tensor<16xf32>
    attributes {anvl.shard_map = {body = @body, mesh = "x=4,y=2", in = ["x*y", "-"], out = ["x*y"]}}
func.func @main(%x: tensor<16xf32>, %w: tensor<2xf32>) -> tensor<f32> {
  %y = func.call @each(%x, %w) : (tensor<16xf32>, tensor<2xf32>) -> tensor<16xf32>
  %s = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<16xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
