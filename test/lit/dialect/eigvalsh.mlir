// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=eigvalsh_vjp --args='[[[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0]]' \
// RUN:   | %numbers %s

// The values alone are cheaper; their derivative asks for the vectors too.

// CHECK-LABEL: func.func private @eigvalsh_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[W:.*]] = "anvl.eigvalsh"(%[[X]])
// CHECK:         "anvl.eigh"(%[[X]])
// CHECK:         return %[[W]], %{{.*}}

// HLO-LABEL: func.func private @eigvalsh_1(
// HLO:         stablehlo.custom_call @lapack_dsyevd_ffi(
// HLO-SAME:      backend_config = {mode = 78 : ui8, uplo = 76 : ui8}
// HLO-LABEL: func.func @eigvalsh(
// HLO:         call @eigvalsh_1(

// NUMBERS: f64[2] 1.0 3.0
// NUMBERS-NEXT: f64[2,2] 0.5 -0.5 -0.5 0.5
func.func @eigvalsh(%x0: tensor<2x2xf64>) -> (tensor<2xf64>) {
  %y = "anvl.eigvalsh"(%x0) : (tensor<2x2xf64>) -> (tensor<2xf64>)
  return %y : tensor<2xf64>
}

func.func private @eigvalsh_vjp(tensor<2x2xf64>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @eigvalsh, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
