// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=triangular_solve_vjp --args='[[[2.0, 9.0], [1.0, 4.0]], [[2.0], [9.0]], [[1.0], [4.0]]]' \
// RUN:   | %numbers %s

// Solving with the transpose gives the cotangent of the right-hand side; that of the matrix is minus
// its product with the solution, on the triangle that is read.

// CHECK-LABEL: func.func private @triangular_solve_vjp(
// CHECK-SAME:    %[[A:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK-SAME:    %[[B:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK:         %[[X:.*]] = "anvl.triangular_solve"(%[[A]], %[[B]])
// CHECK:         %[[DB:.*]] = "anvl.triangular_solve"(%[[A]], %[[G]])
// CHECK-SAME:      transpose_a = #stablehlo<transpose TRANSPOSE>
// CHECK:         %[[XT:.*]] = "anvl.transpose"(%[[X]])
// CHECK:         %[[PRODUCT:.*]] = "anvl.dot_general"(%[[DB]], %[[XT]])
// CHECK:         %[[MINUS:.*]] = "anvl.neg"(%[[PRODUCT]])
// CHECK:         %[[DA:.*]] = "anvl.select"(%{{.*}}, %[[MINUS]], %{{.*}})
// CHECK:         return %[[X]], %[[DA]], %[[DB]]

// HLO-LABEL: func.func @triangular_solve(
// HLO:         stablehlo.custom_call @lapack_dtrsm_ffi(
// HLO-SAME:      backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}
// HLO-NEXT:    return

// NUMBERS: f64[2,1] 1.0 2.0
// NUMBERS-NEXT: f64[2,2] -0.0 0.0 -1.0 -2.0
// NUMBERS-NEXT: f64[2,1] 0.0 1.0
func.func @triangular_solve(%x0: tensor<2x2xf64>, %x1: tensor<2x1xf64>) -> (tensor<2x1xf64>) {
  %y = "anvl.triangular_solve"(%x0, %x1) {left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> (tensor<2x1xf64>)
  return %y : tensor<2x1xf64>
}

func.func private @triangular_solve_vjp(tensor<2x2xf64>, tensor<2x1xf64>, tensor<2x1xf64>)
    -> (tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x1xf64>)
    attributes {
      anvl.vjp = {callee = @triangular_solve, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
