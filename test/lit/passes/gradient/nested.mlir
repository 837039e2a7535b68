// RUN: anvl-opt %s --verify-each --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --anvl-gradient | %run --args='[3.0]' | %numbers %s

// A derivative of a derivative, by name: the third derivative of x^4 is 24 x, 72 at 3. The order of
// the declarations does not matter.

// CHECK-NOT: anvl.vjp
// CHECK:     func.func @main(
// CHECK-NOT: anvl.vjp

// NUMBERS: f64[] 72.0
func.func private @third(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @df2, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @second(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @df, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @first(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func private @df(%x: tensor<f64>) -> tensor<f64> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:2 = call @first(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @df2(%x: tensor<f64>) -> tensor<f64> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:2 = call @second(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:2 = call @third(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
