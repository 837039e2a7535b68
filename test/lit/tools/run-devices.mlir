// RUN: anvl-opt %s --anvl-shard="mesh=x:2,y:2 arg0=x,- arg1=-,y" -o %t.mlir
// RUN: anvl-run %t.mlir --random-seed=0 --devices=4 --compare=interpreter 2>&1 \
// RUN:   | filecheck %s --check-prefix=SAME
// RUN: not anvl-run %t.mlir --random-seed=0 --devices=3 2>&1 | filecheck %s --check-prefix=THREE
// RUN: not anvl-run %t.mlir --devices=0 2>&1 | filecheck %s --check-prefix=NONE

// A program with shardings runs over as many devices as its mesh has, with the same results.

// SAME: plugin and interpreter: result 0: tensor<8x4xf32>: {{equal|close}}
// SAME: plugin and interpreter: result 1: tensor<f32>: {{equal|close}}
// THREE: error: {{.*}} should have 3 devices but has 4
// NONE: --devices must be at least 1, got 0
func.func @main(%x: tensor<8x6xf32>, %w: tensor<6x4xf32>) -> (tensor<8x4xf32>, tensor<f32>) {
  %y = "anvl.dot_general"(%x, %w) {dot_dimension_numbers =
      #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}
    : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  %s = "anvl.sum"(%y) {axes = array<i64: 0, 1>} : (tensor<8x4xf32>) -> tensor<f32>
  return %y, %s : tensor<8x4xf32>, tensor<f32>
}
