// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=erf" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=erf" | %run --function=erf_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// The derivative of erf is 2/sqrt(pi) exp(-x^2): 1.12838 at 0.

// CHECK-LABEL: func.func @erf_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.erf"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[NEG:.*]] = "anvl.neg"(%[[MUL]])
// CHECK:         %[[EXP:.*]] = "anvl.exp"(%[[NEG]])
// CHECK:         %[[CONSTANT:.*]] = "anvl.constant"() {value = dense<1.1283791670955126>
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[EXP]], %[[CONSTANT]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[MUL2]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @erf(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 1.12838
func.func @erf(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.erf"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
