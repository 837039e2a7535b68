module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<6xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.sine %arg0 {mhlo.frontend_attributes = {note = "1"}} : tensor<6xf64>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %4 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %4 : tensor<f64>
    }) : (tensor<6xf64>) -> tensor<6xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %3 = stablehlo.multiply %1, %2 : tensor<6xf64>
    return %3 : tensor<6xf64>
  }
}
