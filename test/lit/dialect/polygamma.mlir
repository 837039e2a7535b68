// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=polygamma wrt=1" --cse \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=polygamma wrt=1" \
// RUN:   | %run --function=polygamma_adjoint --args='[1.0, 1.0]' \
// RUN:   | %numbers %s

// The derivative with respect to x has the next order: pi^2/6 and -2 zeta(3) for orders 1 and 2 at
// 1. The order is a whole number, and has no derivative.

// CHECK-LABEL: func.func @polygamma_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.polygamma"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[X]], %[[ONE]])
// CHECK:         %[[POLYGAMMA:.*]] = "anvl.polygamma"(%[[ADD]], %[[Y]])
// CHECK:         %[[DY:.*]] = "anvl.mul"(%[[ONE]], %[[POLYGAMMA]])
// CHECK:         return %[[Z]], %[[DY]]

// HLO-LABEL: func.func @polygamma(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 1.64493
// NUMBERS-NEXT: f64[] -2.40411
func.func @polygamma(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.polygamma"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
