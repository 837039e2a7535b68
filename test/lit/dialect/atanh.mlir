// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=atanh" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=atanh" \
// RUN:   | %run --function=atanh_adjoint --args='[0.5]' | %numbers %s

// The derivative of atanh is 1/((1 - x) (1 + x)): 4/3 at a half;
// below that as 1 - x^2, whose slope keeps its digits.

// CHECK-LABEL: func.func @atanh_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.atanh"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[ONE]], %[[X]])
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[X]], %[[ONE]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[SUB]], %[[ADD]])
// CHECK:         %[[SQUARE:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[REST:.*]] = "anvl.sub"(%[[ONE]], %[[SQUARE]])
// CHECK:         %[[COSINE:.*]] = "anvl.select"(%{{.*}}, %[[REST]], %[[MUL]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[COSINE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @atanh(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.549306
// NUMBERS-NEXT: f64[] 1.33333
func.func @atanh(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.atanh"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
