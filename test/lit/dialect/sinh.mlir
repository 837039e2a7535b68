// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=sinh" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=sinh" | %run --function=sinh_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// The derivative of sinh is cosh: 1 at 0.

// CHECK-LABEL: func.func @sinh_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.sinh"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[COSH:.*]] = "anvl.cosh"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[COSH]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @sinh(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 1.0
func.func @sinh(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sinh"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
