// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of batch normalization, and of exponentials over their sum.

func.func @batch_norm_inference_axis_is_none(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_inference: feature_index 2: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.batch_norm_inference"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 2 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_inference_scale_of_another_size(
    %x0: tensor<2x3xf32>, %x1: tensor<2xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_inference: scale is tensor<2xf32>; for feature_index 1 of tensor<2x3xf32> it must be tensor<3xf32>}}
  %y = "anvl.batch_norm_inference"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_inference_offset_of_another_size(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<2xf32>, %x3: tensor<3xf32>, %x4: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_inference: offset is tensor<2xf32>; for feature_index 1 of tensor<2x3xf32> it must be tensor<3xf32>}}
  %y = "anvl.batch_norm_inference"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>)
      -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_inference_mean_of_another_dtype(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf64>, %x4: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_inference: mean is tensor<3xf64>; for feature_index 1 of tensor<2x3xf32> it must be tensor<3xf32>}}
  %y = "anvl.batch_norm_inference"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xf32>)
      -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_inference_variance_of_another_rank(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<f32>) {
  // expected-error @+1 {{batch_norm_inference: variance is tensor<f32>; for feature_index 1 of tensor<2x3xf32> it must be tensor<3xf32>}}
  %y = "anvl.batch_norm_inference"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>)
      -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_inference_result(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_inference: result is tensor<3x2xf32> but the operands give tensor<2x3xf32>}}
  %y = "anvl.batch_norm_inference"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> tensor<3x2xf32>
  return
}

// -----

func.func @batch_norm_inference_epsilon_is_f64(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_inference: attribute `epsilon`: expected a number such as 0.001 : f32, got 0.000000e+00 : f64}}
  %y = "anvl.batch_norm_inference"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f64, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_training_of_integers(
    %x0: tensor<2x3xi32>, %x1: tensor<3xi32>, %x2: tensor<3xi32>) {
  // expected-error @+1 {{batch_norm_training: operand is tensor<2x3xi32>; it takes elements of kind float}}
  %y:3 = "anvl.batch_norm_training"(%x0, %x1, %x2)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi32>)
      -> (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi32>)
  return
}

// -----

func.func @batch_norm_training_scale_of_another_size(
    %x0: tensor<2x3xf32>, %x1: tensor<2xf32>, %x2: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_training: scale is tensor<2xf32>; for feature_index 1 of tensor<2x3xf32> it must be tensor<3xf32>}}
  %y:3 = "anvl.batch_norm_training"(%x0, %x1, %x2)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_training_offset_of_another_dtype(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf16>) {
  // expected-error @+1 {{batch_norm_training: offset is tensor<3xf16>; for feature_index 1 of tensor<2x3xf32> it must be tensor<3xf32>}}
  %y:3 = "anvl.batch_norm_training"(%x0, %x1, %x2)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf16>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_training_results(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_training: result is tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32> but the operands give tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>}}
  %y:3 = "anvl.batch_norm_training"(%x0, %x1, %x2)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_training_axis_is_negative(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>) {
  // expected-error @+1 {{batch_norm_training: feature_index -1: -1 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y:3 = "anvl.batch_norm_training"(%x0, %x1, %x2)
    {epsilon = 0.0 : f32, feature_index = -1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_grad_output_of_another_shape(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<3x2xf32>) {
  // expected-error @+1 {{batch_norm_grad: grad_output is tensor<3x2xf32>; for feature_index 1 of tensor<2x3xf32> it must be tensor<2x3xf32>}}
  %y:3 = "anvl.batch_norm_grad"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x2xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_grad_variance_of_another_size(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<1xf32>, %x4: tensor<2x3xf32>) {
  // expected-error @+1 {{batch_norm_grad: variance is tensor<1xf32>; for feature_index 1 of tensor<2x3xf32> it must be tensor<3xf32>}}
  %y:3 = "anvl.batch_norm_grad"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>, tensor<2x3xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_grad_axis_is_none(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<2x3xf32>) {
  // expected-error @+1 {{batch_norm_grad: feature_index 7: 7 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y:3 = "anvl.batch_norm_grad"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 7 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_grad_results(
    %x0: tensor<2x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<2x3xf32>) {
  // expected-error @+1 {{batch_norm_grad: result is tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32> but the operands give tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>}}
  %y:3 = "anvl.batch_norm_grad"(%x0, %x1, %x2, %x3, %x4)
    {epsilon = 0.0 : f32, feature_index = 1 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @logsumexp_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{logsumexp: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.logsumexp"(%x) {axes = array<i64: 0>} : (tensor<2xi32>) -> tensor<i32>
  return
}

// -----

func.func @softmax_axis_is_none(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{softmax: axes [2]: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.softmax"(%x) {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_axis_repeats(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{log_softmax: axes [1, 1] repeat an axis of tensor<2x3xf32>; name each once}}
  %y = "anvl.log_softmax"(%x) {axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
