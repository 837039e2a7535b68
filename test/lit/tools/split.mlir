// RUN: anvl-opt %s --split-input-file --cse | filecheck %s
// RUN: not anvl-opt %s --cse 2>&1 | filecheck %s --check-prefix=WHOLE

// Each part is a module of its own, so one name may be used in several.

// WHOLE: split.mlir:[[# @LINE + 9]]:1: error: redefinition of symbol named 'f'

// CHECK:      func.func @f() {
// CHECK:      // -----
// CHECK-NEXT: module
// CHECK-NEXT: func.func @f() -> tensor<f32>
func.func @f() { return }

// -----
func.func @f() -> tensor<f32> {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
