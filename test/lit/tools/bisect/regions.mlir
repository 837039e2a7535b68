// RUN: not anvl-opt %s --load=%S/../validate-each/Inputs/wrong_passes.py --my-swap-operands --anvl-bisect=functions=branch -o %t 2>&1 | filecheck %s --check-prefix=BRANCH
// RUN: not anvl-opt %s --load=%S/../validate-each/Inputs/wrong_passes.py --my-swap-operands --anvl-bisect=functions=steps -o %t 2>&1 | filecheck %s --check-prefix=SCAN

// An op in a branch, and one in the body of a scan that is only declared, are named with the ops that
// they are in.

// BRANCH:      regions.mlir:[[# @LINE + 13]]:10: error: my-swap-operands: @branch computes other numbers
// BRANCH:      note: in a region of: %0 = "stablehlo.if"(%p) ({...}, {...})
// BRANCH-NEXT: note: the first op that computes something new: %2 = "anvl.sub"(%1, %x)
// BRANCH-NEXT: note: before this pass there was: %2 = "anvl.sub"(%x, %1)

// SCAN:      regions.mlir:[[# @LINE + 17]]:8: error: my-swap-operands: @steps computes other numbers
// SCAN:      note: in a region of: {{.*}} = stablehlo.while
// SCAN-NEXT: note: the first op that computes something new: {{.*}} = "anvl.sub"
// SCAN-NEXT: note: before this pass there was: {{.*}} = "anvl.sub"

func.func @branch(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %2 = "anvl.sub"(%x, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %2 : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func private @step(%c: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sub"(%c, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func private @scan(tensor<3xf32>, tensor<4x3xf32>) -> tensor<3xf32>
    attributes {anvl.scan = {body = @step, carry = 1 : i64, xs = 1 : i64, length = 4 : i64, reverse = false}}

func.func @steps(%c: tensor<3xf32>, %x: tensor<4x3xf32>) -> tensor<3xf32> {
  %0 = func.call @scan(%c, %x) : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
