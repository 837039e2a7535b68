// RUN: anvl-opt %s --chlo-legalize-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --chlo-legalize-to-stablehlo --dump-pass-pipeline 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: not anvl-opt %s -p chlo-legalize-to-stablehlo 2>&1 | filecheck %s --check-prefix=PLAIN

// A flag for a pass that runs on functions is nested in them; a pipeline must say so itself.

// PIPELINE: func.func(
// PIPELINE-NEXT: chlo-legalize-to-stablehlo
// PLAIN: error: chlo-legalize-to-stablehlo: this pass runs on func.func, not on builtin.module; write func.func(chlo-legalize-to-stablehlo)

// CHECK-LABEL: func.func @tan(
// CHECK:         stablehlo.tan
func.func @tan(%x: tensor<f32>) -> tensor<f32> {
  %0 = chlo.tan %x : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}
