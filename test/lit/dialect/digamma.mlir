// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=digamma" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=digamma" \
// RUN:   | %run --function=digamma_adjoint --args='[1.0]' | %numbers %s

// The derivative of digamma is `psi` of order 1: pi^2/6 at 1, where digamma is minus Euler's
// constant.

// CHECK-LABEL: func.func @digamma_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.digamma"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[PSI:.*]] = "anvl.psi"(%[[X]]) {order = 1
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[PSI]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @digamma(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] -0.577216
// NUMBERS-NEXT: f64[] 1.64493
func.func @digamma(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.digamma"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
