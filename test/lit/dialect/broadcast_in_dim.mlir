// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=broadcast_in_dim_vjp --args='[[[1.0], [2.0], [3.0]], \
// RUN:     [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]]' \
// RUN:   | %numbers %s

// What was repeated sums its cotangents.

// CHECK-LABEL: func.func private @broadcast_in_dim_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3x1xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3x2xf64>
// CHECK:         %[[Y:.*]] = "anvl.broadcast_in_dim"(%[[X]])
// CHECK-SAME:      broadcast_dimensions = array<i64: 0, 1>
// CHECK:         %[[SUM:.*]] = "anvl.sum"(%[[G]]) {axes = array<i64: 1>}
// CHECK:         %[[DX:.*]] = "anvl.reshape"(%[[SUM]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @broadcast_in_dim(
// HLO:         stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 1]
// HLO-NEXT:    return

// NUMBERS: f64[3,2] 1.0 1.0 2.0 2.0 3.0 3.0
// NUMBERS-NEXT: f64[3,1] 11.0 22.0 33.0
func.func @broadcast_in_dim(%x: tensor<3x1xf64>) -> tensor<3x2xf64> {
  %y = "anvl.broadcast_in_dim"(%x) {broadcast_dimensions = array<i64: 0, 1>}
      : (tensor<3x1xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func private @broadcast_in_dim_vjp(tensor<3x1xf64>, tensor<3x2xf64>)
    -> (tensor<3x2xf64>, tensor<3x1xf64>)
    attributes {
      anvl.vjp = {callee = @broadcast_in_dim, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
