// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=cbrt" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=cbrt" | %run --function=cbrt_adjoint --args='[8.0]' \
// RUN:   | %numbers %s

// The derivative of the cube root is 1/(3 y^2): 1/12 at 8.

// CHECK-LABEL: func.func @cbrt_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.cbrt"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[Y]])
// CHECK:         %[[THREE:.*]] = "anvl.constant"() {value = dense<3.000000e+00>
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[MUL]], %[[THREE]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[MUL2]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @cbrt(
// HLO:         stablehlo.cbrt %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 2.0
// NUMBERS-NEXT: f64[] 0.0833333
func.func @cbrt(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.cbrt"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
