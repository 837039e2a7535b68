// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=sign" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=sign" | %run --function=sign_adjoint --args='[-3.0]' \
// RUN:   | %numbers %s

// Flat on both sides of 0: a zero derivative.

// CHECK-LABEL: func.func @sign_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.sign"(%[[X]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         return %[[Y]], %[[ZERO]]

// HLO-LABEL: func.func @sign(
// HLO:         stablehlo.sign %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] -1.0
// NUMBERS-NEXT: f64[] 0.0
func.func @sign(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sign"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
