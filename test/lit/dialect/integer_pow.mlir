// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=integer_pow" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=integer_pow" \
// RUN:   | %run --function=integer_pow_adjoint --args='[-2.0]' | %numbers %s

// The derivative of x^-3 is -3 x^-4, a power again: at -2, -3/16.

// CHECK-LABEL: func.func @integer_pow_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.integer_pow"(%[[X]]) {exponent = -3
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[POWER:.*]] = "anvl.integer_pow"(%[[X]]) {exponent = -4
// CHECK:         %[[N:.*]] = "anvl.constant"() {value = dense<-3.000000e+00>
// CHECK:         %[[SLOPE:.*]] = "anvl.mul"(%[[POWER]], %[[N]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @integer_pow(
// HLO-SAME:    %[[X:[a-zA-Z0-9_]+]]:
// HLO-DAG:     %[[SQUARE:.*]] = stablehlo.multiply %[[X]], %[[X]]
// HLO:         %[[CUBE:.*]] = stablehlo.multiply %[[X]], %[[SQUARE]]
// HLO:         stablehlo.divide %{{.*}}, %[[CUBE]]

// NUMBERS: f64[] -0.125
// NUMBERS-NEXT: f64[] -0.1875
func.func @integer_pow(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.integer_pow"(%x) {exponent = -3 : i64} : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
