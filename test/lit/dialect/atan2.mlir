// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=atan2" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=atan2" \
// RUN:   | %run --function=atan2_adjoint --args='[3.0, 4.0]' | %numbers %s

// The angle of (y, x) = (4, 3) turns by y/r^2 = 4/25 and -x/r^2 = -3/25.

// CHECK-LABEL: func.func @atan2_adjoint(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>
// CHECK-SAME:    %[[Y:\w+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.atan2"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[Y]], %[[Y]])
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[MUL]], %[[MUL2]])
// CHECK:         %[[DIV:.*]] = "anvl.div"(%[[Y]], %[[ADD]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[DIV]])
// CHECK:         %[[DIV2:.*]] = "anvl.div"(%[[X]], %[[ADD]])
// CHECK:         %[[MUL3:.*]] = "anvl.mul"(%[[ONE]], %[[DIV2]])
// CHECK:         %[[DY:.*]] = "anvl.neg"(%[[MUL3]])
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @atan2(
// HLO:         stablehlo.atan2 %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.643501
// NUMBERS-NEXT: f64[] 0.16
// NUMBERS-NEXT: f64[] -0.12
func.func @atan2(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.atan2"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
