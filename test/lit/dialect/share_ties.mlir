// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=share_ties" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=share_ties" \
// RUN:   | %run --function=share_ties_adjoint --args='[[0.0, 1.0, 1.0, 5.0], [0.0, 3.0, 1.0, 2.0]]' \
// RUN:   | %numbers %s

// The two equal elements have the weights 3 and 1, and each gets 2.

// CHECK-LABEL: func.func @share_ties_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[W:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK:         "anvl.share_ties"(%[[X]]) {axis = 0
// CHECK:         %[[NEW:.*]] = "anvl.compare"({{.*}} NE>
// CHECK:         %[[NUMBER:.*]] = "anvl.cumsum"
// CHECK:         %[[SUM:.*]] = "stablehlo.scatter"
// CHECK:         %[[MEAN:.*]] = "anvl.div"
// CHECK:         %[[DX:.*]] = "anvl.gather"(%[[MEAN]],
// CHECK:         return %{{.*}}, %[[DX]]

// HLO-LABEL: func.func @share_ties(
// HLO-NOT:     anvl.

// NUMBERS: f64[] 14.0
// NUMBERS-NEXT: f64[4] 0.0 2.0 2.0 2.0
// NUMBERS-NEXT: f64[4] 0.0 1.0 1.0 5.0
func.func @share_ties(%x: tensor<4xf64>, %w: tensor<4xf64>) -> tensor<f64> {
  %y = "anvl.share_ties"(%x) {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  %z = "anvl.mul"(%y, %w) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum = "anvl.sum"(%z) {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
