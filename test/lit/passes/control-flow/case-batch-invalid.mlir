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
