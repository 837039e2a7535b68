// RUN: anvl-opt %s --split-input-file --verify-each --anvl-gradient="function=f split" \
// RUN:   | filecheck %s

// A result that the second function uses is a residual too; equal values are one residual, and of a
// broadcast it is the smaller operand. Calls are inlined.

// CHECK-LABEL: func.func @f_fwd(%x: tensor<f64>)
// CHECK-NEXT:    %[[Y:.*]] = "anvl.exp"(%x)
// CHECK-NEXT:    %[[YS:.*]] = "anvl.broadcast_in_dim"(%[[Y]])
// CHECK-NEXT:    %[[Z:.*]] = "anvl.mul"(%[[YS]], %[[YS]])
// CHECK-NEXT:    return %[[Y]], %[[Z]], %[[Y]] : tensor<f64>, tensor<9xf64>, tensor<f64>
// CHECK-LABEL: func.func @f_bwd(
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64> {anvl.residual}, %cotangent: tensor<f64>,
// CHECK-SAME:    %cotangent1: tensor<9xf64>) -> tensor<f64>
// CHECK-NEXT:    %[[YS:.*]] = "anvl.broadcast_in_dim"(%[[Y]])
// CHECK-NOT:     "anvl.exp"
// CHECK:         return %x_adjoint
func.func private @exp(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<9xf64>) {
  %y = call @exp(%x) : (tensor<f64>) -> tensor<f64>
  %again = call @exp(%x) : (tensor<f64>) -> tensor<f64>
  %a = "anvl.broadcast_in_dim"(%y) {shape = array<i64: 9>, broadcast_dimensions = array<i64>} : (tensor<f64>) -> tensor<9xf64>
  %b = "anvl.broadcast_in_dim"(%again) {shape = array<i64: 9>, broadcast_dimensions = array<i64>} : (tensor<f64>) -> tensor<9xf64>
  %z = "anvl.mul"(%a, %b) : (tensor<9xf64>, tensor<9xf64>) -> tensor<9xf64>
  return %y, %z : tensor<f64>, tensor<9xf64>
}

// -----

// What has an effect is done once, by the first. A cotangent may be an adjoint, and what nothing
// reaches is zeros.

// CHECK-LABEL: func.func @f_fwd(
// CHECK:         custom_call @note
// CHECK:         return %x : tensor<f64>
// CHECK-LABEL: func.func @f_bwd(%cotangent: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK-NOT:     custom_call
// CHECK:         %y_adjoint = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK-NEXT:    return %cotangent, %y_adjoint
func.func @f(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  stablehlo.custom_call @note(%x) {has_side_effect = true} : (tensor<f64>) -> ()
  return %x : tensor<f64>
}

// -----

// Captured arrays are captured by both, and are no residuals.

// CHECK-LABEL: func.func @f_fwd(%x: tensor<4xf64>) -> tensor<4xf64>
// CHECK-NEXT:    "anvl.captured"() {{.*}}index = 0
// CHECK-LABEL: func.func @f_bwd(%cotangent: tensor<4xf64>) -> tensor<4xf64>
// CHECK-NEXT:    "anvl.captured"() {{.*}}index = 0
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %c = "anvl.captured"() {index = 0 : i64} : () -> tensor<4xf64>
  %y = "anvl.mul"(%x, %c) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
