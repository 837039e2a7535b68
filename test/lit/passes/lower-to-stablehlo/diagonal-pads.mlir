// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// On the CPU a matrix that a pad makes of its diagonal is a choice, which is vectorized (Note
// [Diagonals]).

// CHECK-LABEL: func.func @below(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3x60xf32>
// CHECK:         %[[ROWS:.*]] = stablehlo.pad %[[X]], %{{.*}}, low = [0, 20], high = [0, 0], interior = [0, 0]
// CHECK-NEXT:    %[[EACH:.*]] = stablehlo.broadcast_in_dim %[[ROWS]], dims = [0, 1]
// CHECK:         %[[ROW:.*]] = stablehlo.iota dim = 1
// CHECK-NEXT:    %[[COLUMN:.*]] = stablehlo.iota dim = 2
// CHECK-NEXT:    %[[SHIFT:.*]] = stablehlo.constant dense<-20>
// CHECK-NEXT:    %[[SHIFTED:.*]] = stablehlo.add %[[ROW]], %[[SHIFT]]
// CHECK-NEXT:    %[[IS_THERE:.*]] = stablehlo.compare EQ, %[[SHIFTED]], %[[COLUMN]]
// CHECK-NEXT:    stablehlo.select %[[IS_THERE]], %[[EACH]]
// CUDA-LABEL:  func.func @below(
// CUDA-NOT:      stablehlo.select
// CUDA:          return
func.func @below(%x: tensor<3x60xf32>, %zero: tensor<f32>) -> tensor<3x80x70xf32> {
  %flat = "anvl.pad"(%x, %zero) {edge_padding_low = array<i64: 0, 1400>, edge_padding_high = array<i64: 0, 10>, interior_padding = array<i64: 0, 70>} : (tensor<3x60xf32>, tensor<f32>) -> tensor<3x5600xf32>
  %y = "anvl.reshape"(%flat) {shape = array<i64: 3, 80, 70>} : (tensor<3x5600xf32>) -> tensor<3x80x70xf32>
  return %y : tensor<3x80x70xf32>
}

// Elements that do not lie on a diagonal, or run over its end, stay.

// CHECK-LABEL: func.func @every_row(
// CHECK-NOT:     stablehlo.select
// CHECK:         return
func.func @every_row(%x: tensor<80xf32>, %zero: tensor<f32>) -> tensor<80x70xf32> {
  %flat = "anvl.pad"(%x, %zero) {edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 69>, interior_padding = array<i64: 69>} : (tensor<80xf32>, tensor<f32>) -> tensor<5600xf32>
  %y = "anvl.reshape"(%flat) {shape = array<i64: 80, 70>} : (tensor<5600xf32>) -> tensor<80x70xf32>
  return %y : tensor<80x70xf32>
}

// CHECK-LABEL: func.func @over_the_end(
// CHECK-NOT:     stablehlo.select
// CHECK:         return
func.func @over_the_end(%x: tensor<71xf32>, %zero: tensor<f32>) -> tensor<80x70xf32> {
  %flat = "anvl.pad"(%x, %zero) {edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 629>, interior_padding = array<i64: 70>} : (tensor<71xf32>, tensor<f32>) -> tensor<5600xf32>
  %y = "anvl.reshape"(%flat) {shape = array<i64: 80, 70>} : (tensor<5600xf32>) -> tensor<80x70xf32>
  return %y : tensor<80x70xf32>
}
