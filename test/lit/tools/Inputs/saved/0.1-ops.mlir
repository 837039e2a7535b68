module attributes {anvl.version = "0.1"} {
  func.func public @f0(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.abs"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f1(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.acos"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f2(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.acosh"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f3(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.add"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f4(%arg0: tensor<2x3xi1>) -> tensor<2xi1> {
    %0 = "anvl.all"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func public @f5(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.and"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f6(%arg0: tensor<2x3xi1>) -> tensor<2xi1> {
    %0 = "anvl.any"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func public @f7(%arg0: tensor<2x3xf64>) -> tensor<2xi32> {
    %0 = "anvl.argmax"(%arg0) {axis = 1 : i64} : (tensor<2x3xf64>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func public @f8(%arg0: tensor<2x3xf64>) -> tensor<2xi32> {
    %0 = "anvl.argmin"(%arg0) {axis = 1 : i64} : (tensor<2x3xf64>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func public @f9(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.asin"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f10(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.asinh"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f11(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.atan"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f12(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.atan2"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f13(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.atanh"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f14(%arg0: tensor<4x2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>, %arg3: tensor<2xf64>, %arg4: tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>) {
    %0:3 = "anvl.batch_norm_grad"(%arg0, %arg1, %arg2, %arg3, %arg4) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>)
    return %0#0, %0#1, %0#2 : tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>
  }
  func.func public @f15(%arg0: tensor<3x2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>, %arg3: tensor<2xf64>, %arg4: tensor<2xf64>) -> tensor<3x2xf64> {
    %0 = "anvl.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<3x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
    return %0 : tensor<3x2xf64>
  }
  func.func public @f16(%arg0: tensor<4x2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>) -> (tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>) {
    %0:3 = "anvl.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>)
    return %0#0, %0#1, %0#2 : tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>
  }
  func.func public @f17(%arg0: tensor<2xf64>) -> tensor<2xf64> {
    %0 = "anvl.bessel_i"(%arg0) {order = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func public @f18(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.bessel_i0e"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f19(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.bessel_i1e"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f20(%arg0: tensor<2xf64>) -> tensor<2xf64> {
    %0 = "anvl.bessel_ie"(%arg0) {order = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func public @f21(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>) -> tensor<3xf64> {
    %0 = "anvl.betainc"(%arg0, %arg1, %arg2) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func public @f22(%arg0: tensor<3x2xi32>) -> tensor<3xui64> {
    %0 = "anvl.bitcast_convert"(%arg0) : (tensor<3x2xi32>) -> tensor<3xui64>
    return %0 : tensor<3xui64>
  }
  func.func public @f23(%arg0: tensor<3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f24() -> tensor<2x3xf64> {
    %0 = "anvl.captured"() {index = 0 : i64} : () -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f25(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.cbrt"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f26(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.ceil"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f27(%arg0: tensor<3x3xf64>) -> tensor<3x3xf64> {
    %0 = "anvl.cholesky"(%arg0) : (tensor<3x3xf64>) -> tensor<3x3xf64>
    return %0 : tensor<3x3xf64>
  }
  func.func public @f28(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>, %arg2: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.clamp"(%arg0, %arg1, %arg2) : (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f29(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> tensor<2x3xi1> {
    %0 = "anvl.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func public @f30(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xcomplex<f64>> {
    %0 = "anvl.complex"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xcomplex<f64>>
    return %0 : tensor<2x3xcomplex<f64>>
  }
  func.func public @f31(%arg0: tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>> {
    %0 = "anvl.conj"(%arg0) : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
    return %0 : tensor<2x3xcomplex<f64>>
  }
  func.func public @f32() -> tensor<2x3xf64> {
    %0 = "anvl.constant"() {value = dense<[[0.000000e+00, 1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00]]> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f33(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.convert"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f34(%arg0: tensor<2x5x3xf64>, %arg1: tensor<3x3x2xf64>) -> tensor<2x3x2xf64> {
    %0 = "anvl.convolution"(%arg0, %arg1) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, window_strides = array<i64: 1>} : (tensor<2x5x3xf64>, tensor<3x3x2xf64>) -> tensor<2x3x2xf64>
    return %0 : tensor<2x3x2xf64>
  }
  func.func public @f35(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.cos"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f36(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.cosh"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f37(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.count_leading_zeros"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f38(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %0 = "anvl.cumlogsumexp"(%arg0) {axis = 1 : i64} : (tensor<2x5xf64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func public @f39(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %0 = "anvl.cummax"(%arg0) {axis = 1 : i64} : (tensor<2x5xf64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func public @f40(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %0 = "anvl.cummin"(%arg0) {axis = 1 : i64} : (tensor<2x5xf64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func public @f41(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %0 = "anvl.cumprod"(%arg0) {axis = 1 : i64} : (tensor<2x5xf64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func public @f42(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %0 = "anvl.cumsum"(%arg0) {axis = 1 : i64} : (tensor<2x5xf64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func public @f43(%arg0: tensor<3x3xf64>) -> tensor<f64> {
    %0 = "anvl.det"(%arg0) : (tensor<3x3xf64>) -> tensor<f64>
    return %0 : tensor<f64>
  }
  func.func public @f44(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.digamma"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f45(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.div"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f46(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x2xf32>) -> tensor<2x3x4xf32> {
    %0 = "anvl.dot_general"(%arg0, %arg1) {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [3, 0], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2]>} : (tensor<3x2x4x2xf32>, tensor<2x3x2xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func public @f47(%arg0: tensor<4x3xf64>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<2x2xf64> {
    %0 = "anvl.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2, 2>} : (tensor<4x3xf64>, tensor<i32>, tensor<i32>) -> tensor<2x2xf64>
    return %0 : tensor<2x2xf64>
  }
  func.func public @f48(%arg0: tensor<4x3xf64>, %arg1: tensor<2x2xf64>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<4x3xf64> {
    %0 = "anvl.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x3xf64>, tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> tensor<4x3xf64>
    return %0 : tensor<4x3xf64>
  }
  func.func public @f49(%arg0: tensor<3x3xf64>) -> (tensor<3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) {
    %0:2 = "anvl.eig"(%arg0) : (tensor<3x3xf64>) -> (tensor<3xcomplex<f64>>, tensor<3x3xcomplex<f64>>)
    return %0#0, %0#1 : tensor<3xcomplex<f64>>, tensor<3x3xcomplex<f64>>
  }
  func.func public @f50(%arg0: tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>) {
    %0:2 = "anvl.eigh"(%arg0) : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>)
    return %0#0, %0#1 : tensor<3xf64>, tensor<3x3xf64>
  }
  func.func public @f51(%arg0: tensor<3x3xf64>) -> tensor<3xcomplex<f64>> {
    %0 = "anvl.eigvals"(%arg0) : (tensor<3x3xf64>) -> tensor<3xcomplex<f64>>
    return %0 : tensor<3xcomplex<f64>>
  }
  func.func public @f52(%arg0: tensor<3x3xf64>) -> tensor<3xf64> {
    %0 = "anvl.eigvalsh"(%arg0) : (tensor<3x3xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func public @f53(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.erf"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f54(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.erf_inv"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f55(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.erfc"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f56(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.exp"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f57(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.expm1"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f58(%arg0: tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>> {
    %0 = "anvl.fft"(%arg0) {fft_length = array<i64: 5>, fft_type = #stablehlo<fft_type FFT>} : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
    return %0 : tensor<5xcomplex<f64>>
  }
  func.func public @f59(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.floor"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f60(%arg0: tensor<5x3xf64>, %arg1: tensor<5xi32>) -> tensor<5x3xf64> {
    %0 = "anvl.gather"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<5x3xf64>, tensor<5xi32>) -> tensor<5x3xf64>
    return %0 : tensor<5x3xf64>
  }
  func.func public @f61(%arg0: tensor<2x3xf64>) -> tensor<i32> {
    %0 = "anvl.get_dimension_size"(%arg0) {dimension = 1 : i64} : (tensor<2x3xf64>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func public @f62(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.hypot"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f63(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> tensor<3xf64> {
    %0 = "anvl.igamma"(%arg0, %arg1) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func public @f64(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> tensor<3xf64> {
    %0 = "anvl.igammac"(%arg0, %arg1) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func public @f65(%arg0: tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64> {
    %0 = "anvl.imag"(%arg0) : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f66(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.integer_pow"(%arg0) {exponent = -3 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f67() -> tensor<2x3xf64> {
    %0 = "anvl.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f68(%arg0: tensor<2x3xf64>) -> tensor<2x3xi1> {
    %0 = "anvl.is_finite"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func public @f69(%arg0: tensor<2x3xf64>) -> tensor<2x3xi1> {
    %0 = "anvl.is_inf"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func public @f70(%arg0: tensor<2x3xf64>) -> tensor<2x3xi1> {
    %0 = "anvl.is_neg_inf"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func public @f71(%arg0: tensor<2x3xf64>) -> tensor<2x3xi1> {
    %0 = "anvl.is_pos_inf"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func public @f72(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xi32>) -> tensor<2x3xf64> {
    %0 = "anvl.ldexp"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xi32>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f73(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.lgamma"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f74(%arg0: tensor<2x5xf64>, %arg1: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %0 = "anvl.linear_recurrence"(%arg0, %arg1) {axis = 1 : i64} : (tensor<2x5xf64>, tensor<2x5xf64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func public @f75(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.log"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f76(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.log1p"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f77(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.log_softmax"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f78(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.logaddexp"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f79(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.logistic"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f80(%arg0: tensor<2x3xf64>) -> tensor<2xf64> {
    %0 = "anvl.logsumexp"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func public @f81(%arg0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3xi32>) {
    %0:3 = "anvl.lu"(%arg0) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3xi32>)
    return %0#0, %0#1, %0#2 : tensor<3x3xf64>, tensor<3xi32>, tensor<3xi32>
  }
  func.func public @f82(%arg0: tensor<2x3xf64>) -> tensor<2xf64> {
    %0 = "anvl.max"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func public @f83(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.maximum"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f84(%arg0: tensor<2x3xf64>) -> tensor<2xf64> {
    %0 = "anvl.min"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func public @f85(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.minimum"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f86(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.mul"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f87(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.mulhi"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f88(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.neg"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f89(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.nextafter"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f90(%arg0: tensor<2x3xf64>) -> tensor<2xf64> {
    %0 = "anvl.norm"(%arg0) {axes = array<i64: 1>, order = 2.000000e+00 : f64} : (tensor<2x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func public @f91(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.not"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f92(%arg0: tensor<3x3xf64>) -> tensor<f64> {
    %0 = "anvl.nuclear_norm"(%arg0) : (tensor<3x3xf64>) -> tensor<f64>
    return %0 : tensor<f64>
  }
  func.func public @f93(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.or"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f94(%arg0: tensor<2x3xf64>, %arg1: tensor<f64>) -> tensor<3x7xf64> {
    %0 = "anvl.pad"(%arg0, %arg1) {edge_padding_high = array<i64: 0, 2>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 0, 1>} : (tensor<2x3xf64>, tensor<f64>) -> tensor<3x7xf64>
    return %0 : tensor<3x7xf64>
  }
  func.func public @f95(%arg0: tensor<3x3xf64>) -> tensor<3x3xf64> {
    %0 = "anvl.pinv"(%arg0) {rcond = 1.000000e-04 : f64} : (tensor<3x3xf64>) -> tensor<3x3xf64>
    return %0 : tensor<3x3xf64>
  }
  func.func public @f96(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.polygamma"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f97(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.popcnt"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f98(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.pow"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f99(%arg0: tensor<2x3xf64>) -> tensor<2xf64> {
    %0 = "anvl.prod"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func public @f100(%arg0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>) {
    %0:2 = "anvl.qr"(%arg0) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>)
    return %0#0, %0#1 : tensor<3x3xf64>, tensor<3x3xf64>
  }
  func.func public @f101(%arg0: tensor<5x2xf64>, %arg1: tensor<3x2x4xf64>, %arg2: tensor<3xi32>) -> tensor<5x4xf64> {
    %0 = "anvl.ragged_dot"(%arg0, %arg1, %arg2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<5x2xf64>, tensor<3x2x4xf64>, tensor<3xi32>) -> tensor<5x4xf64>
    return %0 : tensor<5x4xf64>
  }
  func.func public @f102(%arg0: tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64> {
    %0 = "anvl.real"(%arg0) : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f103(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.reduce_precision"(%arg0) {exponent_bits = 11 : i32, mantissa_bits = 52 : i32} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f104(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.rem"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f105(%arg0: tensor<2x3xf64>) -> tensor<6xf64> {
    %0 = "anvl.reshape"(%arg0) : (tensor<2x3xf64>) -> tensor<6xf64>
    return %0 : tensor<6xf64>
  }
  func.func public @f106(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.reverse"(%arg0) {dimensions = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f107(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>) {
    %0:2 = "anvl.rng_bit_generator"(%arg0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui32>)
    return %0#0, %0#1 : tensor<2xui64>, tensor<6xui32>
  }
  func.func public @f108(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.round_nearest_afz"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f109(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.round_nearest_even"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f110(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.rsqrt"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f111(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.sech_squared"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f112(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xf64>, %arg2: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.select"(%arg0, %arg1, %arg2) : (tensor<2x3xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f113(%arg0: tensor<2x3xf64>) -> tensor<2x2xf64> {
    %0 = "anvl.set_dimension_size"(%arg0) {dimension = 1 : i64, size = 2 : i64} : (tensor<2x3xf64>) -> tensor<2x2xf64>
    return %0 : tensor<2x2xf64>
  }
  func.func public @f114(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %0 = "anvl.share_ties"(%arg0) {axis = 1 : i64} : (tensor<2x5xf64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func public @f115(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.shift_left"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f116(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.shift_right_arithmetic"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f117(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.shift_right_logical"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f118(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.sign"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f119(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.sin"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f120(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.sinc"(%arg0) {order = 0 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f121(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.sinh"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f122(%arg0: tensor<5x4xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.slice"(%arg0) {limit_indices = array<i64: 5, 3>, start_indices = array<i64: 1, 0>, strides = array<i64: 2, 1>} : (tensor<5x4xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f123(%arg0: tensor<3x3xf64>) -> (tensor<f64>, tensor<f64>) {
    %0:2 = "anvl.slogdet"(%arg0) : (tensor<3x3xf64>) -> (tensor<f64>, tensor<f64>)
    return %0#0, %0#1 : tensor<f64>, tensor<f64>
  }
  func.func public @f124(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.softmax"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f125(%arg0: tensor<3x3xf64>, %arg1: tensor<3x2xf64>) -> tensor<3x2xf64> {
    %0 = "anvl.solve"(%arg0, %arg1) {transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    return %0 : tensor<3x2xf64>
  }
  func.func public @f126(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.sqrt"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f127(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.square"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f128(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.stop_gradient"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f129(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.sub"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f130(%arg0: tensor<2x3xf64>) -> tensor<2xf64> {
    %0 = "anvl.sum"(%arg0) {axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func public @f131(%arg0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>) {
    %0:3 = "anvl.svd"(%arg0) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>)
    return %0#0, %0#1, %0#2 : tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>
  }
  func.func public @f132(%arg0: tensor<3x3xf64>) -> tensor<3xf64> {
    %0 = "anvl.svdvals"(%arg0) : (tensor<3x3xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func public @f133(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.tag"(%arg0) {label = "x"} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f134(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.tan"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f135(%arg0: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.tanh"(%arg0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func public @f136(%arg0: tensor<2x5xf64>) -> (tensor<2x3xf64>, tensor<2x3xi32>) {
    %0:2 = "anvl.top_k"(%arg0) {k = 3 : i64} : (tensor<2x5xf64>) -> (tensor<2x3xf64>, tensor<2x3xi32>)
    return %0#0, %0#1 : tensor<2x3xf64>, tensor<2x3xi32>
  }
  func.func public @f137(%arg0: tensor<2x3x4xf64>) -> tensor<4x2x3xf64> {
    %0 = "anvl.transpose"(%arg0) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
    return %0 : tensor<4x2x3xf64>
  }
  func.func public @f138(%arg0: tensor<3x3xf64>, %arg1: tensor<3x2xf64>) -> tensor<3x2xf64> {
    %0 = "anvl.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    return %0 : tensor<3x2xf64>
  }
  func.func public @f139(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = "anvl.xor"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func public @f140(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = "anvl.zeta"(%arg0, %arg1) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
}

