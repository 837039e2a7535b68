// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=floor" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=floor" \
// RUN:   | %run --function=floor_adjoint --args='[1.5]' | %numbers %s

// Flat wherever it is continuous: a zero derivative, and no op for it.

// CHECK-LABEL: func.func @floor_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.floor"(%[[X]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         return %[[Y]], %[[ZERO]]

// HLO-LABEL: func.func @floor(
// HLO:         stablehlo.floor %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 0.0
func.func @floor(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.floor"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
