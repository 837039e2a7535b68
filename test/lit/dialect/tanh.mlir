// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=tanh" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=tanh" | %run --function=tanh_adjoint --args='[30.0]' \
// RUN:   | %numbers %s

// The derivative of tanh is 1 / cosh^2, not 1 - tanh^2, which has no digits where tanh is almost 1.

// CHECK-LABEL: func.func @tanh_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.tanh"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SLOPE:.*]] = "anvl.sech_squared"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @tanh(
// HLO:         stablehlo.tanh %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 3.5026062e-26
func.func @tanh(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.tanh"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
