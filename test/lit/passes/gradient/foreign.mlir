// RUN: not anvl-opt %s --split-input-file --anvl-gradient="function=f wrt=0" 2>&1 | filecheck %s

// Ops of other dialects are on the way also by what their regions use, and by scalars that are no
// tensors: to leave them out would give a derivative of zero.

// CHECK: anvl-gradient: @f: 1 of the ops cannot be differentiated:
// CHECK-NEXT: stablehlo.case at {{.*}} (reached by wrt -> anvl.sin -> stablehlo.case)
func.func @f(%x: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %1 : tensor<f32>
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
