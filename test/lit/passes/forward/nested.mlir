// RUN: anvl-opt %s --verify-each --anvl-forward | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-gradient | filecheck %s --check-prefix=GRADIENT
// RUN: anvl-opt %s --verify-each --anvl-forward --anvl-gradient --anvl-vectorize \
// RUN:   | filecheck %s --check-prefix=NONE
// RUN: anvl-opt %s --verify-each --anvl-vectorize --anvl-gradient --anvl-forward \
// RUN:   | filecheck %s --check-prefix=NONE
// RUN: anvl-opt %s --anvl-vectorize --anvl-gradient --anvl-forward \
// RUN:   | %run --args='[3.0]' | %numbers %s

// The tangent of an adjoint, the adjoint of a tangent: a pass defines the declarations of its kind,
// and those of other kinds that they depend on; each alone, and together in any order. What no
// declaration of its kind depends on, it leaves. Of x^4 at 3: both ways, the second derivative is
// 12 x^2 = 108.

// CHECK-NOT: anvl.jvp
// CHECK:     anvl.vjp = {callee = @df_forward
// CHECK-NOT: anvl.jvp
// CHECK-NOT: anvl.vjp

// GRADIENT-NOT: anvl.vjp
// GRADIENT:     anvl.jvp = {callee = @df_reverse
// GRADIENT-NOT: anvl.vjp
// GRADIENT-NOT: anvl.jvp

// NONE-NOT: {{anvl.[jv]}}
// NONE:     func.func @main(
// NONE-NOT: {{anvl.[jv]}}

// NUMBERS:      f64[] 108.0
// NUMBERS-NEXT: f64[] 108.0
func.func private @forward_over_reverse(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @df_reverse, wrt = array<i64: 0>}}
func.func private @reverse_over_forward(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @df_forward, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @f_vjp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @f_jvp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}}

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func private @df_reverse(%x: tensor<f64>) -> tensor<f64> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:2 = call @f_vjp(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @df_forward(%x: tensor<f64>) -> tensor<f64> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:2 = call @f_jvp(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:2 = call @forward_over_reverse(%x, %one)
      : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1:2 = call @reverse_over_forward(%x, %one)
      : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1, %1#1 : tensor<f64>, tensor<f64>
}
