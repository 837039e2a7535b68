// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=det_vjp --args='[[[1.0, 2.0], [3.0, 4.0]], 1.0]' \
// RUN:   | %numbers %s
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=det_vjp --args='[[[1.0, 2.0], [2.0, 4.0]], 1.0]' \
// RUN:   | %numbers %s --check-prefix=SINGULAR

// The gradient is the matrix of minors with their signs, written out for up to 4 rows, also where
// the determinant is 0.

// CHECK-LABEL: func.func private @det_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>, %[[G:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.det"(%[[X]])
// CHECK:         "anvl.slice"(%[[X]])
// CHECK-SAME:      limit_indices = array<i64: 1, 1>, start_indices = array<i64: 0, 0>
// CHECK:         %[[A:.*]] = "anvl.reshape"
// CHECK:         %[[B:.*]] = "anvl.reshape"
// CHECK:         %[[C:.*]] = "anvl.reshape"
// CHECK:         %[[D:.*]] = "anvl.reshape"
// CHECK:         %[[MINUS:.*]] = "anvl.neg"(%[[G]])
// CHECK:         "anvl.mul"(%[[MINUS]], %[[C]])
// CHECK:         "anvl.mul"(%[[MINUS]], %[[B]])
// CHECK:         "anvl.mul"(%[[G]], %[[D]])
// CHECK:         "anvl.mul"(%[[G]], %[[A]])
// CHECK-NOT:     "anvl.solve"
// CHECK:         return %[[Y]], %

// HLO-LABEL: func.func private @det_1(
// HLO-COUNT-2: stablehlo.multiply
// HLO:         stablehlo.subtract

// HLO-LABEL: func.func private @lu(
// HLO:         stablehlo.custom_call @lapack_dgetrf_ffi(

// HLO-LABEL: func.func private @det_2(
// HLO:         stablehlo.reduce({{.*}}) applies stablehlo.multiply

// HLO-LABEL: func.func @det(
// HLO:         call @det_1(

// HLO-LABEL: func.func @det_of_5_rows(
// HLO:         %[[LU:.*]]:3 = call @lu(
// HLO:         call @det_2(%[[LU]]#0, %[[LU]]#1)

// NUMBERS: f64[] -2.0
// NUMBERS-NEXT: f64[2,2] 4.0 -3.0 -2.0 1.0
// SINGULAR: f64[] 0.0
// SINGULAR-NEXT: f64[2,2] 4.0 -2.0 -2.0 1.0
func.func @det(%x0: tensor<2x2xf64>) -> (tensor<f64>) {
  %y = "anvl.det"(%x0) : (tensor<2x2xf64>) -> (tensor<f64>)
  return %y : tensor<f64>
}

func.func private @det_vjp(tensor<2x2xf64>, tensor<f64>)
    -> (tensor<f64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @det, wrt = array<i64: 0>, targets = array<i64: 0>}
    }

func.func @det_of_5_rows(%x0: tensor<5x5xf64>) -> (tensor<f64>) {
  %y = "anvl.det"(%x0) : (tensor<5x5xf64>) -> (tensor<f64>)
  return %y : tensor<f64>
}
