// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-control-flow

// expected-error@+1 {{@f: anvl.case must be {branches = [@a, ...]}, got {branches = 3 : i32}}}
func.func private @f(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = 3 : i32}}

// -----

// expected-error@+1 {{@f: anvl.case: it has no branches}}
func.func private @f(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = []}}

// -----

// expected-error@+1 {{@f: anvl.case: its first argument must be tensor<i32>, which says the branch}}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.case = {branches = [@a]}}
func.func private @a(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{its branch @a is (tensor<f64>) -> tensor<f64>, but must be (tensor<f32>) -> tensor<f32>}}
func.func private @f(tensor<i32>, tensor<f32>) -> tensor<f32>
    attributes {anvl.case = {branches = [@a]}}
func.func private @a(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{@f has anvl.case and a body; it must be a declaration}}
func.func private @f(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@a]}} {
  return %x : tensor<f64>
}
func.func private @a(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{its cond @c is (tensor<f64>) -> tensor<f64>, but must be (tensor<f64>) -> tensor<i1>}}
func.func private @f(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @c, body = @c, carry = 1 : i64}}
func.func private @c(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{anvl.while: slots is 3; it must be a power of 2, of at least 2}}
func.func private @f(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @c, body = @c, carry = 1 : i64, slots = 3 : i64}}
func.func private @c(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{anvl.while: carry is 2, of 1 arguments}}
func.func private @f(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @c, body = @c, carry = 2 : i64}}
func.func private @c(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{anvl.scan: it goes through tensor<3xf64>, whose first axis must be 2}}
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

// expected-error@+1 {{there is no function @nope}}
func.func private @f(tensor<i32>) -> () attributes {anvl.case = {branches = [@nope]}}
