// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=tan" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=tan" | %run --function=tan_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// The derivative of tan is 1 + tan^2: 1 at 0.

// CHECK-LABEL: func.func @tan_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.tan"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[Y]])
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[MUL]], %[[ONE]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[ADD]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @tan(
// HLO:         stablehlo.tan %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 1.0
func.func @tan(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.tan"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
