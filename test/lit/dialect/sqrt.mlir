// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=sqrt" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=sqrt" | %run --function=sqrt_adjoint --args='[4.0]' \
// RUN:   | %numbers %s

// The derivative of the square root is a half over the result: 1/4 at 4.

// CHECK-LABEL: func.func @sqrt_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.sqrt"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[HALF:.*]] = "anvl.constant"() {value = dense<5.000000e-01>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[ONE]], %[[HALF]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[MUL]], %[[Y]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @sqrt(
// HLO:         stablehlo.sqrt %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 2.0
// NUMBERS-NEXT: f64[] 0.25
func.func @sqrt(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sqrt"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
