// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=erf_inv" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=erf_inv" \
// RUN:   | %run --function=erf_inv_adjoint --args='[0.0]' | %numbers %s

// The inverse of erf has the inverse slope, at the result: sqrt(pi)/2 at 0.

// CHECK-LABEL: func.func @erf_inv_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.erf_inv"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[Y]])
// CHECK:         %[[NEG:.*]] = "anvl.neg"(%[[MUL]])
// CHECK:         %[[EXP:.*]] = "anvl.exp"(%[[NEG]])
// CHECK:         %[[CONSTANT:.*]] = "anvl.constant"() {value = dense<1.1283791670955126>
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[EXP]], %[[CONSTANT]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[MUL2]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @erf_inv(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 0.886227
func.func @erf_inv(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.erf_inv"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
