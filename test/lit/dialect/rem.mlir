// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=rem" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=rem" \
// RUN:   | %run --function=rem_adjoint --args='[7.0, 3.0]' | %numbers %s

// x - trunc(x/y) y: the slopes are 1 and -trunc(x/y), which is -2 for 7 and 3.

// CHECK-LABEL: func.func @rem_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.rem"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DIV:.*]] = "anvl.div"(%[[X]], %[[Y]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[COMPARE:.*]] = "anvl.compare"(%[[DIV]], %[[ZERO]]) {{.*}} LT>
// CHECK:         %[[CEIL:.*]] = "anvl.ceil"(%[[DIV]])
// CHECK:         %[[FLOOR:.*]] = "anvl.floor"(%[[DIV]])
// CHECK:         %[[SELECT:.*]] = "anvl.select"(%[[COMPARE]], %[[CEIL]], %[[FLOOR]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[ONE]], %[[SELECT]])
// CHECK:         %[[DY:.*]] = "anvl.neg"(%[[MUL]])
// CHECK:         return %[[Z]], %[[ONE]], %[[DY]]

// HLO-LABEL: func.func @rem(
// HLO:         stablehlo.remainder %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[] 1.0
// NUMBERS-NEXT: f64[] -2.0
func.func @rem(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.rem"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
