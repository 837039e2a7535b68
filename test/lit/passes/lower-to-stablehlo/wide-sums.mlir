// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// Sums over axes before more than 64 KiB of others are products with ones (Note [Wide sums]).

// CHECK-LABEL: func.func @of_rows(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<9x16385xf32>
// CHECK:         %[[ONES:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<9xf32>
// CHECK-NEXT:    %[[SUM:.*]] = stablehlo.dot_general %[[ONES]], %[[X]], contracting_dims = [0] x [0]
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         return %[[SUM]]
// CUDA-LABEL:  func.func @of_rows(
// CUDA:          stablehlo.reduce(
// CUDA:          return
func.func @of_rows(%x: tensor<9x16385xf32>) -> tensor<16385xf32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<9x16385xf32>) -> tensor<16385xf32>
  return %y : tensor<16385xf32>
}

// CHECK-LABEL: func.func @of_axes_within(
// CHECK:         stablehlo.dot_general %{{.*}}, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2] : (tensor<2x3x5xf64>, tensor<2x3x5x90x100xf64>) -> tensor<2x90x100xf64>
// CHECK-NEXT:    return
func.func @of_axes_within(%x: tensor<2x3x5x90x100xf64>) -> tensor<2x90x100xf64> {
  %y = "anvl.sum"(%x) {axes = array<i64: 1, 2>} : (tensor<2x3x5x90x100xf64>) -> tensor<2x90x100xf64>
  return %y : tensor<2x90x100xf64>
}

// Rows of 64 KiB, axes that are apart, what lies in f16, and other reductions stay.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     stablehlo.dot_general
// CHECK:         return
func.func @others(%x: tensor<9x16384xf32>, %y: tensor<9x2x17000xf32>, %z: tensor<9x17000xf16>, %w: tensor<9x17000xf32>)
    -> (tensor<16384xf32>, tensor<2xf32>, tensor<17000xf16>, tensor<17000xf32>) {
  %0 = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<9x16384xf32>) -> tensor<16384xf32>
  %1 = "anvl.sum"(%y) {axes = array<i64: 0, 2>} : (tensor<9x2x17000xf32>) -> tensor<2xf32>
  %2 = "anvl.sum"(%z) {axes = array<i64: 0>} : (tensor<9x17000xf16>) -> tensor<17000xf16>
  %3 = "anvl.max"(%w) {axes = array<i64: 0>} : (tensor<9x17000xf32>) -> tensor<17000xf32>
  return %0, %1, %2, %3 : tensor<16384xf32>, tensor<2xf32>, tensor<17000xf16>, tensor<17000xf32>
}
