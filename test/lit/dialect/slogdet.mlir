// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=slogdet_vjp --args='[[[1.0, 2.0], [3.0, 4.0]], 1.0, 1.0]' \
// RUN:   | %numbers %s

// The gradient of the logarithm is the inverse, transposed; the sign of a real matrix has none.

// CHECK-LABEL: func.func private @slogdet_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[Y:.*]]:2 = "anvl.slogdet"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.solve"(%[[X]], %{{.*}}) {transpose_a = #stablehlo<transpose TRANSPOSE>}
// CHECK:         return %[[Y]]#0, %[[Y]]#1, %[[DX]]

// HLO-LABEL: func.func private @lu(
// HLO:         stablehlo.custom_call @lapack_dgetrf_ffi(
// HLO-LABEL: func.func private @slogdet_1(
// HLO:         stablehlo.log
// HLO-LABEL: func.func @slogdet(
// HLO:         %[[LU:.*]]:3 = call @lu(
// HLO:         call @slogdet_1(%[[LU]]#0, %[[LU]]#1)

// NUMBERS: f64[] -1.0
// NUMBERS-NEXT: f64[] 0.693147
// NUMBERS-NEXT: f64[2,2] -2.0 1.5 1.0 -0.5
func.func @slogdet(%x0: tensor<2x2xf64>) -> (tensor<f64>, tensor<f64>) {
  %y:2 = "anvl.slogdet"(%x0) : (tensor<2x2xf64>) -> (tensor<f64>, tensor<f64>)
  return %y#0, %y#1 : tensor<f64>, tensor<f64>
}

func.func private @slogdet_vjp(tensor<2x2xf64>, tensor<f64>, tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @slogdet, wrt = array<i64: 0>, targets = array<i64: 0, 1>}
    }
