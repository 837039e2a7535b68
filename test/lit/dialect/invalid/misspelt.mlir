// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// A parameter that is misspelt would be without effect, so it is refused; notes of passes are not.

func.func @optional(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cumsum: no parameter 'revers', did you mean 'reverse'?; parameters are axis, reverse}}
  %y = "anvl.cumsum"(%x) {axis = 0 : i64, revers = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @given_twice(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{sum: no parameter 'axis', did you mean 'axes'?; parameters are axes}}
  %y = "anvl.sum"(%x) {axes = array<i64: 0>, axis = 0 : i64} : (tensor<4xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @notes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "anvl.cumsum"(%x) {axis = 0 : i64, anvl.revers, visited} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
