// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=eig_vjp --args='[[[0.0, 1.0], [-1.0, 0.0]], [1.0, 1.0], [[0.0, 0.0], [0.0, 0.0]]]' \
// RUN:   | %numbers %s

// A rotation has complex eigenvalues; their sum is the trace.  A system of equations with the
// eigenvectors stands in for their inverse.  Where two values are equal the sum is NaN.

// CHECK-LABEL: func.func private @eig_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[Y:.*]]:2 = "anvl.eig"(%[[X]])
// CHECK:         "anvl.solve"(%[[Y]]#1, %{{.*}})
// CHECK:         %[[KNOWN:.*]] = "anvl.real"
// CHECK:         %[[DX:.*]] = "anvl.add"(%[[KNOWN]], %
// CHECK-NEXT:    return %[[Y]]#0, %[[Y]]#1, %[[DX]]

// HLO-LABEL: func.func private @eig_1(
// HLO:         %[[Y:.*]]:5 = stablehlo.custom_call @lapack_dgeev_ffi(
// HLO-SAME:      backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}
// HLO:         %[[RE:.*]] = stablehlo.multiply %[[Y]]#0, %{{.*}}
// HLO:         %[[IM:.*]] = stablehlo.multiply %[[Y]]#1, %{{.*}}
// HLO:         stablehlo.complex %[[RE]], %[[IM]]
// HLO:         stablehlo.compare EQ, %[[Y]]#4, %{{.*}}
// HLO-LABEL: func.func @eig(
// HLO:         call @eig_1(

// NUMBERS: c128[2] 0.0+1.0j 0.0-1.0j
// NUMBERS-NEXT: c128[2,2] ...
// NUMBERS-NEXT: f64[2,2] 1.0 0.0 0.0 1.0
func.func @eig(%x0: tensor<2x2xf64>) -> (tensor<2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) {
  %y:2 = "anvl.eig"(%x0) : (tensor<2x2xf64>) -> (tensor<2xcomplex<f64>>, tensor<2x2xcomplex<f64>>)
  return %y#0, %y#1 : tensor<2xcomplex<f64>>, tensor<2x2xcomplex<f64>>
}

func.func private @eig_vjp(tensor<2x2xf64>, tensor<2xcomplex<f64>>, tensor<2x2xcomplex<f64>>)
    -> (tensor<2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @eig, wrt = array<i64: 0>, targets = array<i64: 0, 1>}
    }
