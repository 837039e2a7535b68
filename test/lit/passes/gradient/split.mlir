// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main split" > %t
// RUN: filecheck %s --input-file=%t
// RUN: anvl-opt %t --anvl-gradient > %t.again
// RUN: diff %t %t.again
// RUN: %run %t --function=main_fwd --args='[[1.0, 2.0], [3.0, 4.0]]' \
// RUN:   | %numbers %s --check-prefix=FORWARD
// RUN: %run %t --function=main_bwd --args='[[1.0, 2.0], [3.0, 4.0], 10.0, [0.0, 1.0]]' \
// RUN:   | %numbers %s --check-prefix=BACKWARD

// Two functions: what does not depend on cotangents is in the first, which returns the results and
// then what the second needs of it, each once; literals and broadcasts are computed in both.

// CHECK-LABEL: func.func @main_fwd(%x: tensor<2xf64> {x.name = "x"}, %y: tensor<2xf64>)
// CHECK-SAME:    -> (tensor<f64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
// CHECK-NEXT:    %two = "anvl.constant"
// CHECK-NEXT:    %twos = "anvl.broadcast_in_dim"(%two)
// CHECK-NEXT:    %xy = "anvl.mul"(%x, %y)
// CHECK-NEXT:    %z = "anvl.mul"(%xy, %twos)
// CHECK-NEXT:    %s = "anvl.sum"(%z)
// CHECK-NEXT:    return %s, %xy, %x, %y

// CHECK-LABEL: func.func @main_bwd(
// CHECK-SAME:    %x: tensor<2xf64> {anvl.residual}, %y: tensor<2xf64> {anvl.residual},
// CHECK-SAME:    %cotangent: tensor<f64>, %cotangent1: tensor<2xf64>)
// CHECK-SAME:    -> (tensor<2xf64>, tensor<2xf64>)
// CHECK-NEXT:    %two = "anvl.constant"
// CHECK-NEXT:    %twos = "anvl.broadcast_in_dim"(%two)
// CHECK-NEXT:    %z_adjoint = "anvl.broadcast_in_dim"(%cotangent)
// CHECK-NEXT:    %z_partial = "anvl.mul"(%z_adjoint, %twos)
// CHECK-NEXT:    %xy_adjoint = "anvl.add"(%cotangent1, %z_partial)
// CHECK-NEXT:    %x_adjoint = "anvl.mul"(%xy_adjoint, %y)
// CHECK-NEXT:    %y_adjoint = "anvl.mul"(%xy_adjoint, %x)
// CHECK-NEXT:    return %x_adjoint, %y_adjoint
// CHECK-LABEL: func.func @main(

// FORWARD:      f64[] 22.0
// FORWARD-NEXT: f64[2] 3.0 8.0
// FORWARD-NEXT: f64[2] 1.0 2.0
// FORWARD-NEXT: f64[2] 3.0 4.0
// BACKWARD:      f64[2] 60.0 84.0
// BACKWARD-NEXT: f64[2] 20.0 42.0
func.func @main(%x: tensor<2xf64> {x.name = "x"}, %y: tensor<2xf64>)
    -> (tensor<f64>, tensor<2xf64>) {
  %two = "anvl.constant"() {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %twos = "anvl.broadcast_in_dim"(%two) {shape = array<i64: 2>, broadcast_dimensions = array<i64>} : (tensor<f64>) -> tensor<2xf64>
  %xy = "anvl.mul"(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %z = "anvl.mul"(%xy, %twos) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %s = "anvl.sum"(%z) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %s, %xy : tensor<f64>, tensor<2xf64>
}
