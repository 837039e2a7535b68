// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s

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
