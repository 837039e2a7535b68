// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-control-flow

// What to do with members that differ in the branch is one of two.

// expected-error@+1 {{@f: anvl.case: batch is 'all'; it must be 'select' or 'loop'}}
func.func private @f(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@a], batch = "all"}}
func.func private @a(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.case must be {branches = [@a, ...]}, got {batch = 1 : i32, branches = [@a]}}}
func.func private @f(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@a], batch = 1 : i32}}
func.func private @a(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.while must be {cond = @c, body = @b, carry = n : i64}, got}}
func.func private @f(tensor<i1>) -> tensor<i1>
    attributes {anvl.while = {cond = @a, body = @a, carry = 1 : i64, ends = 3 : i64}}
func.func private @a(%x: tensor<i1>) -> tensor<i1> {
  return %x : tensor<i1>
}
