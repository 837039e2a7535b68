// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of convolution.

func.func @convolution_dtypes_differ(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf64>) {
  // expected-error @+1 {{convolution: operands tensor<1x4x2xf32> and tensor<3x2x6xf64> must have one dtype and one rank}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf64>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_ranks_differ(%x: tensor<1x4x2xf32>, %y: tensor<3x2xf32>) {
  // expected-error @+1 {{convolution: operands tensor<1x4x2xf32> and tensor<3x2xf32> must have one dtype and one rank}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_two_strides(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: window_strides [1, 1] must have one entry for each of the 1 spatial axes of tensor<1x4x2xf32>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_stride_is_zero(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: window_strides [0] of tensor<1x4x2xf32> and tensor<3x2x6xf32> must be positive}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 0>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_padding_for_two_axes(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: padding [[0, 0], [0, 0]] must have one entry for each of the 1 spatial axes of tensor<1x4x2xf32>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<2x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_padding_is_no_array_of_pairs(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: attribute `padding`: expected dense<...> : tensor<nx2xi64>, got dense<0> : tensor<2xi64>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_padding_cuts_all(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: padding [-3, -2] removes more elements than there are along axis 1 of tensor<1x4x2xf32>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<[[-3, -2]]> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_lhs_dilation_is_zero(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: lhs_dilation [0] of tensor<1x4x2xf32> and tensor<3x2x6xf32> must be positive}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 0>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_no_lhs_dilation(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: lhs_dilation [] must have one entry for each of the 1 spatial axes of tensor<1x4x2xf32>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_rhs_dilation_is_negative(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: rhs_dilation [-1] of tensor<1x4x2xf32> and tensor<3x2x6xf32> must be positive}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: -1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_no_rhs_dilation(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: rhs_dilation [] must have one entry for each of the 1 spatial axes of tensor<1x4x2xf32>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_reversal_of_two_axes(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: window_reversal [False, True] must have one entry for each of the 1 spatial axes of tensor<1x4x2xf32>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false, true>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_reversal_of_integers(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: attribute `window_reversal`: expected array<i1: ...>, got array<i64: 0>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i64: 0>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_batch_is_no_multiple(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: the batch axis of tensor<1x4x2xf32> is 1, not a multiple of 2 groups}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 2 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_features_are_no_multiple(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: the feature axis of tensor<1x4x2xf32> is 2, not a multiple of 3 groups}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 3 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_output_features_are_no_multiple(%x: tensor<4x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: the output feature axis of tensor<3x2x6xf32> is 6, not a multiple of 4 groups}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 4 : i64
  } : (tensor<4x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_kernel_takes_other_features(%x: tensor<1x4x2xf32>, %y: tensor<3x1x6xf32>) {
  // expected-error @+1 {{convolution: the kernel tensor<3x1x6xf32> takes 1 features, but tensor<1x4x2xf32> has 2 in each of 1 groups}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x1x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_groups_of_both(%x: tensor<2x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: feature_group_count 2 and batch_group_count 2, of tensor<2x4x2xf32> and tensor<3x2x6xf32>, must be positive, and one of them 1}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 2 : i64, batch_group_count = 2 : i64
  } : (tensor<2x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_no_groups(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: feature_group_count 0 and batch_group_count 1, of tensor<1x4x2xf32> and tensor<3x2x6xf32>, must be positive, and one of them 1}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 0 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_negative_batch_groups(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: feature_group_count 1 and batch_group_count -1, of tensor<1x4x2xf32> and tensor<3x2x6xf32>, must be positive, and one of them 1}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = -1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_input_axes_of_another_rank(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: dimension_numbers name 4 input axes, [0, 3, 1, 2], but the operands tensor<1x4x2xf32> and tensor<3x2x6xf32> have 3}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_dimensions_of_another_kind(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: attribute `dimension_numbers`: expected #stablehlo.conv<...>, got 1 : i64}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = 1 : i64,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_one_precision(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: attribute `precision_config`: expected the same #stablehlo<precision ...> twice, got [#stablehlo<precision HIGH>]}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64,
    precision_config = [#stablehlo<precision HIGH>]
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @convolution_result(%x: tensor<1x4x2xf32>, %y: tensor<3x2x6xf32>) {
  // expected-error @+1 {{convolution: result is tensor<1x3x6xf32> but the operands give tensor<1x2x6xf32>}}
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<1x3x6xf32>
  return
}
