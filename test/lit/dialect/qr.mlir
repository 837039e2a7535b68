// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=qr_vjp --args='[[[3.0, 1.0], [4.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]]' \
// RUN:   | %numbers %s

// The length of the first column, r[0, 0], grows along that column.  All is NaN at the end where
// the columns depend on each other.

// CHECK-LABEL: func.func private @qr_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[QR:.*]]:2 = "anvl.qr"(%[[X]])
// CHECK:         %[[MOVED:.*]] = "anvl.triangular_solve"(%[[QR]]#1, %{{.*}})
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[MOVED]], %{{.*}})
// CHECK:         return %[[QR]]#0, %[[QR]]#1, %[[DX]]

// HLO-LABEL: func.func private @qr_1(
// HLO:         %[[PACKED:.*]]:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(
// HLO:         stablehlo.custom_call @lapack_dorgqr_ffi(%[[PACKED]]#0, %[[PACKED]]#1)
// HLO-LABEL: func.func @qr(
// HLO:         call @qr_1(

// NUMBERS: f64[2,2] -0.6 -0.8 -0.8 0.6
// NUMBERS-NEXT: f64[2,2] -5.0 -2.2 0.0 0.4
// NUMBERS-NEXT: f64[2,2] -0.6 0.0 -0.8 0.0
func.func @qr(%x0: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>) {
  %y:2 = "anvl.qr"(%x0) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %y#0, %y#1 : tensor<2x2xf64>, tensor<2x2xf64>
}

func.func private @qr_vjp(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
    -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @qr, wrt = array<i64: 0>, targets = array<i64: 0, 1>}
    }
