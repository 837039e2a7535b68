// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=cofactors_vjp --args='[[[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [10.0, 0.0]]]' \
// RUN:   | %numbers %s

// The derivative of a determinant of 5 rows and more. Where no determinant of the stack is 0, it is
// made of the inverse, and the singular values are not computed. Its own derivative is that of the
// determinant written out: of two rows the cofactors are the elements in another order.

// CHECK-LABEL: func.func private @det_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<7x5x5xf64>, %[[G:[a-zA-Z0-9_]+]]: tensor<7xf64>
// CHECK:         %[[EACH:.*]] = "anvl.broadcast_in_dim"(%[[G]])
// CHECK:         %[[COFACTORS:.*]] = "anvl.cofactors"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[EACH]], %[[COFACTORS]])
// CHECK:         return %{{.*}}, %[[DX]]

// HLO-LABEL: func.func private @cofactors_1(
// HLO-NOT:     lapack_dgesdd_ffi
// HLO:         %[[NORMAL:.*]] = stablehlo.reduce({{.*}} applies stablehlo.and
// HLO:         %[[FINITE:.*]] = stablehlo.reduce({{.*}} applies stablehlo.and
// HLO:         %[[USABLE:.*]] = stablehlo.and %[[NORMAL]], %[[FINITE]]
// HLO-NEXT:    %[[BRANCH:.*]] = stablehlo.convert %[[USABLE]]
// HLO-NEXT:    "stablehlo.case"(%[[BRANCH]]) ({
// HLO:           stablehlo.custom_call @lapack_dgesdd_ffi(
// HLO:         }, {
// HLO-NEXT:      stablehlo.return
// HLO-NEXT:    }) : (tensor<i32>) -> tensor<7x5x5xf64>

// NUMBERS: f64[2,2] 4.0 -3.0 -2.0 1.0
// NUMBERS-NEXT: f64[2,2] 0.0 -10.0 0.0 1.0
func.func @det(%x: tensor<7x5x5xf64>) -> tensor<7xf64> {
  %y = "anvl.det"(%x) : (tensor<7x5x5xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func private @det_vjp(tensor<7x5x5xf64>, tensor<7xf64>) -> (tensor<7xf64>, tensor<7x5x5xf64>)
    attributes {anvl.vjp = {callee = @det, wrt = array<i64: 0>, targets = array<i64: 0>}}

func.func @of_5_rows(%x: tensor<7x5x5xf64>) -> tensor<7x5x5xf64> {
  %y = "anvl.cofactors"(%x) : (tensor<7x5x5xf64>) -> tensor<7x5x5xf64>
  return %y : tensor<7x5x5xf64>
}

func.func @cofactors(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %y = "anvl.cofactors"(%x) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}

func.func private @cofactors_vjp(tensor<2x2xf64>, tensor<2x2xf64>)
    -> (tensor<2x2xf64>, tensor<2x2xf64>)
    attributes {anvl.vjp = {callee = @cofactors, wrt = array<i64: 0>, targets = array<i64: 0>}}
