// RUN: anvl-opt %s --verify-each --anvl-gradient --anvl-inline | filecheck %s

// The derivative of x^2 y is a function that is simplified before it is differentiated: its result
// that nobody asked for, and the 1 that it multiplies by, have no adjoint. See Note [Simplifying
// between expansions].

// d/dx (2 x y) = 2 y is all that is left of the second sweep.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>, %[[G:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-NEXT:    %[[XY:.*]] = "anvl.mul"(%[[Y]], %[[X]])
// CHECK-NEXT:    %[[TWO:.*]] = "anvl.constant"() {value = dense<2.000000e+00>
// CHECK-NEXT:    %[[DX:.*]] = "anvl.mul"(%[[XY]], %[[TWO]])
// CHECK-NEXT:    %[[GG:.*]] = "anvl.mul"(%[[G]], %[[TWO]])
// CHECK-NEXT:    %[[DXX:.*]] = "anvl.mul"(%[[GG]], %[[Y]])
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
func.func private @df_vjp(tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @df, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func @main(%x: tensor<f64>, %y: tensor<f64>, %g: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0:2 = call @df_vjp(%x, %y, %g) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0, %0#1 : tensor<f64>, tensor<f64>
}
