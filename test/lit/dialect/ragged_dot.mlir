// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=rows_vjp --args='[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], \
// RUN:     [[[1.0], [10.0]], [[2.0], [20.0]]], [2, 1], [[1.0], [2.0], [3.0], [4.0]]]' \
// RUN:   | %numbers %s --check-prefix=ROWS
// RUN: %run %s --function=sums --args='[[[1.0], [2.0], [3.0], [4.0]], \
// RUN:     [[10.0], [20.0], [30.0], [40.0]], [2, 1]]' \
// RUN:   | %numbers %s --check-prefix=SUMS

// Each row times the matrix of its group.  The cotangent of the rows is the same of the cotangent;
// that of the matrices sums over the rows of each group.  A row of no group has no part in any.

// CHECK-LABEL: func.func private @rows_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4x2xf64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<2x2x1xf64>
// CHECK-SAME:    %[[SIZES:[a-zA-Z0-9_]+]]: tensor<2xi32>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<4x1xf64>
// CHECK:         %[[Z:.*]] = "anvl.ragged_dot"(%[[X]], %[[Y]], %[[SIZES]])
// CHECK:         %[[DX:.*]] = "anvl.ragged_dot"(%[[G]], %[[Y]], %[[SIZES]])
// CHECK-SAME:      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2],
// CHECK-SAME:      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]
// CHECK:         %[[DY:.*]] = "anvl.ragged_dot"(%[[X]], %[[G]], %[[SIZES]])
// CHECK-SAME:      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0],
// CHECK-SAME:      lhs_ragged_dimensions = [0]>
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func private @ragged_dot(
// HLO:         %[[MASK:.*]] = stablehlo.and
// HLO:         %[[ALL:.*]] = stablehlo.dot_general {{.*}}, contracting_dims = [1] x [1]
// HLO:         %[[OWN:.*]] = stablehlo.broadcast_in_dim %[[MASK]]
// HLO:         %[[KEPT:.*]] = stablehlo.select %[[OWN]], %[[ALL]]
// HLO:         stablehlo.reduce(%[[KEPT]]

// ROWS:      f64[4,1] 21.0 43.0 130.0 0.0
// ROWS-NEXT: f64[4,2] 1.0 10.0 2.0 20.0 6.0 60.0 0.0 0.0
// ROWS-NEXT: f64[2,2,1] 7.0 10.0 15.0 18.0
func.func @rows(%x: tensor<4x2xf64>, %y: tensor<2x2x1xf64>, %sizes: tensor<2xi32>) -> tensor<4x1xf64> {
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf64>, tensor<2x2x1xf64>, tensor<2xi32>) -> tensor<4x1xf64>
  return %z : tensor<4x1xf64>
}

func.func private @rows_vjp(tensor<4x2xf64>, tensor<2x2x1xf64>, tensor<2xi32>, tensor<4x1xf64>)
    -> (tensor<4x1xf64>, tensor<4x2xf64>, tensor<2x2x1xf64>)
    attributes {
      anvl.vjp = {callee = @rows, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }

// Sums over the rows of each group.

// SUMS: f64[2,1,1] 50.0 90.0
func.func @sums(%x: tensor<4x1xf64>, %y: tensor<4x1xf64>, %sizes: tensor<2xi32>) -> tensor<2x1x1xf64> {
  %z = "anvl.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0],
      lhs_ragged_dimensions = [0]>
  } : (tensor<4x1xf64>, tensor<4x1xf64>, tensor<2xi32>) -> tensor<2x1x1xf64>
  return %z : tensor<2x1x1xf64>
}
