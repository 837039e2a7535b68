// RUN: not anvl-diff --load=%S/Inputs/wrong_pass.py %s --my-exchange | filecheck %s

// A pass of one's own is asked what it changed: that of the difference is its bug.

// CHECK:      @f{{$}}
// CHECK-NEXT:   ~ %a = "anvl.add"(%x, %y)
// CHECK-NEXT:       operand 0: %x -> %y
// CHECK-NEXT:       operand 1: %y -> %x
// CHECK-NEXT:   ~ %b = "anvl.sub"(%a, %y)
// CHECK-NEXT:       operand 0: %a -> %y
// CHECK-NEXT:       operand 1: %y -> %a
// CHECK-NEXT: 2 changed; 4 ops as before
func.func @f(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %a = "anvl.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b = "anvl.sub"(%a, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c = "anvl.sin"(%b) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}
