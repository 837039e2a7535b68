// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=atan2" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=atan2" \
// RUN:   | %run --function=atan2_adjoint --args='[3.0, 4.0]' | %numbers %s

// The angle of (y, x) = (4, 3) turns by y/r^2 = 4/25 and -x/r^2 = -3/25, without r^2.

// CHECK-LABEL: func.func @atan2_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.atan2"(%[[X]], %[[Y]])
// CHECK:         %[[R:.*]] = "anvl.hypot"(%[[X]], %[[Y]])
// CHECK:         %[[SMALL_X:.*]] = "anvl.mul"(%[[X]],
// CHECK:         %[[SMALL_Y:.*]] = "anvl.mul"(%[[Y]],
// CHECK:         %[[RATIO:.*]] = "anvl.div"(%[[SMALL_Y]],
// CHECK:         %[[LIMIT:.*]] = "anvl.select"(%{{.*}}, %{{.*}}, %[[RATIO]])
// CHECK:         %[[TURN:.*]] = "anvl.div"(%[[LIMIT]], %[[R]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[TURN]])
// CHECK:         %[[RATIO2:.*]] = "anvl.div"(%[[SMALL_X]],
// CHECK:         %[[TURN2:.*]] = "anvl.div"(%{{.*}}, %[[R]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%{{.*}}, %[[TURN2]])
// CHECK:         %[[DY:.*]] = "anvl.neg"(%[[MUL]])
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
