// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=abs" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=abs" | %run --function=abs_adjoint --args='[-3.0]' \
// RUN:   | %numbers %s

// The derivative of |x| is the sign of x, and so 0 at 0.

// CHECK-LABEL: func.func @abs_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.abs"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SIGN:.*]] = "anvl.sign"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SIGN]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @abs(
// HLO:         stablehlo.abs %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 3.0
// NUMBERS-NEXT: f64[] -1.0
func.func @abs(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.abs"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
