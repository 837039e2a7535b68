// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=bessel_ie" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=bessel_ie" \
// RUN:   | %run --function=bessel_ie_adjoint --args='[2.0]' | %numbers %s

// exp(-|x|) I_2(x) has the derivative (i1e + i3e) / 2 - sign(x) i2e.  At 2: 0.093239 and 0.028791.

// CHECK-LABEL: func.func @bessel_ie_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.bessel_ie"(%[[X]]) {order = 2
// CHECK:         %[[BEFORE:.*]] = "anvl.bessel_ie"(%[[X]]) {order = 1
// CHECK:         %[[AFTER:.*]] = "anvl.bessel_ie"(%[[X]]) {order = 3
// CHECK:         %[[SUM:.*]] = "anvl.add"(%[[BEFORE]], %[[AFTER]])
// CHECK:         %[[MEAN:.*]] = "anvl.mul"(%[[SUM]],
// CHECK:         %[[SIGN:.*]] = "anvl.sign"(%[[X]])
// CHECK:         %[[FALL:.*]] = "anvl.mul"(%[[SIGN]], %[[Y]])
// CHECK:         %[[SLOPE:.*]] = "anvl.sub"(%[[MEAN]], %[[FALL]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @bessel_ie(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.093239
// NUMBERS-NEXT: f64[] 0.028791
func.func @bessel_ie(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.bessel_ie"(%x) {order = 2 : i64} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
