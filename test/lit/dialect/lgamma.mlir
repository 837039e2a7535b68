// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=lgamma" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=lgamma" \
// RUN:   | %run --function=lgamma_adjoint --args='[3.0]' | %numbers %s

// The derivative of log gamma is digamma: 3/2 - 0.577216 (Euler's constant) at 3, where gamma is 2.

// CHECK-LABEL: func.func @lgamma_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.lgamma"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DIGAMMA:.*]] = "anvl.digamma"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[DIGAMMA]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @lgamma(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.693147
// NUMBERS-NEXT: f64[] 0.922784
func.func @lgamma(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.lgamma"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
