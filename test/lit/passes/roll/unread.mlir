// RUN: anvl-opt %s --verify-each --anvl-roll="always=true" | filecheck %s

// Five steps compute a loss each, of which the last is returned: the others are no part of the loop,
// which carries the state alone.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[X:.*]] = call @main_step_each(
// CHECK-NEXT:    %[[E:.*]] = "anvl.exp"(%[[X]])
// CHECK-NEXT:    %[[L:.*]] = call @loss(%[[E]])
// CHECK-NEXT:    return %[[L]] : tensor<f32>
// CHECK-LABEL: func.func private @main_step(
// CHECK-NOT:     anvl.exp
// CHECK-NOT:     call @loss
// CHECK:         anvl.scan = {body = @main_step, carry = 1 : i64, length = 5 : i64
func.func private @loss(%x: tensor<3xf32>) -> tensor<f32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
  %a1 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %b1 = "anvl.neg"(%a1) : (tensor<3xf32>) -> tensor<3xf32>
  %c1 = "anvl.tanh"(%b1) : (tensor<3xf32>) -> tensor<3xf32>
  %d1 = "anvl.cos"(%c1) : (tensor<3xf32>) -> tensor<3xf32>
  %x1 = "anvl.sin"(%d1) : (tensor<3xf32>) -> tensor<3xf32>
  %e1 = "anvl.exp"(%x1) : (tensor<3xf32>) -> tensor<3xf32>
  %l1 = call @loss(%e1) : (tensor<3xf32>) -> tensor<f32>
  %a2 = "anvl.sin"(%x1) : (tensor<3xf32>) -> tensor<3xf32>
  %b2 = "anvl.neg"(%a2) : (tensor<3xf32>) -> tensor<3xf32>
  %c2 = "anvl.tanh"(%b2) : (tensor<3xf32>) -> tensor<3xf32>
  %d2 = "anvl.cos"(%c2) : (tensor<3xf32>) -> tensor<3xf32>
  %x2 = "anvl.sin"(%d2) : (tensor<3xf32>) -> tensor<3xf32>
  %e2 = "anvl.exp"(%x2) : (tensor<3xf32>) -> tensor<3xf32>
  %l2 = call @loss(%e2) : (tensor<3xf32>) -> tensor<f32>
  %a3 = "anvl.sin"(%x2) : (tensor<3xf32>) -> tensor<3xf32>
  %b3 = "anvl.neg"(%a3) : (tensor<3xf32>) -> tensor<3xf32>
  %c3 = "anvl.tanh"(%b3) : (tensor<3xf32>) -> tensor<3xf32>
  %d3 = "anvl.cos"(%c3) : (tensor<3xf32>) -> tensor<3xf32>
  %x3 = "anvl.sin"(%d3) : (tensor<3xf32>) -> tensor<3xf32>
  %e3 = "anvl.exp"(%x3) : (tensor<3xf32>) -> tensor<3xf32>
  %l3 = call @loss(%e3) : (tensor<3xf32>) -> tensor<f32>
  %a4 = "anvl.sin"(%x3) : (tensor<3xf32>) -> tensor<3xf32>
  %b4 = "anvl.neg"(%a4) : (tensor<3xf32>) -> tensor<3xf32>
  %c4 = "anvl.tanh"(%b4) : (tensor<3xf32>) -> tensor<3xf32>
  %d4 = "anvl.cos"(%c4) : (tensor<3xf32>) -> tensor<3xf32>
  %x4 = "anvl.sin"(%d4) : (tensor<3xf32>) -> tensor<3xf32>
  %e4 = "anvl.exp"(%x4) : (tensor<3xf32>) -> tensor<3xf32>
  %l4 = call @loss(%e4) : (tensor<3xf32>) -> tensor<f32>
  %a5 = "anvl.sin"(%x4) : (tensor<3xf32>) -> tensor<3xf32>
  %b5 = "anvl.neg"(%a5) : (tensor<3xf32>) -> tensor<3xf32>
  %c5 = "anvl.tanh"(%b5) : (tensor<3xf32>) -> tensor<3xf32>
  %d5 = "anvl.cos"(%c5) : (tensor<3xf32>) -> tensor<3xf32>
  %x5 = "anvl.sin"(%d5) : (tensor<3xf32>) -> tensor<3xf32>
  %e5 = "anvl.exp"(%x5) : (tensor<3xf32>) -> tensor<3xf32>
  %l5 = call @loss(%e5) : (tensor<3xf32>) -> tensor<f32>
  return %l5 : tensor<f32>
}
