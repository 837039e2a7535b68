// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-control-flow

// What the function of a scan must take and return.

// expected-error@+1 {{anvl.scan: its first results must have the types of its carries}}
func.func private @f(tensor<f64>) -> tensor<2xf64> attributes {anvl.scan = {
  body = @b, carry = 1 : i64, xs = 0 : i64, length = 2 : i64, reverse = false
}}
func.func private @b(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{anvl.scan: it stacks tensor<3xf64>; the first axis must have size 2, the length}}
func.func private @f(tensor<f64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.scan = {
  body = @b, carry = 1 : i64, xs = 0 : i64, length = 2 : i64, reverse = false
}}
func.func private @b(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %x, %x : tensor<f64>, tensor<f64>
}

// -----

// expected-error@+1 {{carry, xs and length are 1, 1 and 2; carry and xs must count at most its 1 arguments, and length must fit an i32}}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.scan = {
  body = @b, carry = 1 : i64, xs = 1 : i64, length = 2 : i64, reverse = false
}}
func.func private @b(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
