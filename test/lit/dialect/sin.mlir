// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=sin" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=sin" | %run --function=sin_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// The derivative of sin is cos: 1 at 0.

// CHECK-LABEL: func.func @sin_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.sin"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[COS:.*]] = "anvl.cos"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[COS]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @sin(
// HLO:         stablehlo.sine %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 1.0
func.func @sin(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
