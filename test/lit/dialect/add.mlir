// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=add" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=add" \
// RUN:   | %run --function=add_adjoint --args='[1.0, 2.0]' | %numbers %s

// The cotangent goes to both operands as it is.

// CHECK-LABEL: func.func @add_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.add"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         return %[[Z]], %[[ONE]], %[[ONE]]

// HLO-LABEL: func.func @add(
// HLO:         stablehlo.add %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 3.0
// NUMBERS-NEXT: f64[] 1.0
// NUMBERS-NEXT: f64[] 1.0
func.func @add(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.add"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
