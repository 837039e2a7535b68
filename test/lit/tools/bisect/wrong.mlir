// RUN: not anvl-opt %s --load=%S/../validate-each/Inputs/wrong_passes.py -p "cse,func.func(my-swap-operands),anvl-lower-to-stablehlo" --anvl-bisect=functions=swapped --split-input-file 2>&1 | filecheck %s --check-prefix=SWAPPED
// RUN: not anvl-opt %s --load=%S/../validate-each/Inputs/wrong_passes.py -p "cse,my-drop-negations" --anvl-bisect=functions=swapped -o %t 2>&1 | filecheck %s --check-prefix=DROPPED
// RUN: not anvl-opt %s --load=%S/../validate-each/Inputs/wrong_passes.py --anvl-gradient=function=loss --my-permute --anvl-bisect -o %t 2>&1 | filecheck %s --check-prefix=PERMUTED
// RUN: not anvl-opt %s --load=%S/../validate-each/Inputs/wrong_passes.py --anvl-lower-to-stablehlo --my-careless-rewrite --anvl-bisect=functions=called -o %t 2>&1 | filecheck %s --check-prefix=REWRITTEN

// The op that makes the difference is named, at the line that it comes from: one with swapped operands
// under others that are as before, one that is gone, one whose attribute has changed in a function
// that another pass has made, and one in a function that is called, of a program in other steps.

// SWAPPED:      wrong.mlir:[[# @LINE + 26]]:8: error: my-swap-operands: @swapped computes other numbers after this pass than before it: result 1,
// SWAPPED-NEXT: %1 = "anvl.sub"(%0, %y)
// SWAPPED:      note: the inputs, %x: tensor<3xf32>, %y: tensor<3xf32>, are those of anvl-run
// SWAPPED-NEXT: note: the first op that computes something new: %1 = "anvl.sub"(%y, %0)
// SWAPPED-NEXT: note: before this pass there was: %1 = "anvl.sub"(%0, %y)
// SWAPPED-NEXT: note: {{.*}} then: anvl-opt FILE --run-reproducer --anvl-bisect=functions=swapped

// DROPPED:      wrong.mlir:[[# @LINE + 20]]:8: error: my-drop-negations: @swapped computes other numbers
// DROPPED:      note: no op computes something new, but another value is used: %1 = "anvl.sub"(%0, %y)
// DROPPED-NEXT: note: before this pass there was: %2 = "anvl.neg"(%1)

// PERMUTED:      wrong.mlir:[[# @LINE + 21]]:8: error: my-permute: @loss_adjoint computes other numbers
// PERMUTED:      note: the first op that computes something new: %0 = "anvl.transpose"(%x) {permutation = array<i64: 0, 1>}
// PERMUTED-NEXT: note: before this pass there was: %0 = "anvl.transpose"(%x) {permutation = array<i64: 1, 0>}

// REWRITTEN:      wrong.mlir:[[# @LINE + 30]]:8: error: my-careless-rewrite: @called computes other numbers
// REWRITTEN:      note: the first op that computes something new: %0 = stablehlo.multiply %x, %y
// REWRITTEN-NEXT: note: on the way from there to result 0 2 ops have new values too, and may be wrong instead:
// REWRITTEN-NEXT:   %1 = stablehlo.multiply %x, %x
// REWRITTEN-NEXT:   %2 = stablehlo.subtract %0, %1
// REWRITTEN-NEXT: note: before this pass there was:
// REWRITTEN-NEXT:   %0 = stablehlo.add %y, %x
// REWRITTEN-NEXT:   %1 = stablehlo.multiply %x, %0

func.func @swapped(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.sub"(%0, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.neg"(%1) : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %2 : tensor<3xf32>, tensor<3xf32>
}

func.func @loss(%x: tensor<2x2xf32>) -> tensor<f32> {
  %0 = "anvl.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "anvl.mul"(%x, %0) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

func.func @called(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = func.call @product(%x, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func private @product(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.add"(%y, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.mul"(%x, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
