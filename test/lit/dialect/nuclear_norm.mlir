// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=nuclear_norm" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=nuclear_norm" \
// RUN:   | %run --function=nuclear_norm_adjoint --args='[[[0.0, 3.0], [2.0, 0.0]]]' | %numbers %s

// The sum of the singular values grows by u vt, which knows nothing of the values themselves.

// CHECK-LABEL: func.func @nuclear_norm_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[Y:.*]] = "anvl.nuclear_norm"(%[[X]])
// CHECK:         %[[U:.*]]:3 = "anvl.svd"(%[[X]])
// CHECK:         "anvl.dot_general"(%[[U]]#0, %[[U]]#2)
// CHECK:         return %[[Y]], %

// HLO-LABEL: func.func @nuclear_norm(
// HLO-NOT:     anvl.
// HLO:         stablehlo.reduce

// NUMBERS: f64[] 5.0
// NUMBERS-NEXT: f64[2,2] 0.0 1.0 1.0 0.0
func.func @nuclear_norm(%x: tensor<2x2xf64>) -> tensor<f64> {
  %y = "anvl.nuclear_norm"(%x) : (tensor<2x2xf64>) -> tensor<f64>
  return %y : tensor<f64>
}
