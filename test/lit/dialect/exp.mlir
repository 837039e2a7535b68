// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=exp" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=exp" | %run --function=exp_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// exp is its own derivative: the adjoint uses the result. exp(0) = 1.

// CHECK-LABEL: func.func @exp_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.exp"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[Y]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @exp(
// HLO:         stablehlo.exponential %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 1.0
func.func @exp(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
