// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=lu_vjp --args='[[[1.0, 2.0], [2.0, 8.0]], [[1.0, 0.0], [0.0, 1.0]]]' \
// RUN:   | %numbers %s

// Both factors in one matrix, and how its rows were ordered.  The pivots of LAPACK count from 1; a
// loop follows them to the permutation.  The adjoint is NaN where the matrix is singular.

// CHECK-LABEL: func.func private @lu_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>, %[[G:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[LU:.*]]:3 = "anvl.lu"(%[[X]])
// CHECK:         "anvl.all"(%{{.*}})
// CHECK:         %[[UPPER:.*]] = "anvl.select"(%{{.*}}, %[[LU]]#0, %{{.*}})
// CHECK:         "anvl.dot_general"(%[[G]], %[[UPPER]])
// CHECK:         "anvl.triangular_solve"(%[[UPPER]], %{{.*}})
// CHECK:         %[[MOVED:.*]] = "anvl.triangular_solve"(%[[LU]]#0, %{{.*}})
// CHECK:         %[[KNOWN:.*]] = "anvl.mul"(%[[MOVED]], %{{.*}})
// CHECK:         %[[DX:.*]] = "anvl.gather"(%[[KNOWN]], %{{.*}})
// CHECK:         return %[[LU]]#0, %[[LU]]#1, %[[LU]]#2, %[[DX]]

// HLO-LABEL: func.func private @lu_1(
// HLO:         %[[LU:.*]]:3 = stablehlo.custom_call @lapack_dgetrf_ffi(
// HLO:         %[[PIVOTS:.*]] = stablehlo.subtract %[[LU]]#1, %{{.*}}
// HLO:         stablehlo.while
// HLO-LABEL: func.func @lu(
// HLO:         call @lu_1(

// NUMBERS: f64[2,2] 2.0 8.0 0.5 -2.0
// NUMBERS-NEXT: i32[2] 1 1
// NUMBERS-NEXT: i32[2] 1 0
// NUMBERS-NEXT: f64[2,2] -4.0 1.0 3.0 -0.5
func.func @lu(%x0: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>) {
  %y:3 = "anvl.lu"(%x0) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>)
  return %y#0, %y#1, %y#2 : tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>
}

func.func private @lu_vjp(tensor<2x2xf64>, tensor<2x2xf64>)
    -> (tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @lu, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
