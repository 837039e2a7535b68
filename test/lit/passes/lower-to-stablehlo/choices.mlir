// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA
// RUN: anvl-opt %s --anvl-lower-to-stablehlo \
// RUN:   | %run --function=small --args='[true, 3.0]' | %numbers %s

// XLA makes selects of a choice by a bool, and then runs both branches, but not of one by an index
// (Note [Branches that XLA merges]).  The second branch is that of true.

// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[P:[a-zA-Z0-9_]+]]: tensor<i1>
// CHECK:         %[[INDEX:.*]] = stablehlo.convert %[[P]] : (tensor<i1>) -> tensor<i32>
// CHECK:         "stablehlo.case"(%[[INDEX]]) ({
// CHECK:           stablehlo.reduce
// CHECK:         }, {
// CHECK-NEXT:      stablehlo.exponential
// CUDA-LABEL:  func.func @sums(
// CUDA:          stablehlo.if
func.func @sums(%p: tensor<i1>, %x: tensor<100x200xf32>) -> tensor<f32> {
  %y = "stablehlo.if"(%p) ({
    %e = "anvl.exp"(%x) : (tensor<100x200xf32>) -> tensor<100x200xf32>
    %s = "anvl.sum"(%e) {axes = array<i64: 0, 1>} : (tensor<100x200xf32>) -> tensor<f32>
    stablehlo.return %s : tensor<f32>
  }, {
    %s = "anvl.sum"(%x) {axes = array<i64: 0, 1>} : (tensor<100x200xf32>) -> tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %y : tensor<f32>
}

// Small branches take less time than a choice.

// CHECK-LABEL: func.func @small(
// CHECK:         stablehlo.if
// NUMBERS: f32[] 9.0
func.func @small(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %y = "stablehlo.if"(%p) ({
    %s = "anvl.mul"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %y : tensor<f32>
}
