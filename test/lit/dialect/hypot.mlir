// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=hypot" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=hypot" \
// RUN:   | %run --function=hypot_adjoint --args='[3.0, 4.0]' | %numbers %s

// The length of (3, 4) grows by the cosines of its angles: 3/5 and 4/5; of a length that overflows
// they are those of a quarter.

// CHECK-LABEL: func.func @hypot_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.hypot"(%[[X]], %[[Y]])
// CHECK:         %[[OVERFLOWS:.*]] = "anvl.is_inf"(%[[Z]])
// CHECK:         %[[PART:.*]] = "anvl.select"(%[[OVERFLOWS]], %
// CHECK:         %[[SMALL_X:.*]] = "anvl.mul"(%[[X]], %[[PART]])
// CHECK:         %[[SMALL_Y:.*]] = "anvl.mul"(%[[Y]], %[[PART]])
// CHECK:         %[[SMALL:.*]] = "anvl.hypot"(%[[SMALL_X]], %[[SMALL_Y]])
// CHECK:         %[[AT_0:.*]] = "anvl.compare"(%[[SMALL]], %{{.*}}) {{.*}} EQ>
// CHECK:         %[[LENGTH:.*]] = "anvl.select"(%[[AT_0]], %{{.*}}, %[[SMALL]])
// CHECK:         %[[RATIO_X:.*]] = "anvl.div"(%[[SMALL_X]], %[[LENGTH]])
// CHECK:         %[[COS_X:.*]] = "anvl.select"(%{{.*}}, %{{.*}}, %[[RATIO_X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[COS_X]])
// CHECK:         %[[RATIO_Y:.*]] = "anvl.div"(%[[SMALL_Y]], %[[LENGTH]])
// CHECK:         %[[DY:.*]] = "anvl.mul"
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @hypot(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         stablehlo.sqrt
// HLO:         return

// NUMBERS: f64[] 5.0
// NUMBERS-NEXT: f64[] 0.6
// NUMBERS-NEXT: f64[] 0.8
func.func @hypot(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.hypot"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
