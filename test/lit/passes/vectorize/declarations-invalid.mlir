// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-vectorize

// What is wrong with a declared batch is said at the declaration.

// expected-error @+1 {{@no_size: anvl.vmap must be {callee = @f, batched = array<i64: ...>, results = array<i64: ...>, size = n : i64}, got {batched = array<i64: 0>, callee = @f, results = array<i64: 0>}}}
func.func private @no_size(tensor<2xf64>) -> tensor<2xf64>
    attributes {anvl.vmap = {callee = @f, batched = array<i64: 0>, results = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{@of_another_size is declared as (tensor<3xf64>) -> tensor<3xf64>, but this batch is (tensor<2xf64>) -> tensor<2xf64>}}
func.func private @of_another_size(tensor<3xf64>) -> tensor<3xf64>
    attributes {anvl.vmap = {callee = @f, batched = array<i64: 0>, results = array<i64: 0>,
                             size = 2 : i64}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{@negative: size -1 is negative}}
func.func private @negative(tensor<f64>) -> tensor<f64>
    attributes {anvl.vmap = {callee = @f, batched = array<i64>, results = array<i64>,
                             size = -1 : i64}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{@out_of_range: batched 1 is out of range for 1 positions}}
func.func private @out_of_range(tensor<f64>) -> tensor<f64>
    attributes {anvl.vmap = {callee = @f, batched = array<i64: 1>, results = array<i64>,
                             size = 2 : i64}}

// -----

func.func private @f(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %0, %0 : tensor<f64>, tensor<f64>
}
// expected-error @-4 {{@result_depends: result 1 depends on a batched argument; it must be in `results`}}
func.func private @result_depends(tensor<2xf64>) -> (tensor<2xf64>, tensor<f64>)
    attributes {anvl.vmap = {callee = @f, batched = array<i64: 0>, results = array<i64: 0>,
                             size = 2 : i64}}
