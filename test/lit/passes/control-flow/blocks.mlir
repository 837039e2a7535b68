// RUN: anvl-opt %s --anvl-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-control-flow="blocks=false" | filecheck %s --check-prefix=STEPS

// Two carries of elementwise steps that call functions are one complex array, and each pass of the
// loop takes several steps: of 14, two blocks of 7.

// CHECK-LABEL: func.func private @steps(
// CHECK:         %[[PAIR:.*]] = "anvl.complex"(%arg0, %arg1)
// CHECK:         stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %[[PAIR]]) : tensor<i32>, tensor<3xcomplex<f32>>
// CHECK:           value = dense<2> : tensor<i32>
// CHECK-COUNT-7:  call @step(
// CHECK-NOT:       call @step(
// CHECK:           "anvl.complex"

// STEPS-LABEL: func.func private @steps(
// STEPS:         value = dense<14> : tensor<i32>
// STEPS:           call @step(
// STEPS-NOT:       call @step(
// STEPS:         return

// What XLA computes without calls is faster by itself.
// CHECK-LABEL: func.func private @tanhs(
// CHECK-NOT:     complex
// CHECK:         return
func.func private @step(%x: tensor<3xf32>, %d: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.cos"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.mul"(%1, %d) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %2 : tensor<3xf32>, tensor<3xf32>
}
func.func private @steps(tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    attributes {anvl.scan = {body = @step, carry = 2 : i64, xs = 0 : i64, length = 14 : i64, reverse = false}}
func.func private @uncalled(%x: tensor<3xf32>, %d: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = "anvl.tanh"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.mul"(%0, %d) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}
func.func private @tanhs(tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    attributes {anvl.scan = {body = @uncalled, carry = 2 : i64, xs = 0 : i64, length = 14 : i64, reverse = false}}
func.func @main(%x: tensor<3xf32>, %d: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = call @steps(%x, %d) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}
func.func @plain(%x: tensor<3xf32>, %d: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = call @tanhs(%x, %d) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}
