// RUN: not anvl-opt %s --anvl-forward="function=f" 2>&1 | filecheck %s

// One error lists every op on the way that has no tangent: where it stands, why, and by which ops
// the argument reaches it. The op on integers is not on the way.

// CHECK: anvl-forward: @f: 2 of the ops cannot be differentiated:
// CHECK-NEXT: anvl.polygamma at {{.*}}missing-rules.mlir":[[# @LINE + 7]]:8: operand 0 has no
// CHECK-SAME: derivative: not differentiable with respect to its order, which must be an integer
// CHECK-SAME: (reached by wrt -> anvl.polygamma)
// CHECK-NEXT: stablehlo.cosine at {{.*}}missing-rules.mlir":[[# @LINE + 5]]:8: it has no
// CHECK-SAME: tangent rule, since anvl-lift has not been run (reached by wrt -> anvl.polygamma -> stablehlo.cosine)
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "anvl.polygamma"(%x, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.cosine %0 : tensor<f32>
  %2 = "anvl.convert"(%1) : (tensor<f32>) -> tensor<i32>
  %3 = stablehlo.negate %2 : tensor<i32>
  return %1 : tensor<f32>
}
