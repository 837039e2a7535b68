// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=erfc" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=erfc" | %run --function=erfc_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// erfc = 1 - erf, so its derivative is that of erf with the other sign.

// CHECK-LABEL: func.func @erfc_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.erfc"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[NEG:.*]] = "anvl.neg"(%[[MUL]])
// CHECK:         %[[EXP:.*]] = "anvl.exp"(%[[NEG]])
// CHECK:         %[[CONSTANT:.*]] = "anvl.constant"() {value = dense<1.1283791670955126>
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[EXP]], %[[CONSTANT]])
// CHECK:         %[[MUL3:.*]] = "anvl.mul"(%[[ONE]], %[[MUL2]])
// CHECK:         %[[DX:.*]] = "anvl.neg"(%[[MUL3]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @erfc(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] -1.12838
func.func @erfc(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.erfc"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
