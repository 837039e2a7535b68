// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --anvl-gradient --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=pinv_vjp --args='[[[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]' \
// RUN:   | %numbers %s

// Of a matrix of rank 1.  The derivative of 1/2 is -1/4; that of the zero beside it is 0, since no
// move that keeps the rank makes it grow.  A bound beyond rounding would ask for singular vectors.

// CHECK-LABEL: func.func private @pinv_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3x2xf64>
// CHECK:         %[[Y:.*]] = "anvl.pinv"(%[[X]])
// CHECK-NOT:     "anvl.svd"
// CHECK:         return %[[Y]], %{{.*}}

// HLO-LABEL: func.func private @svd(
// HLO:         stablehlo.custom_call @lapack_dgesdd_ffi(
// HLO-LABEL: func.func private @pinv_1(
// HLO-SAME:    %{{[a-zA-Z0-9_]+}}: tensor<3x2xf64>, %[[S:[a-zA-Z0-9_]+]]: tensor<2xf64>
// HLO:         stablehlo.compare GT, %[[S]], %{{.*}}
// HLO-LABEL: func.func @pinv(
// HLO:         %[[SVD:.*]]:3 = call @svd(
// HLO:         call @pinv_1(%[[SVD]]#0, %[[SVD]]#1, %[[SVD]]#2)

// NUMBERS: f64[2,3] 0.5 0.0 0.0 0.0 0.0 0.0
// NUMBERS-NEXT: f64[3,2] -0.25 0.0 0.0 0.0 0.0 0.0
func.func @pinv(%x0: tensor<3x2xf64>) -> (tensor<2x3xf64>) {
  %y = "anvl.pinv"(%x0) {rcond = 1.0e-15 : f64} : (tensor<3x2xf64>) -> (tensor<2x3xf64>)
  return %y : tensor<2x3xf64>
}

func.func private @pinv_vjp(tensor<3x2xf64>, tensor<2x3xf64>)
    -> (tensor<2x3xf64>, tensor<3x2xf64>)
    attributes {
      anvl.vjp = {callee = @pinv, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
