// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=logistic" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=logistic" \
// RUN:   | %run --function=logistic_adjoint --args='[40.0]' | %numbers %s

// The derivative of the logistic function is an op of its own, not y (1 - y), which has no digits
// where y is almost 1.

// CHECK-LABEL: func.func @logistic_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.logistic"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SLOPE:.*]] = "anvl.logistic_slope"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @logistic(
// HLO:         stablehlo.logistic %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 4.2483543e-18
func.func @logistic(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.logistic"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
