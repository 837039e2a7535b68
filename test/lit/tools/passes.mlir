// RUN: anvl-opt %s --cse | filecheck %s --check-prefix=CSE
// RUN: anvl-opt %s -cse -symbol-dce | filecheck %s --check-prefixes=CSE,DCE
// RUN: anvl-opt %s --pass-pipeline="builtin.module(func.func(cse),symbol-dce)" | filecheck %s --check-prefixes=CSE,DCE
// RUN: anvl-opt %s -p cse,symbol-dce | filecheck %s --check-prefixes=CSE,DCE
// RUN: anvl-opt %s | filecheck %s --check-prefix=NONE

// Passes run in the order given, by flags or as a pipeline; without any, the input is printed.

// CSE-LABEL: func.func @twice(
// CSE:         %[[SUM:.*]] = stablehlo.add
// CSE-NOT:     stablehlo.add
// CSE:         return %[[SUM]], %[[SUM]]
// DCE-NOT:   @unused

// NONE-LABEL: func.func @twice(
// NONE:         stablehlo.add
// NONE:         stablehlo.add
// NONE:       func.func private @unused
func.func @twice(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.add %x, %x : tensor<f32>
  %1 = stablehlo.add %x, %x : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

func.func private @unused() {
  return
}
