// RUN: anvl-opt %s --stablehlo-legalize-to-vhlo --vhlo-legalize-to-stablehlo --anvl-validate-each -o %t --split-input-file 2>&1 | filecheck %s
// RUN: not anvl-opt %s --load=%S/Inputs/wrong_passes.py --anvl-lift --my-crash --anvl-validate-each --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=CRASH

// Whatever is not compared is a remark with the reason: results that are NaN for all inputs, functions
// that cannot be executed, that go or come, and whose type a pass changes.  A function that comes
// back is compared with what it was.  A program that ends the process names the pass.

// CHECK: not-compared.mlir:[[# @LINE + 5]]:1: remark: anvl-validate-each: result 1 of @root is NaN for all inputs: not compared
// CHECK: remark: anvl-validate-each: @root is gone after stablehlo-legalize-to-vhlo
// CHECK-NOT: @root

// CRASH: error: my-crash: @wave ran before this pass, and does not after it: plugin: @wave: compiling ended the process with SIG
func.func @root(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.multiply %x, %x : tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  %2 = stablehlo.sqrt %1 : tensor<2xf32>
  return %0, %2 : tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK: [[# @LINE + 2]]:1: remark: anvl-validate-each: @outer cannot be executed as it is read: {{.*}}@elsewhere
func.func private @elsewhere(tensor<2xf32>) -> tensor<2xf32>
func.func @outer(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @elsewhere(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK: remark: anvl-validate-each: there is no public function to execute; name one with functions=
func.func private @hidden(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @wave(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
