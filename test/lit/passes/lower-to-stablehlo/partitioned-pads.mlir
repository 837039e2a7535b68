// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo | filecheck %s

// A pad that removes elements is a slice, which XLA's partitioner divides correctly; what it adds
// is added before.

// CHECK-LABEL: func.func @removes(
// CHECK-SAME:      %[[X:.*]]: tensor<3x6xf32>
// CHECK-NOT:     stablehlo.pad
// CHECK:         stablehlo.slice %[[X]] [0:3, 1:4]
func.func @removes(%x: tensor<3x6xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %y = "anvl.pad"(%x, %v) {edge_padding_low = array<i64: 0, -1>, edge_padding_high = array<i64: 0, -2>, interior_padding = array<i64: 0, 0>} : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @adds_and_removes(
// CHECK:         %[[P:.*]] = stablehlo.pad %{{.*}}, low = [2, 0], high = [0, 1], interior = [1, 0]
// CHECK-SAME:      -> tensor<7x7xf32>
// CHECK:         stablehlo.slice %[[P]] [0:6, 1:7]
func.func @adds_and_removes(%x: tensor<3x6xf32>, %v: tensor<f32>) -> tensor<6x6xf32> {
  %y = "anvl.pad"(%x, %v) {edge_padding_low = array<i64: 2, -1>, edge_padding_high = array<i64: -1, 1>, interior_padding = array<i64: 1, 0>} : (tensor<3x6xf32>, tensor<f32>) -> tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// CHECK-LABEL: func.func @adds(
// CHECK:         stablehlo.pad
// CHECK-NOT:     stablehlo.slice
func.func @adds(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<6xf32> {
  %y = "anvl.pad"(%x, %v) {edge_padding_low = array<i64: 2>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>} : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

// Elements between those of the operand: over a mesh along an axis of their own.

// CHECK-LABEL: func.func @between(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>
// CHECK:         %[[R:.*]] = stablehlo.reshape %[[X]] : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK:         %[[P:.*]] = stablehlo.pad %[[R]], %{{.*}}, low = [0, 0], high = [0, 1], interior = [0, 0]
// CHECK:         %[[J:.*]] = stablehlo.reshape %[[P]] : (tensor<4x2xf32>) -> tensor<8xf32>
// CHECK:         %[[E:.*]] = stablehlo.pad %[[J]], %{{.*}}, low = [2], high = [0], interior = [0]
// CHECK:         stablehlo.slice %[[E]] [0:9]
func.func @between(%x: tensor<4xf32> {anvl.sharding = "x=2;x"}, %v: tensor<f32>) -> tensor<9xf32> {
  %y = "anvl.pad"(%x, %v) {edge_padding_low = array<i64: 2>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}
