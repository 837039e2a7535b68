// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-remat

// expected-error@+1 {{@f: anvl.checkpoint is {budget = "much"}; a budget is 1000 : i64}}
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.checkpoint = {budget = "much"}} {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.checkpoint is {policy = 3 : i32}; a budget is 1000 : i64}}
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.checkpoint = {policy = 3 : i32}} {
  return %x : tensor<f64>
}

// -----

// expected-error@+1 {{@f must have a body of one block}}
func.func private @f(tensor<f64>) -> tensor<f64>
    attributes {anvl.checkpoint = {budget = 8 : i64}}
