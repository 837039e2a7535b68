// RUN: anvl-opt %s --verify-each --anvl-forward="function=main split" > %t
// RUN: filecheck %s --input-file=%t
// RUN: anvl-opt %t --anvl-forward > %t.again
// RUN: diff %t %t.again
// RUN: not anvl-opt %t --anvl-forward="function=main split" 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: not anvl-opt %s --anvl-forward="split" 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: %run %t --function=main_linear --args='[[4.0, 9.0], [1.0, 2.0]]' \
// RUN:   | %numbers %s

// Two functions: the first returns the results, and what the second, which is linear in the tangents,
// needs of it.

// CHECK-LABEL: func.func @main_primal(%x: tensor<2xf64>, %n: tensor<i32>)
// CHECK-SAME:    -> (tensor<f64>, tensor<i32>, tensor<2xf64>)
// CHECK-NEXT:    %y = "anvl.exp"(%x)
// CHECK-NEXT:    %s = "anvl.sum"(%y)
// CHECK-NEXT:    return %s, %n, %y
// CHECK-LABEL: func.func @main_linear(%y: tensor<2xf64> {anvl.residual}, %x_tangent: tensor<2xf64>)
// CHECK-SAME:    -> tensor<f64>
// CHECK-NEXT:    %y_tangent = "anvl.mul"(%x_tangent, %y)
// CHECK-NEXT:    %s_tangent = "anvl.sum"(%y_tangent)
// CHECK-NEXT:    return %s_tangent

// AGAIN:   anvl-forward: @main_linear exists already; give another suffix
// ALONE:   anvl-forward: split needs function=f
// NUMBERS: f64[] 22.0
func.func @main(%x: tensor<2xf64>, %n: tensor<i32>) -> (tensor<f64>, tensor<i32>) {
  %y = "anvl.exp"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %s = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %s, %n : tensor<f64>, tensor<i32>
}
