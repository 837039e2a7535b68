// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=tanh" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=tanh" | %run --function=tanh_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// The derivative of tanh is 1 - tanh^2: 1 at 0.

// CHECK-LABEL: func.func @tanh_adjoint(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.tanh"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[Y]])
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[ONE]], %[[MUL]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SUB]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @tanh(
// HLO:         stablehlo.tanh %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 1.0
func.func @tanh(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.tanh"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
