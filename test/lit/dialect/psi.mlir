// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=psi" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=last" --cse | filecheck %s --check-prefix=LAST
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=psi" \
// RUN:   | %run --function=psi_adjoint --args='[1.0]' | %numbers %s

// The derivative of one order is the op of the next, and after the last one polygamma: pi^2/6 and
// -2 zeta(3) for orders 1 and 2 at 1. It needs no loop and no power.

// CHECK-LABEL: func.func @psi_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.psi"(%[[X]]) {order = 1
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[NEXT:.*]] = "anvl.psi"(%[[X]]) {order = 2
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[NEXT]])
// CHECK:         return %[[Y]], %[[DX]]

// LAST-LABEL: func.func @last_adjoint(
// LAST:         %[[FIVE:.*]] = "anvl.constant"() {value = dense<5.000000e+00>
// LAST:         "anvl.polygamma"(%[[FIVE]],

// HLO-LABEL: func.func private @psi
// HLO-NOT:     {{anvl|chlo}}.
// HLO-NOT:     stablehlo.{{while|power|sine}}
// HLO:         return

// NUMBERS: f64[] 1.64493
// NUMBERS-NEXT: f64[] -2.40411
func.func @psi(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.psi"(%x) {order = 1 : i64} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @last(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.psi"(%x) {order = 4 : i64} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
