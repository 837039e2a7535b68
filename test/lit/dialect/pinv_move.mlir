// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=move_vjp --args='[[[3.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]]' \
// RUN:   | %numbers %s

// The bound keeps 3 and drops 1. Beside it the move in row 1 and column 2 is 3 * 3 / (9 - 1) of
// itself, with 3 * 1 / (9 - 1) of it in row 2 and column 1. The map is its own adjoint, and its
// derivative is that map of another move: no singular vector is differentiated.

// CHECK-LABEL: func.func private @move_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>, %[[C:[a-zA-Z0-9_]+]]: tensor<2x2xf64>, %[[G:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[W:.*]] = "anvl.pinv_move"(%[[X]], %[[C]])
// CHECK:         %[[DC:.*]] = "anvl.pinv_move"(%[[X]], %[[G]])
// CHECK-NOT:     "anvl.svd"
// CHECK:         return %[[W]], %{{.*}}, %[[DC]]

// HLO-LABEL: func.func private @pinv_move(
// HLO:         stablehlo.compare GT
// HLO:         %[[APART:.*]] = stablehlo.xor
// HLO:         stablehlo.select %[[APART]]
// HLO-LABEL: func.func @move(
// HLO:         %[[SVD:.*]]:3 = call @svd(

// NUMBERS: f64[2,2] 0.0 1.125 0.375 0.0
// NUMBERS-NEXT: f64[2,2] -0.09375 0.0 0.0 0.28125
// NUMBERS-NEXT: f64[2,2] 0.0 1.125 0.375 0.0
func.func @move(%x: tensor<2x2xf64>, %c: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %w = "anvl.pinv_move"(%x, %c) {rcond = 0.5 : f64}
    : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %w : tensor<2x2xf64>
}

func.func private @move_vjp(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
    -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
    attributes {anvl.vjp = {callee = @move, wrt = array<i64: 0, 1>, targets = array<i64: 0>}}
