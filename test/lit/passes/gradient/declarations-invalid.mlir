// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-gradient

// What is wrong with a declared derivative is said at the declaration.

// expected-error @+1 {{@no_callee: anvl.vjp must be {callee = @f, wrt = array<i64: ...>, targets = array<i64: ...>}, got {wrt = array<i64: 0>}}}
func.func private @no_callee(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {wrt = array<i64: 0>}}

// -----

// expected-error @+1 {{there is no function @nobody; the module has @of_nobody}}
func.func private @of_nobody(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @nobody, wrt = array<i64: 0>, targets = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{@of_another_type is declared as (tensor<f64>) -> tensor<f64>, but this derivative is (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)}}
func.func private @of_another_type(tensor<f64>) -> tensor<f64>
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{@wrt_out_of_range: wrt 1 is out of range for 1 positions}}
func.func private @wrt_out_of_range(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 1>, targets = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
// expected-error @+1 {{@of_integers: wrt 0 is tensor<i32>; only floats have a derivative}}
func.func private @of_integers(tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{@with_a_body has anvl.vjp and a body; it must be a declaration}}
func.func private @with_a_body(%x: tensor<f64>, %g: tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}} {
  return %x, %g : tensor<f64>, tensor<f64>
}
