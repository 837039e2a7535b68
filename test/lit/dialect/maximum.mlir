// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=maximum" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=maximum" \
// RUN:   | %run --function=maximum_adjoint --args='[1.0, 2.0]' \
// RUN:   | %numbers %s

// The larger operand gets the cotangent; at a tie each gets half.

// CHECK-LABEL: func.func @maximum_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.maximum"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[TIE:.*]] = "anvl.compare"(%[[X]], %[[Y]]) {{.*}} EQ>
// CHECK:         %[[HALF:.*]] = "anvl.constant"() {value = dense<5.000000e-01>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[ONE]], %[[HALF]])
// CHECK:         %[[SHARE:.*]] = "anvl.select"(%[[TIE]], %[[MUL]], %[[ONE]])
// CHECK:         %[[OF_X:.*]] = "anvl.compare"(%[[X]], %[[Y]]) {{.*}} GE>
// CHECK:         %[[OF_Y:.*]] = "anvl.compare"(%[[X]], %[[Y]]) {{.*}} LE>
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.select"(%[[OF_X]], %[[SHARE]], %[[ZERO]])
// CHECK:         %[[DY:.*]] = "anvl.select"(%[[OF_Y]], %[[SHARE]], %[[ZERO]])
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @maximum(
// HLO:         stablehlo.maximum %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 2.0
// NUMBERS-NEXT: f64[] 0.0
// NUMBERS-NEXT: f64[] 1.0
func.func @maximum(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.maximum"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
