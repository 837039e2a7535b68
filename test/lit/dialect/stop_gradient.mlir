// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=stop_gradient" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=stop_gradient" \
// RUN:   | %run --function=stop_gradient_adjoint --args='[3.0]' \
// RUN:   | %numbers %s

// x times what is x but held constant: the slope is x, and not 2x.

// CHECK-LABEL: func.func @stop_gradient_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[HELD:.*]] = "anvl.stop_gradient"(%[[X]])
// CHECK:         %[[Y:.*]] = "anvl.mul"(%[[X]], %[[HELD]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK-NEXT:    %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[HELD]])
// CHECK-NEXT:    return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @stop_gradient(
// HLO-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// HLO-NEXT:    %[[Y:.*]] = stablehlo.multiply %[[X]], %[[X]]
// HLO-NEXT:    return %[[Y]]

// NUMBERS: f64[] 9.0
// NUMBERS-NEXT: f64[] 3.0
func.func @stop_gradient(%x: tensor<f64>) -> tensor<f64> {
  %held = "anvl.stop_gradient"(%x) : (tensor<f64>) -> tensor<f64>
  %y = "anvl.mul"(%x, %held) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
