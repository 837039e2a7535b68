// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=cholesky_vjp --args='[[[4.0, 2.0], [2.0, 5.0]], [[1.0, 9.0], [0.0, 0.0]]]' \
// RUN:   | %numbers %s

// The gradient is symmetric, and does not see what lies above the diagonal of the factor.  What is
// not positive definite gives NaN.

// CHECK-LABEL: func.func private @cholesky_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>, %[[G:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[Y:.*]] = "anvl.cholesky"(%[[X]])
// CHECK:         %[[INSIDE:.*]] = "anvl.dot_general"(%[[Y]], %[[G]])
// CHECK:         %[[LEFT:.*]] = "anvl.triangular_solve"(%[[Y]], %{{.*}})
// CHECK:         %[[BOTH:.*]] = "anvl.triangular_solve"(%[[Y]], %[[LEFT]]) {left_side = true
// CHECK:         %[[HALF:.*]] = "anvl.mul"(%[[BOTH]], %{{.*}})
// CHECK:         %[[OTHER:.*]] = "anvl.transpose"(%[[HALF]])
// CHECK:         %[[DX:.*]] = "anvl.add"(%[[HALF]], %[[OTHER]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func private @cholesky_1(
// HLO:         %[[FACTOR:.*]]:2 = stablehlo.custom_call @lapack_dpotrf_ffi(
// HLO-SAME:      backend_config = {uplo = 76 : ui8}
// HLO:         %[[GOOD:.*]] = stablehlo.compare EQ, %[[FACTOR]]#1, %{{.*}}
// HLO:         %[[NAN:.*]] = stablehlo.constant dense<0x7FF8000000000000>
// HLO:         stablehlo.select %{{.*}}, %{{.*}}, %[[NAN]]
// HLO-LABEL: func.func @cholesky(
// HLO:         call @cholesky_1(

// NUMBERS: f64[2,2] 2.0 0.0 1.0 2.0
// NUMBERS-NEXT: f64[2,2] 0.25 0.0 0.0 0.0
func.func @cholesky(%x0: tensor<2x2xf64>) -> (tensor<2x2xf64>) {
  %y = "anvl.cholesky"(%x0) : (tensor<2x2xf64>) -> (tensor<2x2xf64>)
  return %y : tensor<2x2xf64>
}

func.func private @cholesky_vjp(tensor<2x2xf64>, tensor<2x2xf64>)
    -> (tensor<2x2xf64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @cholesky, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
