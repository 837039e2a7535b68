// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=bessel_i0e" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=bessel_i0e" \
// RUN:   | %run --function=bessel_i0e_adjoint --args='[0.0]' | %numbers %s

// exp(-|x|) I0(x) is even, with a kink at 0, where it is 1: the derivative i1e(x) - sign(x) i0e(x)
// is 0 there, and a series where the two cancel, for large x. StableHLO has no such op: it is
// lowered to series, near and far.

// CHECK-LABEL: func.func @bessel_i0e_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.bessel_i0e"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[BESSEL_I1E:.*]] = "anvl.bessel_i1e"(%[[X]])
// CHECK:         %[[SIGN:.*]] = "anvl.sign"(%[[X]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[SIGN]], %[[Y]])
// CHECK:         %[[FAR:.*]] = "anvl.neg"(%{{.*}})
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[BESSEL_I1E]], %[[MUL]])
// CHECK:         %[[SLOPE:.*]] = "anvl.select"(%{{.*}}, %[[FAR]], %[[SUB]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @bessel_i0e(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 0.0
func.func @bessel_i0e(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.bessel_i0e"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
