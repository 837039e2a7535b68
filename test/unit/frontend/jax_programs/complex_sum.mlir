module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<6xf64>) -> tensor<6xcomplex<f64>>
    %cst = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f64>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<6xcomplex<f64>>
    %2 = stablehlo.multiply %1, %0 : tensor<6xcomplex<f64>>
    %3 = stablehlo.exponential %2 : tensor<6xcomplex<f64>>
    %4 = stablehlo.convert %arg0 : (tensor<6xf64>) -> tensor<6xcomplex<f64>>
    %5 = stablehlo.multiply %3, %4 : tensor<6xcomplex<f64>>
    %cst_0 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<6xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
    %7 = stablehlo.abs %6 : (tensor<complex<f64>>) -> tensor<f64>
    return %7 : tensor<f64>
  }
}
