// RUN: not anvl-opt %s --anvl-check-differentiable="function=main wrt=0" 2>&1 | filecheck %s
// RUN: not anvl-opt %s --anvl-check-differentiable 2>&1 | filecheck %s --check-prefix=ALL

// A derivative of a derivative: what the inner one lacks is said once, and the rest is found too.
// Without a function, the declarations of the module are checked, and not @main itself.

// CHECK: anvl-check-differentiable: @main: 2 of the ops cannot be differentiated:
// CHECK-NEXT: anvl.bitcast_convert at {{.*}}declared.mlir":[[# @LINE + 9]]:8
// CHECK-SAME: (reached by wrt -> anvl.sin -> anvl.bitcast_convert)
// CHECK-NEXT: stablehlo.tan at {{.*}} (reached by wrt -> stablehlo.tan)

// ALL: anvl-check-differentiable: 1 of the ops cannot be differentiated:
// ALL-NEXT: anvl.bitcast_convert
// ALL-NOT: stablehlo.tan
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = "anvl.bitcast_convert"(%0) : (tensor<f32>) -> tensor<f32>
  %2 = "anvl.mul"(%1, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f_vjp(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = call @f_vjp(%x, %x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %1 = stablehlo.tan %x : tensor<f32>
  %2 = "anvl.mul"(%0#1, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
