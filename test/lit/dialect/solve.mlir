// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=solve_vjp --args='[[[2.0, 1.0], [0.0, 4.0]], [[4.0], [8.0]], [[2.0], [1.0]]]' \
// RUN:   | %numbers %s

// The cotangent of the right-hand side solves the transposed equations; that of the matrix is minus
// its product with the solution.  The factorisation is not differentiated.

// CHECK-LABEL: func.func private @solve_vjp(
// CHECK-SAME:    %[[A:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK-SAME:    %[[B:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK:         %[[X:.*]] = "anvl.solve"(%[[A]], %[[B]])
// CHECK:         %[[DB:.*]] = "anvl.solve"(%[[A]], %[[G]]) {transpose_a = #stablehlo<transpose TRANSPOSE>}
// CHECK:         %[[XT:.*]] = "anvl.transpose"(%[[X]])
// CHECK:         %[[PRODUCT:.*]] = "anvl.dot_general"(%[[DB]], %[[XT]])
// CHECK:         %[[DA:.*]] = "anvl.neg"(%[[PRODUCT]])
// CHECK:         return %[[X]], %[[DA]], %[[DB]]

// HLO-LABEL: func.func private @lu(
// HLO:         stablehlo.custom_call @lapack_dgetrf_ffi(
// HLO:         stablehlo.while
// HLO-LABEL: func.func private @solve_1(
// HLO:         stablehlo.gather
// HLO:         %[[Y:.*]] = stablehlo.custom_call @lapack_dtrsm_ffi(
// HLO-SAME:      backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}
// HLO:         stablehlo.custom_call @lapack_dtrsm_ffi(%{{.*}}, %[[Y]])
// HLO-SAME:      backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}
// HLO-LABEL: func.func @solve(
// HLO-SAME:    %[[A:[a-zA-Z0-9_]+]]: tensor<2x2xf64>, %[[B:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// HLO:         %[[LU:.*]]:3 = call @lu(%[[A]])
// HLO:         call @solve_1(%[[B]], %[[LU]]#0, %[[LU]]#2)

// NUMBERS: f64[2,1] 1.0 2.0
// NUMBERS-NEXT: f64[2,2] -1.0 -2.0 -0.0 -0.0
// NUMBERS-NEXT: f64[2,1] 1.0 0.0
func.func @solve(%x0: tensor<2x2xf64>, %x1: tensor<2x1xf64>) -> (tensor<2x1xf64>) {
  %y = "anvl.solve"(%x0, %x1) {transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> (tensor<2x1xf64>)
  return %y : tensor<2x1xf64>
}

func.func private @solve_vjp(tensor<2x2xf64>, tensor<2x1xf64>, tensor<2x1xf64>)
    -> (tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x1xf64>)
    attributes {
      anvl.vjp = {callee = @solve, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
