// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=rsqrt" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=rsqrt" \
// RUN:   | %run --function=rsqrt_adjoint --args='[4.0]' | %numbers %s

// The derivative of x^(-1/2) is -1/2 of the result over x: -1/16 at 4.

// CHECK-LABEL: func.func @rsqrt_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.rsqrt"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MINUS_HALF:.*]] = "anvl.constant"() {value = dense<-5.000000e-01>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[ONE]], %[[MINUS_HALF]])
// CHECK:         %[[DIV:.*]] = "anvl.div"(%[[Y]], %[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[MUL]], %[[DIV]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @rsqrt(
// HLO:         stablehlo.rsqrt %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.5
// NUMBERS-NEXT: f64[] -0.0625
func.func @rsqrt(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.rsqrt"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
