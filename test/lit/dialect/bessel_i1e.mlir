// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=bessel_i1e" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=bessel_i1e" \
// RUN:   | %run --function=bessel_i1e_adjoint --args='[0.0]' | %numbers %s

// exp(-|x|) I1(x) has the derivative i0e(x) - (sign(x) + 1/x) i1e(x), whose limit at 0 is a half.

// CHECK-LABEL: func.func @bessel_i1e_adjoint(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.bessel_i1e"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[COMPARE:.*]] = "anvl.compare"(%[[X]], %[[ZERO]]) {{.*}} EQ>
// CHECK:         %[[SELECT:.*]] = "anvl.select"(%[[COMPARE]], %[[ONE]], %[[X]])
// CHECK:         %[[BESSEL_I0E:.*]] = "anvl.bessel_i0e"(%[[X]])
// CHECK:         %[[SIGN:.*]] = "anvl.sign"(%[[X]])
// CHECK:         %[[DIV:.*]] = "anvl.div"(%[[ONE]], %[[SELECT]])
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[SIGN]], %[[DIV]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[ADD]])
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[BESSEL_I0E]], %[[MUL]])
// CHECK:         %[[HALF:.*]] = "anvl.constant"() {value = dense<5.000000e-01>
// CHECK:         %[[SELECT2:.*]] = "anvl.select"(%[[COMPARE]], %[[HALF]], %[[SUB]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SELECT2]])
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
