// RUN: not anvl-opt %s --split-input-file --anvl-gradient="function=f wrt=0" 2>&1 | filecheck %s

// Ops of other dialects are on the way also by what their regions use, and by scalars that are no
// tensors: to leave them out would give a derivative of zero.

// CHECK: anvl-gradient: @f: 1 of the ops cannot be differentiated:
// CHECK-NEXT: scf.execute_region at {{.*}} (reached by wrt -> anvl.sin -> scf.execute_region)
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = scf.execute_region -> tensor<f32> {
    scf.yield %0 : tensor<f32>
  }
  return %1 : tensor<f32>
}

// -----

// A choice of what is no array has no rules.

// CHECK: anvl-gradient: @f: 1 of the ops cannot be differentiated:
// CHECK-NEXT: stablehlo.if at {{.*}}: it has no adjoint rule, since !stablehlo.token is not a tensor
func.func @f(%x: tensor<f32>, %p: tensor<i1>, %t: !stablehlo.token) -> (tensor<f32>, !stablehlo.token) {
  %0, %1 = "stablehlo.if"(%p) ({
    stablehlo.return %x, %t : tensor<f32>, !stablehlo.token
  }, {
    stablehlo.return %x, %t : tensor<f32>, !stablehlo.token
  }) : (tensor<i1>) -> (tensor<f32>, !stablehlo.token)
  return %0, %1 : tensor<f32>, !stablehlo.token
}

// -----

// CHECK: anvl-gradient: @f: 3 of the ops cannot be differentiated:
// CHECK-NEXT: tensor.extract at {{.*}} (reached by wrt -> tensor.extract)
// CHECK-NEXT: arith.mulf at {{.*}} (reached by wrt -> tensor.extract -> arith.mulf)
// CHECK-NEXT: tensor.from_elements at {{.*}} -> arith.mulf -> tensor.from_elements)
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = tensor.extract %x[] : tensor<f32>
  %1 = arith.mulf %0, %0 : f32
  %2 = tensor.from_elements %1 : tensor<f32>
  return %2 : tensor<f32>
}
