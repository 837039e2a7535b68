module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}}
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<6xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %1 = stablehlo.multiply %arg0, %0 : tensor<6xf64>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<6xf64>
    %3 = stablehlo.sine %2 : tensor<6xf64>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %5 = stablehlo.multiply %3, %4 : tensor<6xf64>
    return %5 : tensor<6xf64>
  }
}
