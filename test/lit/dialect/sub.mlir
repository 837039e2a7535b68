// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=sub" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=sub" \
// RUN:   | %run --function=sub_adjoint --args='[1.0, 2.0]' | %numbers %s

// The cotangent goes to the first operand as it is, to the second with its sign changed.

// CHECK-LABEL: func.func @sub_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.sub"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DY:.*]] = "anvl.neg"(%[[ONE]])
// CHECK:         return %[[Z]], %[[ONE]], %[[DY]]

// HLO-LABEL: func.func @sub(
// HLO:         stablehlo.subtract %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] -1.0
// NUMBERS-NEXT: f64[] 1.0
// NUMBERS-NEXT: f64[] -1.0
func.func @sub(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.sub"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
