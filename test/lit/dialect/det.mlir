// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=det_vjp --args='[[[1.0, 2.0], [3.0, 4.0]], 1.0]' \
// RUN:   | filecheck %s --check-prefix=NUMBERS

// The gradient is det(x) times the inverse, transposed; what repeats the factorisation, XLA merges.

// CHECK-LABEL: func.func private @det_vjp(
// CHECK-SAME:    %[[X:\w+]]: tensor<2x2xf64>, %[[G:\w+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.det"(%[[X]])
// CHECK:         "anvl.mul"(%[[G]], %[[Y]])
// CHECK:         %[[DX:.*]] = "anvl.solve"(%[[X]], %{{.*}}) {transpose_a = #stablehlo<transpose TRANSPOSE>}
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @det(
// HLO:         stablehlo.custom_call @lapack_dgetrf_ffi(
// HLO:         stablehlo.reduce({{.*}}) applies stablehlo.multiply

// NUMBERS: f64[] -2.0
// NUMBERS-NEXT: f64[2,2] 4.0 -3.0 -2.0 1.0
func.func @det(%x0: tensor<2x2xf64>) -> (tensor<f64>) {
  %y = "anvl.det"(%x0) : (tensor<2x2xf64>) -> (tensor<f64>)
  return %y : tensor<f64>
}

func.func private @det_vjp(tensor<2x2xf64>, tensor<f64>)
    -> (tensor<f64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @det, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
