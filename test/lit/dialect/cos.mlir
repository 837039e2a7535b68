// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=cos" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=cos" | %run --function=cos_adjoint --args='[0.0]' \
// RUN:   | %numbers %s

// The derivative of cos is -sin: 0 at 0.

// CHECK-LABEL: func.func @cos_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.cos"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SIN:.*]] = "anvl.sin"(%[[X]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[ONE]], %[[SIN]])
// CHECK:         %[[DX:.*]] = "anvl.neg"(%[[MUL]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @cos(
// HLO:         stablehlo.cosine %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] -0.0
func.func @cos(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.cos"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
