// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=bessel_i0e" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=bessel_i0e" | %run --function=bessel_i0e_adjoint --args='[0.0]' \
// RUN:   | filecheck %s --check-prefix=NUMBERS

// The derivative of exp(-|x|) I0(x) is i1e(x) - sign(x) i0e(x): 0 at 0, where i1e is 0.

// CHECK-LABEL: func.func @bessel_i0e_adjoint(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.bessel_i0e"(%[[X]])
// CHECK:         "anvl.bessel_i1e"(%[[X]])
// CHECK:         "anvl.sign"(%[[X]])
// CHECK:         return %[[Y]], %{{.*}}

// HLO-LABEL: func.func @bessel_i0e(
// HLO-SAME:    %[[X:\w+]]: tensor<f64>
// HLO:         stablehlo.abs %[[X]]
// HLO:         return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 0.0
func.func @bessel_i0e(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.bessel_i0e"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
