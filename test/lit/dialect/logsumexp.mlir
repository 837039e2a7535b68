// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=logsumexp" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=logsumexp" \
// RUN:   | %run --function=logsumexp_adjoint --args='[[0.0, -2.0]]' | %numbers %s

// The largest, and the logarithm of the sum over its own.
// Each element has its share, which `softmax` says, as slope.

// CHECK-LABEL: func.func @logsumexp_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.logsumexp"(%[[X]])
// CHECK:         %[[SHARE:.*]] = "anvl.softmax"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[SHARE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @logsumexp(
// HLO-NOT:     anvl.
// HLO:         stablehlo.reduce
// HLO:         stablehlo.exponential
// HLO:         stablehlo.reduce
// HLO:         return

// NUMBERS: f64[] 0.1269280110
// NUMBERS-NEXT: f64[2] 0.8807970780 0.1192029220
func.func @logsumexp(%x: tensor<2xf64>) -> tensor<f64> {
  %y = "anvl.logsumexp"(%x) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %y : tensor<f64>
}
