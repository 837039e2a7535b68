// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0,1" > %t
// RUN: filecheck %s --input-file=%t
// RUN: anvl-opt %t > %t.again
// RUN: diff %t %t.again
// RUN: anvl-opt %t --anvl-gradient="function=main_adjoint wrt=0 suffix=2" \
// RUN:   | filecheck %s --check-prefix=SECOND

// The adjoint of %x is %x_adjoint: of arguments, and of what stands between. On the way to it are
// partial derivatives and partial sums, named for the op that they belong to; a value without a name
// is called after its op. The names stay when text is read again.

// CHECK-LABEL: func.func @main_adjoint(%w: tensor<2xf64>, %x: tensor<2xf64>, %n: tensor<i32>)
// CHECK:         %h = "anvl.tan"(%0)
// CHECK-NEXT:    %loss = "anvl.sum"(%h)
// CHECK-NEXT:    %loss_adjoint = "anvl.constant"()
// CHECK-NEXT:    %h_adjoint = "anvl.broadcast_in_dim"(%loss_adjoint)
// CHECK-NEXT:    %h_partial = "anvl.mul"(%h, %h)
// CHECK:         %h_partial_1 = "anvl.add"(%h_partial, %h_partial_0)
// CHECK-NEXT:    %mul_adjoint = "anvl.mul"(%h_adjoint, %h_partial_1)
// CHECK-NEXT:    %w_adjoint = "anvl.mul"(%mul_adjoint, %x)
// CHECK-NEXT:    %x_adjoint = "anvl.mul"(%mul_adjoint, %w)
// CHECK-NEXT:    return %loss, %w_adjoint, %x_adjoint

// SECOND-LABEL: func.func @main_adjoint2(
// SECOND:         %w_adjoint_{{.*}} = "anvl.
func.func @main(%w: tensor<2xf64>, %x: tensor<2xf64>, %n: tensor<i32>) -> tensor<f64> {
  %0 = "anvl.mul"(%w, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %h = "anvl.tan"(%0) : (tensor<2xf64>) -> tensor<2xf64>
  %loss = "anvl.sum"(%h) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %loss : tensor<f64>
}
