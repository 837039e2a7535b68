// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=minimum" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=minimum" \
// RUN:   | %run --function=minimum_adjoint --args='[2.0, 2.0]' \
// RUN:   | %numbers %s

// The smaller operand gets the cotangent; at a tie, as here, each gets half.

// CHECK-LABEL: func.func @minimum_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.minimum"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[TIE:.*]] = "anvl.compare"(%[[X]], %[[Y]]) {{.*}} EQ>
// CHECK:         %[[HALF:.*]] = "anvl.constant"() {value = dense<5.000000e-01>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[ONE]], %[[HALF]])
// CHECK:         %[[SHARE:.*]] = "anvl.select"(%[[TIE]], %[[MUL]], %[[ONE]])
// CHECK:         %[[OF_X:.*]] = "anvl.compare"(%[[X]], %[[Y]]) {{.*}} LE>
// CHECK:         %[[OF_Y:.*]] = "anvl.compare"(%[[X]], %[[Y]]) {{.*}} GE>
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.select"(%[[OF_X]], %[[SHARE]], %[[ZERO]])
// CHECK:         %[[DY:.*]] = "anvl.select"(%[[OF_Y]], %[[SHARE]], %[[ZERO]])
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @minimum(
// HLO:         stablehlo.minimum %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 2.0
// NUMBERS-NEXT: f64[] 0.5
// NUMBERS-NEXT: f64[] 0.5
func.func @minimum(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.minimum"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
