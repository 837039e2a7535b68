// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-lower-to-stablehlo | filecheck %s

// An op that names its StableHLO op is renamed, with its attributes; one with a rule of its own is
// expanded; one that is CHLO's is legalized. Locations and what is StableHLO already stay, so doing
// it again changes nothing.

// CHECK-LABEL: func.func @renamed(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x3xf32>)
// CHECK-NEXT:    %[[T:.*]] = stablehlo.transpose %[[X]], dims = [1, 0]
// CHECK-NEXT:    %[[D:.*]] = stablehlo.dot_general %[[X]], %[[T]], contracting_dims = [1] x [0],
// CHECK-SAME:      precision = [HIGHEST, HIGHEST]
// CHECK-NEXT:    %[[A:.*]] = stablehlo.add %[[D]], %[[D]]
// CHECK-NEXT:    return %[[A]]
func.func @renamed(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %0 = "anvl.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "anvl.dot_general"(%x, %0) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>,
    precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]
  } : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.add %1, %1 : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @expanded(
// CHECK-NEXT:    %[[ZERO:.*]] = stablehlo.constant dense<0>
// CHECK-NEXT:    %[[SUM:.*]] = stablehlo.reduce(%{{.*}} init: %[[ZERO]]) applies stablehlo.add
// CHECK-NEXT:    return %[[SUM]]
func.func @expanded(%x: tensor<2xi32>) -> tensor<i32> {
  %0 = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<2xi32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: func.func @legalized(
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.multiply %[[X:.*]], %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @legalized(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.square"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
