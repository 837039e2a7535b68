// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=square" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=square" \
// RUN:   | %run --function=square_adjoint --args='[3.0]' | %numbers %s

// The derivative of x^2 is 2x: 6 at 3.

// CHECK-LABEL: func.func @square_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.square"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[TWO:.*]] = "anvl.constant"() {value = dense<2.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[X]], %[[TWO]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[MUL]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @square(
// HLO:         stablehlo.multiply %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 9.0
// NUMBERS-NEXT: f64[] 6.0
func.func @square(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.square"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
