// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=asinh" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=asinh" \
// RUN:   | %run --function=asinh_adjoint --args='[0.0]' | %numbers %s

// The derivative of asinh is 1/sqrt(x^2 + 1): 1 at 0.

// CHECK-LABEL: func.func @asinh_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.asinh"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[HYPOT:.*]] = "anvl.hypot"(%[[X]], %[[ONE]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[HYPOT]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @asinh(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] 1.0
func.func @asinh(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.asinh"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
