// RUN: not anvl-opt %s --anvl-gradient="function=f" 2>&1 | filecheck %s

// One error lists every op on the way that cannot be differentiated: where it stands, why, and by
// which ops the argument reaches it. The op on integers is not on the way.

// CHECK: anvl-gradient: @f: 3 of the ops cannot be differentiated:
// CHECK-NEXT: stablehlo.cosine at {{.*}}missing-rules.mlir":[[# @LINE + 8]]:8: it has no
// CHECK-SAME: adjoint rule, since anvl-lift has not been run (reached by wrt -> anvl.sin -> stablehlo.cosine)
// CHECK-NEXT: anvl.polygamma at {{.*}}missing-rules.mlir":[[# @LINE + 7]]:8: operand 0 has no
// CHECK-SAME: derivative: not differentiable with respect to its order, which must be an integer
// CHECK-SAME: (reached by wrt -> anvl.polygamma)
// CHECK-NEXT: anvl.bitcast_convert at {{.*}} operand 0 has no derivative: bits carry no derivative
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.cosine %0 : tensor<f32>
  %2 = "anvl.polygamma"(%x, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = "anvl.convert"(%2) : (tensor<f32>) -> tensor<i32>
  %4 = stablehlo.negate %3 : tensor<i32>
  %5 = "anvl.bitcast_convert"(%2) : (tensor<f32>) -> tensor<f32>
  return %5 : tensor<f32>
}
