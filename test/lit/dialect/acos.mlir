// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=acos" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=acos" | %run --function=acos_adjoint --args='[0.6]' \
// RUN:   | %numbers %s

// The derivative of acos is -1/sqrt((1 - x) (1 + x)): -1.25 at 0.6;
// near 0 as 1 - x^2, whose slope keeps its digits.

// CHECK-LABEL: func.func @acos_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.acos"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[ONE]], %[[X]])
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[X]], %[[ONE]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[SUB]], %[[ADD]])
// CHECK:         %[[SQUARE:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[REST:.*]] = "anvl.sub"(%[[ONE]], %[[SQUARE]])
// CHECK:         %[[COSINE:.*]] = "anvl.select"(%{{.*}}, %[[REST]], %[[MUL]])
// CHECK:         %[[RSQRT:.*]] = "anvl.rsqrt"(%[[COSINE]])
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[ONE]], %[[RSQRT]])
// CHECK:         %[[DX:.*]] = "anvl.neg"(%[[MUL2]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @acos(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.927295
// NUMBERS-NEXT: f64[] -1.25
func.func @acos(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.acos"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
