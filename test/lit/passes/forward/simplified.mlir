// RUN: anvl-opt %s --verify-each --anvl-gradient | filecheck %s --check-prefix=MARKED
// RUN: anvl-opt %s --verify-each --anvl-gradient --anvl-forward --anvl-inline | filecheck %s
// RUN: anvl-opt %s --anvl-gradient | anvl-opt --anvl-forward --anvl-inline | filecheck %s

// The tangent of an adjoint, each by its own pass: the first one writes on what it leaves that there
// is a derivative in it, so that the second one simplifies it before. What it makes of x^2 y in
// the direction t is 2 y t; nothing of the 1 that the adjoint was multiplied by is left.

// MARKED: func.func private @f_vjp({{.*}} attributes {anvl.derived}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>, %[[T:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-NEXT:    %[[XY:.*]] = "anvl.mul"(%[[Y]], %[[X]])
// CHECK-NEXT:    %[[TWO:.*]] = "anvl.constant"() {value = dense<2.000000e+00>
// CHECK-NEXT:    %[[DX:.*]] = "anvl.mul"(%[[XY]], %[[TWO]])
// CHECK-NEXT:    %[[TY:.*]] = "anvl.mul"(%[[T]], %[[Y]])
// CHECK-NEXT:    %[[DXX:.*]] = "anvl.mul"(%[[TY]], %[[TWO]])
// CHECK-NEXT:    return %[[DX]], %[[DXX]]
func.func private @f(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func private @f_vjp(tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @df(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:2 = call @f_vjp(%x, %y, %one) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @df_jvp(tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @df, wrt = array<i64: 0>}}
func.func @main(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0:2 = call @df_jvp(%x, %y, %t) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0, %0#1 : tensor<f64>, tensor<f64>
}
