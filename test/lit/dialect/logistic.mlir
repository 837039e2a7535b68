// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=logistic" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=logistic" \
// RUN:   | %run --function=logistic_adjoint --args='[0.0]' | %numbers %s

// The logistic function has the derivative y (1 - y): 1/4 at 0, where it is 1/2.

// CHECK-LABEL: func.func @logistic_adjoint(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.logistic"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[ONE]], %[[Y]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[SUB]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[MUL]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @logistic(
// HLO:         stablehlo.logistic %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.5
// NUMBERS-NEXT: f64[] 0.25
func.func @logistic(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.logistic"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
