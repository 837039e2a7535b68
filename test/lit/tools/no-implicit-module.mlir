// RUN: anvl-opt %s --no-implicit-module --cse | filecheck %s
// RUN: anvl-opt %s --no-implicit-module --pass-pipeline="func.func(cse)" \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --no-implicit-module -p "func.func(cse)" --emit-bytecode \
// RUN:   | anvl-opt | filecheck %s --check-prefix=MODULE
// RUN: anvl-opt %s | anvl-opt --no-implicit-module --pass-pipeline="builtin.module(cse)" \
// RUN:   | filecheck %s --check-prefix=MODULE
// RUN: not anvl-opt %s --no-implicit-module --pass-pipeline="builtin.module(cse)" 2>&1 \
// RUN:   | filecheck %s --check-prefix=ANCHOR
// RUN: not anvl-opt %s --no-implicit-module --anvl-lower-to-stablehlo 2>&1 \
// RUN:   | filecheck %s --check-prefix=PASS
// RUN: not anvl-opt %S/print-unique-ssa-ids.mlir --no-implicit-module 2>&1 \
// RUN:   | filecheck %s --check-prefix=TWO

// One function is read, transformed and written without a module around it; a module that is
// written is the one op.

// CHECK-NOT:  module
// CHECK:      func.func @f(
// CHECK-NEXT:   %[[S:.*]] = "anvl.sin"
// CHECK-NEXT:   "anvl.mul"(%[[S]], %[[S]])

// MODULE:      {{^}}module {
// MODULE-NEXT:   func.func @f(
// MODULE-NEXT:     "anvl.sin"
// MODULE-NEXT:     "anvl.mul"

// ANCHOR: error: pass-pipeline: it runs on builtin.module, but the input is one func.func

// PASS: error: anvl-lower-to-stablehlo: runs on builtin.module, not on func.func

// TWO: print-unique-ssa-ids.mlir:1:1: error: source must contain a single top-level operation, found: 2
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %2 = "anvl.mul"(%0, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
