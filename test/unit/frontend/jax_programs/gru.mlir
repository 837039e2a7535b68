module @jit_gru attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x9xf32>, %arg1: tensor<3x9xf32>, %arg2: tensor<4x2xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %c, %iterArg_3 = %0) : tensor<4x2xf32>, tensor<2x9xf32>, tensor<3x9xf32>, tensor<i32>, tensor<3xf32>
    cond {
      %c_4 = stablehlo.constant dense<4> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_2, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_2) : (tensor<4x2xf32>, tensor<i32>) -> tensor<2xf32>
      %3 = func.call @closed_call(%iterArg_0, %iterArg_1, %iterArg_3, %2) : (tensor<2x9xf32>, tensor<3x9xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_2, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %4, %3 : tensor<4x2xf32>, tensor<2x9xf32>, tensor<3x9xf32>, tensor<i32>, tensor<3xf32>
    }
    return %1#4 : tensor<3xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x2xf32>, %arg1: tensor<i32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @closed_call(%arg0: tensor<2x9xf32>, %arg1: tensor<3x9xf32>, %arg2: tensor<3xf32>, %arg3: tensor<2xf32>) -> tensor<3xf32> {
    %0 = stablehlo.slice %arg0 [0:2, 0:6] : (tensor<2x9xf32>) -> tensor<2x6xf32>
    %1 = stablehlo.dot_general %arg3, %0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2x6xf32>) -> tensor<6xf32>
    %2 = stablehlo.slice %arg1 [0:3, 0:6] : (tensor<3x9xf32>) -> tensor<3x6xf32>
    %3 = stablehlo.dot_general %arg2, %2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3xf32>, tensor<3x6xf32>) -> tensor<6xf32>
    %4 = stablehlo.add %1, %3 : tensor<6xf32>
    %5 = stablehlo.negate %4 : tensor<6xf32>
    %6 = stablehlo.exponential %5 : tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.add %7, %6 : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %10 = stablehlo.divide %9, %8 : tensor<6xf32>
    %11 = stablehlo.slice %10 [0:3] : (tensor<6xf32>) -> tensor<3xf32>
    %12 = stablehlo.slice %10 [3:6] : (tensor<6xf32>) -> tensor<3xf32>
    %13 = stablehlo.multiply %11, %arg2 : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %15 = stablehlo.subtract %14, %11 : tensor<3xf32>
    %16 = stablehlo.slice %arg0 [0:2, 6:9] : (tensor<2x9xf32>) -> tensor<2x3xf32>
    %17 = stablehlo.dot_general %arg3, %16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<3xf32>
    %18 = stablehlo.multiply %12, %arg2 : tensor<3xf32>
    %19 = stablehlo.slice %arg1 [0:3, 6:9] : (tensor<3x9xf32>) -> tensor<3x3xf32>
    %20 = stablehlo.dot_general %18, %19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
    %21 = stablehlo.add %17, %20 : tensor<3xf32>
    %22 = stablehlo.tanh %21 : tensor<3xf32>
    %23 = stablehlo.multiply %15, %22 : tensor<3xf32>
    %24 = stablehlo.add %13, %23 : tensor<3xf32>
    return %24 : tensor<3xf32>
  }
}
