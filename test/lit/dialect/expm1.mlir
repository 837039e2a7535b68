// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=expm1" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=expm1" \
// RUN:   | %run --function=expm1_adjoint --args='[0.0]' | %numbers %s

// exp(x) - 1 has the derivative exp(x), not the result plus 1, which has no digits where x is low.

// CHECK-LABEL: func.func @expm1_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.expm1"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[EXP:.*]] = "anvl.exp"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[EXP]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @expm1(
// HLO:         stablehlo.exponential_minus_one %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 1.0
func.func @expm1(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.expm1"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
