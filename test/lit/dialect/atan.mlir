// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=atan" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=atan" | %run --function=atan_adjoint --args='[1.0]' \
// RUN:   | %numbers %s

// The derivative of atan is 1/(1 + x^2): 1/2 at 1, where the angle is pi/4.

// CHECK-LABEL: func.func @atan_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.atan"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[MUL]], %[[ONE]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[ADD]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @atan(
// HLO:         stablehlo.constant dense<1.000000e+00>
// HLO-NEXT:    stablehlo.atan2 %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.785398
// NUMBERS-NEXT: f64[] 0.5
func.func @atan(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.atan"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
