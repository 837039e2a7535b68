// RUN: anvl-opt %s --verify-each --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-lower-to-stablehlo \
// RUN:   | %run --function=rows --args='[[[1.0, 2.0], [3.0, 4.0]], [[[1.0], [10.0]], [[2.0], [20.0]]], [1, 1]]' \
// RUN:   | %numbers %s

// A ragged contraction of CHLO is one of anvl's, with one precision for both operands.

// CHECK-LABEL: func.func @rows(
// CHECK:         "anvl.ragged_dot"(%{{.*}}) {precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}

// NUMBERS: f32[2,1] 21.0 86.0
func.func @rows(%x: tensor<2x2xf32>, %y: tensor<2x2x1xf32>, %sizes: tensor<2xi32>) -> tensor<2x1xf32> {
  %z = "chlo.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>,
    precision_config = [#chlo<precision HIGHEST>, #chlo<precision HIGHEST>]
  } : (tensor<2x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<2x1xf32>
  return %z : tensor<2x1xf32>
}

// CHECK-LABEL: func.func @sums(
// CHECK:         "anvl.ragged_dot"(%{{.*}}) {ragged_dot_dimension_numbers
func.func @sums(%x: tensor<3x2xf32>, %y: tensor<3x1xf32>, %sizes: tensor<2xi32>) -> tensor<2x2x1xf32> {
  %z = "chlo.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0],
      lhs_ragged_dimensions = [0]>
  } : (tensor<3x2xf32>, tensor<3x1xf32>, tensor<2xi32>) -> tensor<2x2x1xf32>
  return %z : tensor<2x2x1xf32>
}

// What says more than ours can stays: two precisions, or a result of another dtype.

// CHECK-LABEL: func.func @two_precisions(
// CHECK-NOT:     anvl.
// CHECK:         chlo.ragged_dot
func.func @two_precisions(%x: tensor<3x2xf32>, %y: tensor<3x1xf32>, %sizes: tensor<2xi32>) -> tensor<2x2x1xf32> {
  %z = "chlo.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0],
      lhs_ragged_dimensions = [0]>,
    precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]
  } : (tensor<3x2xf32>, tensor<3x1xf32>, tensor<2xi32>) -> tensor<2x2x1xf32>
  return %z : tensor<2x2x1xf32>
}

// CHECK-LABEL: func.func @other_result(
// CHECK-NOT:     anvl.
// CHECK:         chlo.ragged_dot
func.func @other_result(%x: tensor<3x2xbf16>, %y: tensor<3x1xbf16>, %sizes: tensor<2xi32>) -> tensor<2x2x1xf32> {
  %z = "chlo.ragged_dot"(%x, %y, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0],
      lhs_ragged_dimensions = [0]>
  } : (tensor<3x2xbf16>, tensor<3x1xbf16>, tensor<2xi32>) -> tensor<2x2x1xf32>
  return %z : tensor<2x2x1xf32>
}
