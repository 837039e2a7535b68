// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=log10" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=log10" | %run --function=log10_adjoint --args='[1000.0]' \
// RUN:   | %numbers %s

// The derivative is that of log(x) / log(10); the value is of a fraction and an exponent, and exact.

// CHECK-LABEL: func.func @log10_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.log10"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[OF_E:.*]] = "anvl.constant"() {value = dense<0.43429448190325176>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[ONE]], %[[OF_E]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[MUL]], %[[X]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func private @log10_1(
// HLO-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// HLO:         stablehlo.bitcast_convert %[[X]] : (tensor<f64>) -> tensor<i64>
// HLO:         %[[FRACTION:.*]] = stablehlo.select %[[HAS_ONE:.*]], %{{.*}}, %[[X]] :
// HLO:         %[[EXPONENT:.*]] = stablehlo.select %[[HAS_ONE]],
// HLO:         stablehlo.convert %[[EXPONENT]] : (tensor<i64>) -> tensor<i32>
// HLO:         stablehlo.log %[[FRACTION]]

// NUMBERS: f64[] 3.0
// NUMBERS-NEXT: f64[] 0.000434294482
func.func @log10(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.log10"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
