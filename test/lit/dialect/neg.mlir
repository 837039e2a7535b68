// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=neg" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=neg" | %run --function=neg_adjoint --args='[-2.0]' \
// RUN:   | %numbers %s

// The slope of -x is -1 everywhere.

// CHECK-LABEL: func.func @neg_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.neg"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.neg"(%[[ONE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @neg(
// HLO:         stablehlo.negate %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 2.0
// NUMBERS-NEXT: f64[] -1.0
func.func @neg(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.neg"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
