// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=cumsum_vjp --args='[[1.0, 2.0, 3.0, 4.0], [1.0, 10.0, 100.0, 1000.0]]' \
// RUN:   | %numbers %s

// Cumulative sums of the cotangent, from the other end.

// CHECK-LABEL: func.func private @cumsum_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK:         %[[CUMSUM:.*]] = "anvl.cumsum"(%[[X]]) {axis = 0 : i64}
// CHECK:         %[[CUMSUM2:.*]] = "anvl.cumsum"(%[[G]]) {axis = 0 : i64, reverse = true}
// CHECK:         return %[[CUMSUM]], %[[CUMSUM2]]

// HLO-LABEL: func.func @cumsum(
// HLO:         "stablehlo.reduce_window"({{.*}}) <{padding = dense<{{\[\[}}3, 0]]> : tensor<1x2xi64>,
// HLO:         window_dimensions = array<i64: 4>
// HLO:         stablehlo.add
// HLO:         return

// NUMBERS: f64[4] 1.0 3.0 6.0 10.0
// NUMBERS-NEXT: f64[4] 1111.0 1110.0 1100.0 1000.0
func.func @cumsum(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = "anvl.cumsum"(%x) {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @cumsum_vjp(tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
    attributes {
      anvl.vjp = {callee = @cumsum, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
