// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=bessel_i1e" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=bessel_i1e" | %run --function=bessel_i1e_adjoint --args='[0.0]' \
// RUN:   | filecheck %s --check-prefix=NUMBERS

// The derivative of exp(-|x|) I1(x) at 0 is 1/2.

// CHECK-LABEL: func.func @bessel_i1e_adjoint(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.bessel_i1e"(%[[X]])
// CHECK:         "anvl.bessel_i0e"(%[[X]])
// CHECK:         "anvl.sign"(%[[X]])
// CHECK:         return %[[Y]], %{{.*}}

// HLO-LABEL: func.func @bessel_i1e(
// HLO-SAME:    %[[X:\w+]]: tensor<f64>
// HLO:         stablehlo.abs %[[X]]
// HLO:         return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 0.5
func.func @bessel_i1e(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.bessel_i1e"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
