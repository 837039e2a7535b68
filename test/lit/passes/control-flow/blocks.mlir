// RUN: anvl-opt %s --anvl-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-control-flow="blocks=false" | filecheck %s --check-prefix=STEPS

// Two carries of elementwise steps that call functions are one complex array, and each pass of the
// loop takes several steps: of 14, two blocks of 7.

// CHECK-LABEL: func.func private @steps(
// CHECK:         %[[PAIR:.*]] = "anvl.complex"(%arg0, %arg1)
// CHECK:         stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %[[PAIR]]) : tensor<i32>, tensor<600xcomplex<f32>>
// CHECK:           value = dense<2> : tensor<i32>
// CHECK-COUNT-7:  call @step(
// CHECK-NOT:       call @step(
// CHECK:           "anvl.complex"

// STEPS-LABEL: func.func private @steps(
// STEPS:         value = dense<14> : tensor<i32>
// STEPS:           call @step(
// STEPS-NOT:       call @step(
// STEPS:         return

// On few numbers, which are worth no second core, each step is a block, and on very few it stays.
// CHECK-LABEL: func.func private @few(
// CHECK:         stablehlo.while({{.*}}) : tensor<i32>, tensor<100xcomplex<f32>>
// CHECK:           value = dense<14> : tensor<i32>
// CHECK:           call @step_of_few(
// CHECK-NOT:       call @step_of_few(
// CHECK-LABEL: func.func private @very_few(
// CHECK-NOT:     complex

// What XLA computes without calls is faster by itself.
// CHECK-LABEL: func.func private @tanhs(
// CHECK-NOT:     complex
// CHECK:         return
func.func private @step(%x: tensor<600xf32>, %d: tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<600xf32>) -> tensor<600xf32>
  %1 = "anvl.cos"(%x) : (tensor<600xf32>) -> tensor<600xf32>
  %2 = "anvl.mul"(%1, %d) : (tensor<600xf32>, tensor<600xf32>) -> tensor<600xf32>
  return %0, %2 : tensor<600xf32>, tensor<600xf32>
}
func.func private @steps(tensor<600xf32>, tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>)
    attributes {anvl.scan = {body = @step, carry = 2 : i64, xs = 0 : i64, length = 14 : i64, reverse = false}}
func.func private @step_of_few(%x: tensor<100xf32>, %d: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<100xf32>) -> tensor<100xf32>
  %1 = "anvl.cos"(%x) : (tensor<100xf32>) -> tensor<100xf32>
  %2 = "anvl.mul"(%1, %d) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
  return %0, %2 : tensor<100xf32>, tensor<100xf32>
}
func.func private @few(tensor<100xf32>, tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>)
    attributes {anvl.scan = {body = @step_of_few, carry = 2 : i64, xs = 0 : i64, length = 14 : i64, reverse = false}}
func.func private @step_of_very_few(%x: tensor<63xf32>, %d: tensor<63xf32>) -> (tensor<63xf32>, tensor<63xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<63xf32>) -> tensor<63xf32>
  %1 = "anvl.cos"(%x) : (tensor<63xf32>) -> tensor<63xf32>
  %2 = "anvl.mul"(%1, %d) : (tensor<63xf32>, tensor<63xf32>) -> tensor<63xf32>
  return %0, %2 : tensor<63xf32>, tensor<63xf32>
}
func.func private @very_few(tensor<63xf32>, tensor<63xf32>) -> (tensor<63xf32>, tensor<63xf32>)
    attributes {anvl.scan = {body = @step_of_very_few, carry = 2 : i64, xs = 0 : i64, length = 14 : i64, reverse = false}}
func.func private @uncalled(%x: tensor<600xf32>, %d: tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>) {
  %0 = "anvl.tanh"(%x) : (tensor<600xf32>) -> tensor<600xf32>
  %1 = "anvl.mul"(%0, %d) : (tensor<600xf32>, tensor<600xf32>) -> tensor<600xf32>
  return %0, %1 : tensor<600xf32>, tensor<600xf32>
}
func.func private @tanhs(tensor<600xf32>, tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>)
    attributes {anvl.scan = {body = @uncalled, carry = 2 : i64, xs = 0 : i64, length = 14 : i64, reverse = false}}
func.func @main(%x: tensor<600xf32>, %d: tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>) {
  %0:2 = call @steps(%x, %d) : (tensor<600xf32>, tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>)
  return %0#0, %0#1 : tensor<600xf32>, tensor<600xf32>
}
func.func @fewer(%x: tensor<100xf32>, %y: tensor<63xf32>) -> (tensor<100xf32>, tensor<63xf32>) {
  %0:2 = call @few(%x, %x) : (tensor<100xf32>, tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>)
  %1:2 = call @very_few(%y, %y) : (tensor<63xf32>, tensor<63xf32>) -> (tensor<63xf32>, tensor<63xf32>)
  return %0#0, %1#0 : tensor<100xf32>, tensor<63xf32>
}
func.func @plain(%x: tensor<600xf32>, %d: tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>) {
  %0:2 = call @tanhs(%x, %d) : (tensor<600xf32>, tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>)
  return %0#0, %0#1 : tensor<600xf32>, tensor<600xf32>
}
