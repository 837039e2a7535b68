// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=bessel_i1e" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=bessel_i1e" \
// RUN:   | %run --function=bessel_i1e_adjoint --args='[0.0]' | %numbers %s

// exp(-|x|) I1(x) has the derivative (i0e + i2e) / 2 - sign(x) i1e, at 0 a half: no quotient.
// For large x, where the two cancel, it is a series.

// CHECK-LABEL: func.func @bessel_i1e_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.bessel_i1e"(%[[X]])
// CHECK:         %[[BEFORE:.*]] = "anvl.bessel_ie"(%[[X]]) {order = 0
// CHECK:         %[[AFTER:.*]] = "anvl.bessel_ie"(%[[X]]) {order = 2
// CHECK:         %[[SUM:.*]] = "anvl.add"(%[[BEFORE]], %[[AFTER]])
// CHECK:         %[[MEAN:.*]] = "anvl.mul"(%[[SUM]],
// CHECK:         %[[SIGN:.*]] = "anvl.sign"(%[[X]])
// CHECK:         %[[FALL:.*]] = "anvl.mul"(%[[SIGN]], %[[Y]])
// CHECK:         %[[FAR:.*]] = "anvl.neg"(%{{.*}})
// CHECK:         %[[NEAR:.*]] = "anvl.sub"(%[[MEAN]], %[[FALL]])
// CHECK:         %[[SLOPE:.*]] = "anvl.select"(%{{.*}}, %[[FAR]], %[[NEAR]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @bessel_i1e(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 0.5
func.func @bessel_i1e(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.bessel_i1e"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
