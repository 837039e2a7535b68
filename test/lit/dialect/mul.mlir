// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=mul" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=mul" \
// RUN:   | %run --function=mul_adjoint --args='[2.0, 3.0]' | %numbers %s

// Each operand gets the other one times the cotangent.

// CHECK-LABEL: func.func @mul_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.mul"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[Y]])
// CHECK:         %[[DY:.*]] = "anvl.mul"(%[[ONE]], %[[X]])
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @mul(
// HLO:         stablehlo.multiply %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 6.0
// NUMBERS-NEXT: f64[] 3.0
// NUMBERS-NEXT: f64[] 2.0
func.func @mul(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.mul"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
