// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=nextafter" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=nextafter" \
// RUN:   | %run --function=nextafter_adjoint --args='[1.0, 2.0]' \
// RUN:   | %numbers %s

// The neighbour of x towards y is x but for rounding: its slope is 1, and 0 in y.

// CHECK-LABEL: func.func @nextafter_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.nextafter"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         return %[[Z]], %[[ONE]], %[[ZERO]]

// HLO-LABEL: func.func @nextafter(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 1.0
// NUMBERS-NEXT: f64[] 0.0
func.func @nextafter(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.nextafter"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
