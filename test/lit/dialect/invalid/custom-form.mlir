// RUN: not anvl-opt %s 2>&1 | filecheck %s
// RUN: not %run %s --function=f --args="[[1.0]]" 2>&1 | filecheck %s
// RUN: not anvl-opt %s --split-input-file 2>&1 | filecheck %s

// MLIR's parser fails at such an op without a diagnostic.

// CHECK: custom-form.mlir:[[# @LINE + 5]]:8: error: anvl.sin: has no form of its own; write the generic one, "anvl.sin"(...) with the types of its operands and results, as anvl-opt prints it
// CHECK-NEXT: %1 = anvl.sin %0 : tensor<1xf32>

func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> attributes {anvl.note = "// %9 = anvl.cos"} {
  %0 = "anvl.neg"(%x) {anvl.sin = 1 : i64} : (tensor<1xf32>) -> tensor<1xf32>
  %1 = anvl.sin %0 : tensor<1xf32>
  return %1 : tensor<1xf32>
}
