// RUN: not anvl-opt %s --anvl-gradient="function=f transpose" 2>&1 | filecheck %s

// Ops of other dialects on scalars are named as ops without rules.

// CHECK: error: anvl-gradient: @f: 3 of the ops cannot be differentiated:
// CHECK: tensor.extract at {{.*}} it has no adjoint rule, since f32 is not a tensor
// CHECK: arith.mulf at
// CHECK: tensor.from_elements at
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = tensor.extract %x[] : tensor<f32>
  %1 = arith.mulf %0, %0 : f32
  %2 = tensor.from_elements %1 : tensor<f32>
  return %2 : tensor<f32>
}
