// RUN: anvl-opt %s --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-gradient=function=main --anvl-lower-to-stablehlo \
// RUN:   | %run --function=main_adjoint --args='[0.0]' | %numbers %s

// A composite is its decomposition, so it has the derivative of that, also inside of another.

// CHECK-LABEL: func.func private @tanh(
// CHECK:         "anvl.tanh"
// CHECK-LABEL: func.func private @twice(
// CHECK:         %[[ONCE:.*]] = call @tanh(
// CHECK:         call @tanh(%[[ONCE]])
// CHECK-LABEL: func.func @main(
// CHECK:         call @twice(
// CHECK-NOT:   stablehlo.composite

// NUMBERS: f32[] 0.0
// NUMBERS: f32[] 1.0
func.func private @tanh(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tanh %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "my.tanh" %x {decomposition = @tanh} : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.composite "my.tanh" %0 {
    decomposition = @tanh, version = 1 : i32, composite_attributes = {note = "a"}
  } : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "my.twice" %x {decomposition = @twice} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
