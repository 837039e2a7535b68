// RUN: not anvl-opt %s --anvl-vectorize="function=f batched=0 size=2" 2>&1 | filecheck %s

// One error lists every op that a batched argument reaches and that cannot be batched: where it
// stands, why, and the way to it. The op on the other argument needs no rule.

// CHECK: anvl-vectorize: @f: 2 of the ops cannot be batched:
// CHECK-SAME: stablehlo.cosine at {{.*}}missing-rules.mlir":[[# @LINE + 8]]:8: it has no
// CHECK-SAME: batch rule, since anvl-lift has not been run (reached by a batched argument -> anvl.sin ->
// CHECK-SAME: stablehlo.cosine)
// CHECK-SAME: stablehlo.negate at {{.*}}missing-rules.mlir":[[# @LINE + 8]]:8: it has no batch
// CHECK-SAME: (reached by a batched argument -> anvl.sin -> stablehlo.cosine -> anvl.convert ->
// CHECK-SAME: stablehlo.negate)
func.func @f(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<i32>, tensor<f32>) {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.cosine %0 : tensor<f32>
  %2 = stablehlo.cosine %y : tensor<f32>
  %3 = "anvl.convert"(%1) : (tensor<f32>) -> tensor<i32>
  %4 = stablehlo.negate %3 : tensor<i32>
  return %1, %4, %2 : tensor<f32>, tensor<i32>, tensor<f32>
}
