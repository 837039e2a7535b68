// RUN: anvl-opt %s --verify-each --anvl-mixed-precision | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-mixed-precision --anvl-gradient --anvl-control-flow --anvl-inline | filecheck %s --check-prefix=INLINE

// A function with the attribute, and what it calls or names: the body of a scan, and a function that others call too, which
// is copied.  A derivative of it follows: its contractions are of bf16, and cotangents are added in f32.

// CHECK-LABEL: func.func @main(
// CHECK:         call @shared(
// CHECK:         call @mixed(
// CHECK:       func.func private @shared(
// CHECK:         "anvl.dot_general"{{.*}} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK:       func.func private @mixed(%{{.*}}: tensor<2x2xf32>, %{{.*}}: tensor<2xf32>) -> tensor<2xf32> {
// CHECK:         call @shared_bf16(
// CHECK:         call @looped(
// CHECK:       func.func private @looped({{.*}}) -> tensor<2xf32> attributes {anvl.scan = {body = @step_bf16,
// CHECK:       func.func private @plain({{.*}}) -> tensor<2xf32> attributes {anvl.scan = {body = @step,
// INLINE:      func.func @main
// INLINE:        (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
// INLINE:        (tensor<2x2xbf16>, tensor<2xbf16>) -> tensor<2xf32>
func.func @main(%w: tensor<2x2xf32>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) {
  %a = call @shared(%w, %x) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = call @mixed(%w, %a) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = call @plain(%b, %w) : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  %d:2 = call @mixed_vjp(%w, %x, %c) : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>)
  return %a, %b, %c, %d#1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>
}
func.func private @shared(%w: tensor<2x2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "anvl.dot_general"(%w, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @mixed(%w: tensor<2x2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> attributes {anvl.mixed_precision = "bf16"} {
  %y = call @shared(%w, %x) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = call @looped(%y, %w) : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
func.func private @step(%x: tensor<2xf32>, %w: tensor<2x2xf32>) -> tensor<2xf32> {
  %y = "anvl.dot_general"(%w, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @looped(tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32> attributes {anvl.scan = {body = @step, carry = 1 : i64, length = 5 : i64, reverse = false, xs = 0 : i64}}
func.func private @plain(tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32> attributes {anvl.scan = {body = @step, carry = 1 : i64, length = 5 : i64, reverse = false, xs = 0 : i64}}
func.func private @mixed_vjp(tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>) attributes {anvl.vjp = {callee = @mixed, wrt = array<i64: 0>, targets = array<i64: 0>}}
