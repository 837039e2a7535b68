// RUN: anvl-opt %s --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift | %run --function=ordered \
// RUN:   --args='[[-0.0, 0.0, 1.0, -2.0], [0.0, -0.0, 2.0, -1.0]]' \
// RUN:   | %numbers %s

// The total order of floats, in which -0 is below +0, is that of integers which have the bits of
// the floats, inverted beside the sign where that is set.  In the body of a sort it stays.

// CHECK-LABEL: func.func @ordered(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf64>, %[[Y:.*]]: tensor<4xf64>
// CHECK:         %[[BITS:.*]] = "anvl.bitcast_convert"(%[[X]])
// CHECK:         %[[SIGN:.*]] = "anvl.shift_right_arithmetic"(%[[BITS]], %{{.*}})
// CHECK:         %[[OTHERS:.*]] = "anvl.shift_right_logical"(%[[SIGN]], %{{.*}})
// CHECK:         %[[I:.*]] = "anvl.xor"(%[[BITS]], %[[OTHERS]])
// CHECK:         "anvl.bitcast_convert"(%[[Y]])
// CHECK:         %[[J:.*]] = "anvl.xor"
// CHECK:         "anvl.compare"(%[[I]], %[[J]])
// CHECK-NOT:     stablehlo.compare
// NUMBERS:      bool[4] true false true true
func.func @ordered(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER
    : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func.func @sorted(
// CHECK:         stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER
func.func @sorted(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
