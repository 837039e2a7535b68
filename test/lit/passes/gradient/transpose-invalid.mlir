// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-gradient
// RUN: not anvl-opt %S/function.mlir --anvl-gradient="function=loss transpose target=1" 2>&1 \
// RUN:   | filecheck %s --check-prefix=TARGET

// What has no transpose is refused at the op that is not linear.

// TARGET: a transpose covers all results: give no target and no tags

func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{@square is not linear in x: the derivative of anvl.mul at}}
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @of_a_square(tensor<f64>) -> tensor<f64>
    attributes {anvl.linear_transpose = {callee = @square, wrt = array<i64: 0>}}

// -----

func.func private @steps(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.neg"(%x) : (tensor<f64>) -> tensor<f64>
  // expected-error @+1 {{@steps is not linear in y: anvl.floor at}}
  %1 = "anvl.floor"(%y) : (tensor<f64>) -> tensor<f64>
  %2 = "anvl.add"(%0, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}
func.func private @of_steps(tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.linear_transpose = {callee = @steps, wrt = array<i64: 0, 1>}}

// -----

func.func private @masked(%x: tensor<f64>) -> tensor<f64> {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  // expected-error @+1 {{@masked is not linear in x: anvl.compare at}}
  %0 = "anvl.compare"(%x, %zero) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %1 = "anvl.select"(%0, %x, %zero) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func private @of_masked(tensor<f64>) -> tensor<f64>
    attributes {anvl.linear_transpose = {callee = @masked, wrt = array<i64: 0>}}

// -----

func.func private @integers(%x: tensor<f64>, %n: tensor<i32>) -> (tensor<f64>, tensor<i32>) {
  return %x, %n : tensor<f64>, tensor<i32>
}
// expected-error @+1 {{@of_integers: result 1 is tensor<i32>; only floats have a derivative}}
func.func private @of_integers(tensor<i32>, tensor<f64>, tensor<i32>) -> tensor<f64>
    attributes {anvl.linear_transpose = {callee = @integers, wrt = array<i64: 0>}}

// -----

// expected-error @+1 {{@no_callee: anvl.linear_transpose must be {callee = @f, wrt = array<i64: ...>}, got}}
func.func private @no_callee(tensor<f64>) -> tensor<f64>
    attributes {anvl.linear_transpose = {wrt = array<i64: 0>}}
