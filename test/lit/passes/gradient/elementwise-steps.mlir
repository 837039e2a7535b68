// RUN: anvl-opt %s -p gradient | filecheck %s
// RUN: anvl-opt %s -p gradient | filecheck %s --check-prefix=OTHER

// The Jacobian of elementwise steps is diagonal: one loop computes the value and the diagonal.

// CHECK-LABEL: func.func private @f_vjp(
// CHECK-SAME:      %[[G:[a-z0-9_]+]]: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
// CHECK:         %[[ONES:.*]] = "anvl.constant"() {value = dense<1.000000e+00> : tensor<3xf32>}
// CHECK:         %[[LOOP:.*]]:2 = call @each_tangent(%{{.*}}, %[[ONES]], %{{.*}})
// CHECK-NOT:     backward
// CHECK:         "anvl.mul"(%[[G]], %[[LOOP]]#1)
// CHECK:         return %[[LOOP]]#0

// With a cotangent of the factor, or with a step that mixes elements, there are two loops.
// OTHER-LABEL: func.func private @f_of_both(
// OTHER:         call @each_forward
// OTHER:         call @each_backward
// OTHER-LABEL: func.func private @mixed_vjp(
// OTHER:         call @all_forward
// OTHER:         call @all_backward
func.func private @step(%x: tensor<3xf32>, %a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.mul"(%0, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
func.func private @mixing(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
func.func private @each(tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    attributes {anvl.scan = {body = @step, carry = 1 : i64, xs = 0 : i64, length = 9 : i64, reverse = false}}
func.func private @all(tensor<3xf32>) -> tensor<3xf32>
    attributes {anvl.scan = {body = @mixing, carry = 1 : i64, xs = 0 : i64, length = 9 : i64, reverse = false}}
func.func private @f(%x: tensor<3xf32>, %a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @each(%x, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @mixed(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @all(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @f_vjp(tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @f_of_both(tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0, 1>, targets = array<i64: 0>}}
func.func private @mixed_vjp(tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    attributes {anvl.vjp = {callee = @mixed, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:2 = call @f_vjp(%x, %x, %x) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %1:3 = call @f_of_both(%x, %x, %x) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %2:2 = call @mixed_vjp(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#1, %1#1, %2#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
