// RUN: anvl-opt %s --cse --canonicalize --mlir-print-ir-after-all -o %t 2>&1 | filecheck %s --check-prefix=ALL
// RUN: anvl-opt %s --cse --canonicalize --mlir-print-ir-before=cse -o %t 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: anvl-opt %s --cse --cse --mlir-print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: anvl-opt %s -p "func.func(cse)" --mlir-print-ir-after=cse -o %t 2>&1 | filecheck %s --check-prefix=NESTED
// RUN: anvl-opt %s -p "func.func(cse)" --mlir-print-ir-after=cse --mlir-print-ir-module-scope -o %t 2>&1 | filecheck %s --check-prefix=SCOPE
// RUN: rm -rf %t.dir && anvl-opt %s -p "cse,func.func(cse)" --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t.dir -o %t
// RUN: filecheck %s --check-prefix=TREE --input-file=%t.dir/builtin_module_no-symbol-name/func_func_f/1_0_cse.mlir

// The IR can be shown around every pass, around named ones, or where it changed.

// ALL:      // -----// IR Dump After Cse (cse) //----- //
// ALL:      // -----// IR Dump After Canonicalizer (canonicalize) //----- //

// BEFORE:     // -----// IR Dump Before Cse (cse) //----- //
// BEFORE:     stablehlo.sine
// BEFORE:     stablehlo.sine
// BEFORE-NOT: IR Dump

// CHANGE:     // -----// IR Dump After Cse (cse) //----- //
// CHANGE-NOT: IR Dump

// NESTED:     // -----// IR Dump After Cse (cse) ('func.func' operation: @f) //----- //
// NESTED-NEXT: func.func @f
// SCOPE:      // -----// IR Dump After Cse (cse) ('func.func' operation: @f) //----- //
// SCOPE-NEXT: module {

// TREE: func.func @f
func.func @f(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.sine %x : tensor<f32>
  %1 = stablehlo.sine %x : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
