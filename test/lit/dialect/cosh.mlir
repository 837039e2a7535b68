// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=cosh" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=cosh" | %run --function=cosh_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// The derivative of cosh is sinh: 0 at 0.

// CHECK-LABEL: func.func @cosh_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.cosh"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SINH:.*]] = "anvl.sinh"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SINH]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @cosh(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 0.0
func.func @cosh(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.cosh"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
