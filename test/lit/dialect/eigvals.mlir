// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=eigvals_vjp --args='[[[2.0, 1.0], [0.0, 3.0]], [1.0, 0.0]]' \
// RUN:   | %numbers %s

// The values alone are cheaper; their derivative asks for the vectors too.

// CHECK-LABEL: func.func private @eigvals_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[W:.*]] = "anvl.eigvals"(%[[X]])
// CHECK:         "anvl.eig"(%[[X]])
// CHECK:         return %[[W]], %{{.*}}

// HLO-LABEL: func.func private @eigvals_1(
// HLO:         stablehlo.custom_call @lapack_dgeev_ffi(
// HLO-SAME:      backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}
// HLO-LABEL: func.func @eigvals(
// HLO:         call @eigvals_1(

// NUMBERS: c128[2] 2.0+0.0j 3.0+0.0j
// NUMBERS-NEXT: f64[2,2] 1.0 0.0 -1.0 0.0
func.func @eigvals(%x0: tensor<2x2xf64>) -> (tensor<2xcomplex<f64>>) {
  %y = "anvl.eigvals"(%x0) : (tensor<2x2xf64>) -> (tensor<2xcomplex<f64>>)
  return %y : tensor<2xcomplex<f64>>
}

func.func private @eigvals_vjp(tensor<2x2xf64>, tensor<2xcomplex<f64>>)
    -> (tensor<2xcomplex<f64>>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @eigvals, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
