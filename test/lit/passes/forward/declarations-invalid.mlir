// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-forward

// What is wrong with a declared tangent is said at the declaration.

// expected-error @+1 {{@no_wrt: anvl.jvp must be {callee = @f, wrt = array<i64: ...>}, got {callee = @f}}}
func.func private @no_wrt(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @f}}

// -----

// expected-error @+1 {{there is no function @nobody; the module has @of_nobody}}
func.func private @of_nobody(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @nobody, wrt = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{@of_another_type is declared as (tensor<f64>) -> tensor<f64>, but this tangent is (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)}}
func.func private @of_another_type(tensor<f64>) -> tensor<f64>
    attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
// expected-error @+1 {{@of_integers: wrt 0 is tensor<i32>; only floats have a derivative}}
func.func private @of_integers(tensor<i32>, tensor<i32>) -> tensor<i32>
    attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{@with_a_body has anvl.jvp and a body; it must be a declaration}}
func.func private @with_a_body(%x: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}} {
  return %x, %t : tensor<f64>, tensor<f64>
}

// -----

// A tangent of an adjoint of the tangent.
// expected-error @+1 {{recursion: @jvp -> @g -> @vjp -> @jvp; functions must not form a cycle}}
func.func private @jvp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @g, wrt = array<i64: 0>}}
func.func private @vjp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @jvp, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @g(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = call @vjp(%x, %x) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
