func.func private @f(tensor<f32>)
