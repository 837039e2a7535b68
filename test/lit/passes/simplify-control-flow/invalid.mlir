// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-simplify-control-flow

func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
// expected-error@+1 {{anvl-simplify-control-flow: there is no function @step; the module has @main, @f}}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.scan = {
  body = @step, carry = 1 : i64, length = 2 : i64, reverse = false, xs = 0 : i64
}}
