// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=log2" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=log2" | %run --function=log2_adjoint --args='[8.0]' \
// RUN:   | %numbers %s

// The derivative is that of log(x) / log(2); the value is of a fraction and an exponent, and exact.

// CHECK-LABEL: func.func @log2_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.log2"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[OF_E:.*]] = "anvl.constant"() {value = dense<1.4426950408889634>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[ONE]], %[[OF_E]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[MUL]], %[[X]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func private @log2_1(
// HLO-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// HLO:         stablehlo.bitcast_convert %[[X]] : (tensor<f64>) -> tensor<i64>
// HLO:         %[[FRACTION:.*]] = stablehlo.select %[[HAS_ONE:.*]], %{{.*}}, %[[X]] :
// HLO:         %[[EXPONENT:.*]] = stablehlo.select %[[HAS_ONE]],
// HLO:         stablehlo.convert %[[EXPONENT]] : (tensor<i64>) -> tensor<i32>
// HLO:         stablehlo.log %[[FRACTION]]

// NUMBERS: f64[] 3.0
// NUMBERS-NEXT: f64[] 0.18033688
func.func @log2(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.log2"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
