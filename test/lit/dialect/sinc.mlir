// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=sinc" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=sinc" \
// RUN:   | %run --function=sinc_adjoint --args='[0.0]' | %numbers %s

// The derivative of one order is the op of the next: at 0 the first is 0, the second -pi^2/3.

// CHECK-LABEL: func.func @sinc_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.sinc"(%[[X]]) {order = 1
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[NEXT:.*]] = "anvl.sinc"(%[[X]]) {order = 2
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[NEXT]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @sinc(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         stablehlo.sine
// HLO:         return

// NUMBERS: f64[] -0.0
// NUMBERS-NEXT: f64[] -3.28987
func.func @sinc(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sinc"(%x) {order = 1 : i64} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
