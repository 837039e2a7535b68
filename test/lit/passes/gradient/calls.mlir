// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main" | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=main" | %run --function=main_adjoint --args='[3.0]' \
// RUN:   | %numbers %s

// Calls are inlined in the adjoint, and stay in the function itself. (x^2)^2 = 81 has the slope
// 4 x^3 = 108 at 3.

// CHECK-LABEL: func.func @main_adjoint(
// CHECK-NOT:     call
// CHECK:         return
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: call @square(

// NUMBERS:      f64[] 81.0
// NUMBERS-NEXT: f64[] 108.0
func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @square(%x) : (tensor<f64>) -> tensor<f64>
  %1 = call @square(%0) : (tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
