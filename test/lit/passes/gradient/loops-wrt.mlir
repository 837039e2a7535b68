// RUN: anvl-opt %s -p gradient | filecheck %s
// RUN: anvl-opt %s -p gradient,forward | filecheck %s --check-prefix=TWICE
// RUN: anvl-opt %s -p gradient,vectorize | filecheck %s --check-prefix=BATCH

// Only the start is differentiated: no step computes a cotangent of the factor.  The loop that
// saves residuals takes the place of the first one, which is neither differentiated again nor
// batched.

// CHECK-LABEL: func.func private @f_vjp(
// CHECK:         call @each_backward({{.*}}) : ({{.*}}) -> tensor<2xf32>
// CHECK-LABEL: func.func private @step_backward(
// CHECK-SAME:      %[[G:.*]]: tensor<2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NOT:     anvl.add

// The tangent of the backward loop reads what the loop with tangents saved.
// TWICE-LABEL: func.func private @slope_jvp(
// TWICE-NOT:     call @each(
// TWICE:         %[[LOOP:.*]]:{{[0-9]+}} = call @each_forward_tangent(
// TWICE-NOT:     @each_forward(
// TWICE:         call @each_backward_tangent({{.*}}%[[LOOP]]#
// TWICE:         return

// BATCH-LABEL: func.func private @slopes(
// BATCH:         call @each_forward_batched(
// BATCH-NOT:     call @each_batched(
// BATCH:         return
func.func private @step(%x: tensor<2xf32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "anvl.sin"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "anvl.mul"(%0, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = "anvl.reverse"(%1) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func private @each(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    attributes {anvl.scan = {body = @step, carry = 1 : i64, xs = 0 : i64, length = 9 : i64, reverse = false}}
func.func private @f(%x: tensor<2xf32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @each(%x, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f_vjp(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @slope(%x: tensor<2xf32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = call @f_vjp(%x, %a, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#1 : tensor<2xf32>
}
func.func private @slope_jvp(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    attributes {anvl.jvp = {callee = @slope, wrt = array<i64: 0>}}
func.func private @slopes(tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
    attributes {anvl.vmap = {callee = @slope, batched = array<i64: 0>, results = array<i64: 0>, size = 4 : i64}}
func.func @main(%x: tensor<2xf32>, %xs: tensor<4x2xf32>, %a: tensor<2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>) {
  %0:2 = call @slope_jvp(%x, %a, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %1 = call @slopes(%xs, %a) : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0#1, %1 : tensor<2xf32>, tensor<4x2xf32>
}
