// RUN: anvl-opt %s --anvl-sparsity=function=neighbours 2>&1 >/dev/null | filecheck %s --check-prefix=NEIGHBOURS
// RUN: anvl-opt %s --anvl-sparsity=function=moved 2>&1 >/dev/null | filecheck %s --check-prefix=MOVED
// RUN: anvl-opt %s --anvl-sparsity=function=combined 2>&1 >/dev/null | filecheck %s --check-prefix=COMBINED
// RUN: anvl-opt %s --anvl-sparsity="function=combined results=1 args=1" 2>&1 >/dev/null | filecheck %s --check-prefix=ONE

// Rows whose columns stay, or move on with the row, are one line; nothing else changes.

// NEIGHBOURS:      anvl-sparsity: @neighbours: result 0 by argument 0: 10 of 5x6
// NEIGHBOURS-NEXT:   rows 0-4: i..i+1
// NEIGHBOURS-NEXT: anvl-sparsity: @neighbours: result 1 by argument 0: 21 of 6x6
// NEIGHBOURS-NEXT:   rows 0-5: 0..i
// NEIGHBOURS-NOT: {{.}}
func.func @neighbours(%x: tensor<6xf32>) -> (tensor<5xf32>, tensor<6xf32>) {
  %0 = "anvl.slice"(%x) {limit_indices = array<i64: 6>, start_indices = array<i64: 1>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<5xf32>
  %1 = "anvl.slice"(%x) {limit_indices = array<i64: 5>, start_indices = array<i64: 0>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<5xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %3 = "anvl.cumsum"(%x) {axis = 0 : i64} : (tensor<6xf32>) -> tensor<6xf32>
  return %2, %3 : tensor<5xf32>, tensor<6xf32>
}

// Known indices and zeros of known factors count, in whatever form they come.

// MOVED:      anvl-sparsity: @moved: result 0 by argument 0: 3 of 3x4
// MOVED-NEXT:   row 0: 3
// MOVED-NEXT:   rows 1-2: i-1
// MOVED-NEXT: anvl-sparsity: @moved: result 1 by argument 0: 4 of 3x4
// MOVED-NEXT:   row 0: 0 3
// MOVED-NEXT:   row 1: 2
// MOVED-NEXT:   row 2: 1
func.func @moved(%x: tensor<4xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = "anvl.constant"() {value = dense<[3, 0, 1]> : tensor<3xi32>} : () -> tensor<3xi32>
  %1 = "anvl.reshape"(%0) : (tensor<3xi32>) -> tensor<3x1xi32>
  %2 = "anvl.gather"(%x, %1) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  %3 = "anvl.constant"() {value = dense<[[1., 0., 0.], [0., 0., 1.], [0., 2., 0.], [3., 0., 0.]]> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %4 = "anvl.dot_general"(%3, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %2, %4 : tensor<3xf32>, tensor<3xf32>
}

// COMBINED:      anvl-sparsity: @combined: result 0 by argument 0: 6 of 2x6
// COMBINED-NEXT:   row 0: 0..2
// COMBINED-NEXT:   row 1: 3..5
// COMBINED-NEXT: anvl-sparsity: @combined: result 1 by argument 0: 18 of 6x6
// COMBINED-NEXT:   rows 0-2: 0..2
// COMBINED-NEXT:   rows 3-5: 3..5
// COMBINED-NEXT: anvl-sparsity: @combined: result 0 by argument 1: none of 2x1
// COMBINED-NEXT: anvl-sparsity: @combined: result 1 by argument 1: 6 of 6x1
// COMBINED-NEXT:   rows 0-5: 0
// ONE:      anvl-sparsity: @combined: result 1 by argument 1: 6 of 6x1
// ONE-NEXT:   rows 0-5: 0
// ONE-NOT: {{.}}
func.func @combined(%x: tensor<2x3xf32>, %s: tensor<f32>) -> (tensor<2xf32>, tensor<2x3xf32>) {
  %0 = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = "anvl.softmax"(%x) {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "anvl.broadcast_in_dim"(%s) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
  %3 = "anvl.mul"(%1, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %3 : tensor<2xf32>, tensor<2x3xf32>
}
