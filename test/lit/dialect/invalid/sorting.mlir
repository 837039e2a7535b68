// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of `top_k`, of `fft` (constraints (C1) to (C5) of StableHLO's
// specification) and of `rng_bit_generator`, and StableHLO's own of `sort`, `map` and
// `optimization_barrier`, which are borrowed.

func.func @top_k_of_a_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{top_k: tensor<f32> has no axis to search along; reshape it to one of size 1}}
  %y, %i = "anvl.top_k"(%x) {k = 0 : i64} : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @top_k_of_more_than_there_are(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{top_k: k is 4, but the last axis of tensor<2x3xf32> has 3 elements; take 0 to 3 of them}}
  %y, %i = "anvl.top_k"(%x) {k = 4 : i64} : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @top_k_of_fewer_than_none(%x: tensor<3xf32>) {
  // expected-error @+1 {{top_k: k is -1, but the last axis of tensor<3xf32> has 3 elements; take 0 to 3 of them}}
  %y, %i = "anvl.top_k"(%x) {k = -1 : i64} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  return
}

// -----

func.func @top_k_of_complex_numbers(%x: tensor<3xcomplex<f32>>) {
  // expected-error @+1 {{top_k: operand is tensor<3xcomplex<f32>>; it takes elements of kind bool, int, uint or float}}
  %y, %i = "anvl.top_k"(%x) {k = 1 : i64} : (tensor<3xcomplex<f32>>) -> (tensor<1xcomplex<f32>>, tensor<1xi32>)
  return
}

// -----

func.func @top_k_without_k(%x: tensor<3xf32>) {
  // expected-error @+1 {{top_k: attribute `k` is missing}}
  %y, %i = "anvl.top_k"(%x) : (tensor<3xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @top_k_results(%x: tensor<3xf32>) {
  // expected-error @+1 {{top_k: result is tensor<1xf32>, tensor<1xi64> but the operands give tensor<1xf32>, tensor<1xi32>}}
  %y, %i = "anvl.top_k"(%x) {k = 1 : i64} : (tensor<3xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// -----

func.func @fft_of_more_axes_than_there_are(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{fft: fft_length [4, 4] names more lengths than tensor<4xcomplex<f32>> has axes}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4, 4>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @fft_of_four_axes(%x: tensor<1x1x1x1xcomplex<f32>>) {
  // expected-error @+1 {{fft: fft_length [1, 1, 1, 1] of tensor<1x1x1x1xcomplex<f32>> must have 1 to 3 lengths, one for each of the last axes}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 1, 1, 1, 1>} : (tensor<1x1x1x1xcomplex<f32>>) -> tensor<1x1x1x1xcomplex<f32>>
  return
}

// -----

func.func @fft_of_no_axes(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{fft: fft_length [] of tensor<4xcomplex<f32>> must have 1 to 3 lengths, one for each of the last axes}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @fft_of_a_negative_length(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{fft: fft_length [-4] of tensor<4xcomplex<f32>> must not be negative}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: -4>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @fft_of_another_length(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{fft: fft_length [5] of FFT takes an operand of shape [5], got tensor<4xcomplex<f32>>; pad or slice it first}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 5>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @fft_of_reals(%x: tensor<4xf32>) {
  // expected-error @+1 {{fft: FFT takes c64 or c128, got tensor<4xf32>; convert it first}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @rfft_of_complex_numbers(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{fft: RFFT takes f32 or f64, got tensor<4xcomplex<f32>>; convert it first}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>} : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @rfft_of_f16(%x: tensor<4xf16>) {
  // expected-error @+1 {{fft: RFFT takes f32 or f64, got tensor<4xf16>; convert it first}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>} : (tensor<4xf16>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @rfft_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{fft: result is tensor<4xcomplex<f32>> but the operands give tensor<3xcomplex<f32>>}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @irfft_of_the_whole(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{fft: fft_length [4] of IRFFT takes an operand of shape [3], got tensor<4xcomplex<f32>>; pad or slice it first}}
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 4>} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// -----

func.func @fft_type_is_a_text(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{fft: attribute `fft_type`: expected #stablehlo<fft_type ...>, one of FFT, IFFT, RFFT, IRFFT, got "FFT"}}
  %y = "anvl.fft"(%x) {fft_type = "FFT", fft_length = array<i64: 4>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @rng_state_of_i64(%s: tensor<2xi64>) {
  // expected-error @+1 {{rng_bit_generator: the state is tensor<2xi64>; it must be one-dimensional and ui64}}
  %t, %y = "anvl.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xi64>) -> (tensor<2xi64>, tensor<4xui32>)
  return
}

// -----

func.func @rng_state_of_two_axes(%s: tensor<1x2xui64>) {
  // expected-error @+1 {{rng_bit_generator: the state is tensor<1x2xui64>; it must be one-dimensional and ui64}}
  %t, %y = "anvl.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<1x2xui64>) -> (tensor<1x2xui64>, tensor<4xui32>)
  return
}

// -----

func.func @rng_state_of_another_size(%s: tensor<3xui64>) {
  // expected-error @+1 {{rng_bit_generator: the state of THREE_FRY has 2 numbers, got tensor<3xui64>}}
  %t, %y = "anvl.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @rng_bits_as_floats(%s: tensor<2xui64>) {
  // expected-error @+1 {{rng_bit_generator: the dtype of the bits is f32, from a state of tensor<2xui64>; draw unsigned integers, which `bitcast_convert` reads as any dtype}}
  %t, %y = "anvl.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xf32>)
  return
}

// -----

func.func @rng_state_changes_type(%s: tensor<2xui64>) {
  // expected-error @+1 {{rng_bit_generator: result is tensor<3xui64>, tensor<4xui32> but the operands give tensor<2xui64>, tensor<4xui32>}}
  %t, %y = "anvl.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @sort_shapes_differ(%x: tensor<3xf32>, %n: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.sort' op requires the same shape for all operands and results}}
  %y:2 = "stablehlo.sort"(%x, %n) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %first = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %first : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3xf32>, tensor<2xf32>) -> (tensor<3xf32>, tensor<2xf32>)
  return
}

// -----

func.func @sort_along_no_axis(%x: tensor<3xf32>) {
  // expected-error @+1 {{dimension attribute value must be in range [-1, 1), but found 1}}
  %y = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %first = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %first : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @map_along_other_axes(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'stablehlo.map' op failed to infer returned types}}
  // expected-error @+1 {{requires monotonically increasing dimension numbers, but got: 1, 0}}
  %y = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @optimization_barrier_changes_a_type(%x: tensor<3xf32>) {
  // expected-error @+1 {{'stablehlo.optimization_barrier' op requires the same type for operand and result at index 0}}
  %y = "stablehlo.optimization_barrier"(%x) : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @custom_call_of_no_routine(%x: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op requires attribute 'call_target_name'}}
  %y = "stablehlo.custom_call"(%x) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
