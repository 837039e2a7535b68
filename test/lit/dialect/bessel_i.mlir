// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=bessel_i" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=bessel_i" \
// RUN:   | %run --function=bessel_i_adjoint --args='[2.0]' | %numbers %s

// I_2 has the derivative (I_1 + I_3) / 2.  I_2(2) and its slope are 0.688948 and 0.901688.

// CHECK-LABEL: func.func @bessel_i_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.bessel_i"(%[[X]]) {order = 2
// CHECK:         %[[BEFORE:.*]] = "anvl.bessel_i"(%[[X]]) {order = 1
// CHECK:         %[[AFTER:.*]] = "anvl.bessel_i"(%[[X]]) {order = 3
// CHECK:         %[[SUM:.*]] = "anvl.add"(%[[BEFORE]], %[[AFTER]])
// CHECK:         %[[MEAN:.*]] = "anvl.mul"(%[[SUM]],
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[MEAN]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @bessel_i(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.688948
// NUMBERS-NEXT: f64[] 0.901688
func.func @bessel_i(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.bessel_i"(%x) {order = 2 : i64} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
