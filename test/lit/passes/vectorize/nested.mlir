// RUN: anvl-opt %s --verify-each --anvl-vectorize | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-gradient | filecheck %s --check-prefix=GRADIENT
// RUN: anvl-opt %s --anvl-vectorize --anvl-gradient \
// RUN:   | %run --args='[[[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]]' | %numbers %s
// RUN: anvl-opt %s --anvl-gradient --anvl-vectorize \
// RUN:   | %run --args='[[[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]]' | %numbers %s

// A batch of a batch of an adjoint, and the adjoint of a batch: the passes may come in any order.
// The slope of x^3 is 3 x^2; the adjoint of the batch scales its rows by the cotangents.

// CHECK-NOT: anvl.vmap
// CHECK:     anvl.vjp = {callee = @cubes
// CHECK-NOT: anvl.vmap

// GRADIENT-NOT: anvl.vjp
// GRADIENT:     anvl.vmap = {{{.*}}callee = @row
// GRADIENT-NOT: anvl.vjp

// NUMBERS:      f64[2,2] 3.0 12.0 27.0 48.0
// NUMBERS-NEXT: f64[2] 3.0 30.0
func.func private @rows(tensor<2x2xf64>) -> tensor<2x2xf64>
    attributes {anvl.vmap = {callee = @row, batched = array<i64: 0>, results = array<i64: 0>,
                             size = 2 : i64}}
func.func private @row(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = call @slopes(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func private @slopes(tensor<2xf64>) -> tensor<2xf64>
    attributes {anvl.vmap = {callee = @slope, batched = array<i64: 0>, results = array<i64: 0>,
                             size = 2 : i64}}
func.func private @slope(%x: tensor<f64>) -> tensor<f64> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:2 = call @cube_vjp(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @cube_vjp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @cube, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @cube(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func private @cubes(tensor<2xf64>) -> tensor<2xf64>
    attributes {anvl.vmap = {callee = @cube, batched = array<i64: 0>, results = array<i64: 0>,
                             size = 2 : i64}}
func.func private @cubes_vjp(tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    attributes {anvl.vjp = {callee = @cubes, wrt = array<i64: 0>, targets = array<i64: 0>}}

func.func @main(%x: tensor<2x2xf64>, %g: tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>) {
  %0 = call @rows(%x) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %ones = "anvl.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %1:2 = call @cubes_vjp(%ones, %g) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0, %1#1 : tensor<2x2xf64>, tensor<2xf64>
}
