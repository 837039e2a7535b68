// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=ceil" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=ceil" | %run --function=ceil_adjoint --args='[1.5]' \
// RUN:   | %numbers %s

// Flat wherever it is continuous: a zero derivative, and no op for it.

// CHECK-LABEL: func.func @ceil_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.ceil"(%[[X]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         return %[[Y]], %[[ZERO]]

// HLO-LABEL: func.func @ceil(
// HLO:         stablehlo.ceil %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 2.0
// NUMBERS-NEXT: f64[] 0.0
func.func @ceil(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.ceil"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
