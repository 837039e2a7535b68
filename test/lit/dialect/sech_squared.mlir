// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=sech_squared" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=sech_squared" \
// RUN:   | %run --function=sech_squared_adjoint --args='[-30.0]' | %numbers %s

// 1 / cosh^2, by an exponential that cannot overflow; its derivative is -2 tanh / cosh^2.

// CHECK-LABEL: func.func @sech_squared_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.sech_squared"(%[[X]])
// CHECK:         %[[TANH:.*]] = "anvl.tanh"(%[[X]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[TANH]])
// CHECK:         %[[SLOPE:.*]] = "anvl.mul"(%[[MUL]], %
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @sech_squared(
// HLO:         stablehlo.abs
// HLO:         stablehlo.exponential
// HLO:         stablehlo.divide
// HLO-NEXT:    return

// NUMBERS: f64[] 3.5026062e-26
// NUMBERS-NEXT: f64[] 7.0052123e-26
func.func @sech_squared(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sech_squared"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
