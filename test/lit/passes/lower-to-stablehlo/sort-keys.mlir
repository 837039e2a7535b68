// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// XLA:CPU calls a comparator for each comparison, but compares one array of integers by code of its
// own: numbers and their positions become one integer each (Note [Sorting packed integers]).

// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<40xf32>
// CHECK:         %[[BITS:.*]] = stablehlo.bitcast_convert %[[X]]
// CHECK:         %[[SIZE:.*]] = stablehlo.and %[[BITS]], %{{.*}}
// CHECK:         %[[BELOW:.*]] = stablehlo.negate %[[SIZE]]
// CHECK:         %[[SIGNED:.*]] = stablehlo.select %{{.*}}, %[[BELOW]], %[[SIZE]]
// CHECK:         %[[KEY:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %[[SIGNED]]
// CHECK:         %[[LONG:.*]] = stablehlo.convert %[[KEY]]
// CHECK:         %[[HIGH:.*]] = stablehlo.shift_left %[[LONG]], %{{.*}}
// CHECK:         %[[POSITION:.*]] = stablehlo.iota dim = 0 : tensor<40xi64>
// CHECK:         %[[PACKED:.*]] = stablehlo.or %[[HIGH]], %[[POSITION]]
// CHECK:         %[[SORTED:.*]] = "stablehlo.sort"(%[[PACKED]])
// CHECK-SAME:      dimension = 0 : i64
// CHECK:           stablehlo.compare LT, %{{.*}}, %{{.*}} : (tensor<i64>, tensor<i64>)
// CHECK-NEXT:      stablehlo.return
// CHECK:         %[[LOW:.*]] = stablehlo.and %[[SORTED]], %{{.*}}
// CHECK:         %[[PLACE:.*]] = stablehlo.convert %[[LOW]]
// CHECK:         "stablehlo.gather"(%[[X]]
// CUDA-LABEL:  func.func @sort(
// CUDA-NOT:      shift_left
// CUDA:          return
func.func @sort(%x: tensor<40xf32>) -> tensor<40xf32> {
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %number = stablehlo.compare EQ, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %number, %nan : tensor<i1>
    %before = stablehlo.or %less, %both : tensor<i1>
    stablehlo.return %before : tensor<i1>
  }) : (tensor<40xf32>) -> tensor<40xf32>
  return %y : tensor<40xf32>
}

// Integers alone are compared without calls as they are.

// CHECK-LABEL: func.func @integers(
// CHECK-NEXT:    "stablehlo.sort"
func.func @integers(%x: tensor<40xi32>) -> tensor<40xi32> {
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<40xi32>) -> tensor<40xi32>
  return %y : tensor<40xi32>
}
