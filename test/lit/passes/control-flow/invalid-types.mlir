// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-control-flow

// What the functions of a loop must take and return.

// A predicate for each element is none.
// expected-error@+1 {{its cond @c is (tensor<2xf64>) -> tensor<2xi1>, but must be (tensor<2xf64>) -> tensor<i1>}}
func.func private @f(tensor<2xf64>) -> tensor<2xf64>
    attributes {anvl.while = {cond = @c, body = @b, carry = 1 : i64}}
func.func private @c(%x: tensor<2xf64>) -> tensor<2xi1> {
  %0 = "anvl.is_finite"(%x) : (tensor<2xf64>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
func.func private @b(%x: tensor<2xf64>) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}

// -----

// expected-error@+1 {{its body @b is (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>), but must be (tensor<f64>, tensor<f64>) -> tensor<f64>}}
func.func private @f(tensor<f64>, tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @c, body = @b, carry = 1 : i64}}
func.func private @c(%x: tensor<f64>, %a: tensor<f64>) -> tensor<i1> {
  %0 = "anvl.is_finite"(%x) : (tensor<f64>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @b(%x: tensor<f64>, %a: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %x, %a : tensor<f64>, tensor<f64>
}

// -----

// expected-error@+1 {{anvl.while: what it returns must be of the types of its carries}}
func.func private @f(tensor<f64>) -> tensor<f32>
    attributes {anvl.while = {cond = @b, body = @b, carry = 1 : i64}}
func.func private @b(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{anvl.while: max_iterations is -1; it must not be negative, and an i32}}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.while = {
  cond = @b, body = @b, carry = 1 : i64, max_iterations = -1 : i64
}}
func.func private @b(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.while must be {cond = @c, body = @b, carry = n : i64}, got {carry = 1 : i64}}}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.while = {carry = 1 : i64}}

// -----

// expected-error@+1 {{anvl.scan: what it returns first must be of the types of its carries}}
func.func private @f(tensor<f64>) -> tensor<2xf64> attributes {anvl.scan = {
  body = @b, carry = 1 : i64, xs = 0 : i64, length = 2 : i64, reverse = false
}}
func.func private @b(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{anvl.scan: it stacks tensor<3xf64>, whose first axis must be 2}}
func.func private @f(tensor<f64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.scan = {
  body = @b, carry = 1 : i64, xs = 0 : i64, length = 2 : i64, reverse = false
}}
func.func private @b(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %x, %x : tensor<f64>, tensor<f64>
}

// -----

// expected-error@+1 {{carry, xs and length are 1, 1 and 2, of 1 arguments and steps that an i32 counts}}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.scan = {
  body = @b, carry = 1 : i64, xs = 1 : i64, length = 2 : i64, reverse = false
}}
func.func private @b(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
