// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=acosh" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=acosh" \
// RUN:   | %run --function=acosh_adjoint --args='[1.25]' | %numbers %s

// The derivative of acosh is 1/sqrt((x - 1)(x + 1)): 4/3 at 1.25, where acosh is log(2).

// CHECK-LABEL: func.func @acosh_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.acosh"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MINUS_ONE:.*]] = "anvl.constant"() {value = dense<-1.000000e+00>
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[X]], %[[MINUS_ONE]])
// CHECK:         %[[SQRT:.*]] = "anvl.sqrt"(%[[ADD]])
// CHECK:         %[[ADD2:.*]] = "anvl.add"(%[[X]], %[[ONE]])
// CHECK:         %[[SQRT2:.*]] = "anvl.sqrt"(%[[ADD2]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[SQRT]], %[[SQRT2]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[MUL]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @acosh(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.693147
// NUMBERS-NEXT: f64[] 1.33333
func.func @acosh(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.acosh"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
