// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-control-flow

// expected-error@+1 {{anvl.scan: xs has tensor<3xf64>; its first axis must have size 2, the length}}
func.func private @f(tensor<3xf64>) -> () attributes {anvl.scan = {
  body = @c, carry = 0 : i64, xs = 1 : i64, length = 2 : i64, reverse = false
}}
func.func private @c(%x: tensor<f64>) -> () {
  return
}

// -----

// expected-error@+1 {{its body @c is (tensor<f64>) -> (), but must be (tensor<f64>, tensor<f64>) -> tensor<f64>}}
func.func private @f(tensor<f64>, tensor<2xf64>) -> tensor<f64> attributes {anvl.scan = {
  body = @c, carry = 1 : i64, xs = 1 : i64, length = 2 : i64, reverse = false
}}
func.func private @c(%x: tensor<f64>) -> () {
  return
}

// -----

// expected-error@+1 {{@f has anvl.scan and a body; it must be a declaration}}
func.func private @f(%x: tensor<f64>) -> tensor<f64> attributes {anvl.scan = {
  body = @a, carry = 1 : i64, xs = 0 : i64, length = 2 : i64, reverse = false
}} {
  return %x : tensor<f64>
}
func.func private @a(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.scan must be {body = @b, carry = n : i64, xs = n : i64, length = n : i64, reverse = false}, got {body = 3 : i32}}}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.scan = {body = 3 : i32}}

// -----

// expected-error@+1 {{there is no function @nope}}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.scan = {
  body = @nope, carry = 1 : i64, xs = 0 : i64, length = 2 : i64, reverse = false
}}
