// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=round_nearest_even" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=round_nearest_even" \
// RUN:   | %run --function=round_nearest_even_adjoint --args='[2.5]' \
// RUN:   | %numbers %s

// Halves go to the even neighbour, 2.5 to 2. Flat wherever it is continuous.

// CHECK-LABEL: func.func @round_nearest_even_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.round_nearest_even"(%[[X]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         return %[[Y]], %[[ZERO]]

// HLO-LABEL: func.func @round_nearest_even(
// HLO:         stablehlo.round_nearest_even %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 2.0
// NUMBERS-NEXT: f64[] 0.0
func.func @round_nearest_even(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.round_nearest_even"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
