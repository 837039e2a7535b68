func.func @f(%x: tensor<f32>) -> tensor<2xf32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
