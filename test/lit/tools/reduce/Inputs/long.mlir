func.func @main(%x: tensor<4x4xf32>, %n: tensor<2xi32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %one = "anvl.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %0 = func.call @helper(%x, %one) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = stablehlo.constant dense<true> : tensor<i1>
  %1 = "stablehlo.if"(%c) ({
    %t = "anvl.neg"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %u = "anvl.exp"(%t) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %u : tensor<4x4xf32>
  }, {
    stablehlo.return %0 : tensor<4x4xf32>
  }) : (tensor<i1>) -> tensor<4x4xf32>
  %2 = "anvl.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "reduced.sine"(%2) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = "anvl.sin"(%3) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = "anvl.sum"(%s) {axes = array<i64: 0>} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %3, %4 : tensor<4x4xf32>, tensor<4xf32>
}
func.func private @helper(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "anvl.add"(%x, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "anvl.div"(%0, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = "anvl.tanh"(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
