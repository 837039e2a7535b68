// RUN: anvl-opt %s > %t
// RUN: anvl-opt %s --anvl-simplify-control-flow | diff %t -

// A loop with nothing to spare, one with an effect in it, whose results nobody asks for, and
// functions that are called, not chosen.

func.func @main(%c: tensor<f64>, %xs: tensor<2xf64>) -> tensor<f64> {
  %0 = call @loop(%c, %xs) : (tensor<f64>, tensor<2xf64>) -> tensor<f64>
  %1 = call @told(%c, %xs) : (tensor<f64>, tensor<2xf64>) -> tensor<f64>
  %2 = call @step(%c, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}

func.func private @loop(tensor<f64>, tensor<2xf64>) -> tensor<f64> attributes {anvl.scan = {
  body = @step, carry = 1 : i64, length = 2 : i64, reverse = false, xs = 1 : i64
}}
func.func private @step(%c: tensor<f64>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%c, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func private @told(tensor<f64>, tensor<2xf64>) -> tensor<f64> attributes {anvl.scan = {
  body = @tell, carry = 1 : i64, length = 2 : i64, reverse = false, xs = 1 : i64
}}
func.func private @tell(%c: tensor<f64>, %x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.custom_call @tell(%x) {has_side_effect = true} : (tensor<f64>) -> tensor<f64>
  return %c : tensor<f64>
}
