// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// StableHLO's own ops, where its verifier accepts what its specification forbids, or dies of it.

func.func @scatter_of_another_dtype(%x: tensor<5xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf64>) {
  // expected-error @+1 {{scatter: update tensor<4xf64> must have the dtype of its input tensor<5xf32>}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5xf32>, tensor<4x1xi32>, tensor<4xf64>) -> tensor<5xf32>
  return
}

// -----

func.func @scatter_without_components(%x: tensor<3xf32>, %i: tensor<4x0xi32>, %u: tensor<4x3xf32>) {
  // expected-error @+1 {{scatter: tensor<4x0xi32> holds 4 index vectors of no components, so all updates meet one element; combine them first, as `reduce` does}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], index_vector_dim = 1>} : (tensor<3xf32>, tensor<4x0xi32>, tensor<4x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @select_and_scatter_of_another_dtype(%x: tensor<4xf32>, %s: tensor<3xf64>, %i: tensor<f32>) {
  // expected-error @+1 {{select_and_scatter: source is tensor<3xf64>; windows of [2] on tensor<4xf32> take tensor<3xf32>}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<3xf64>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_without_an_initial_value(%x: tensor<4xf32>) {
  // expected-error @+1 {{reduce: takes one initial value per array, got 1 operand}}
  %0 = "stablehlo.reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_of_nothing() {
  // expected-error @+1 {{reduce: takes one initial value per array, got 0 operands}}
  "stablehlo.reduce"() ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : () -> ()
  return
}

// -----

// What it accepts rightly stays: a dtype that the body promotes, a size that is not known.

func.func @promoted(%x: tensor<4xf16>, %i: tensor<f16>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf16>, tensor<f16>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @dynamic(%x: tensor<?xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The parser of layouts makes room for as many axes as they name.

func.func @conv(%x: tensor<1x8x2xf32>, %w: tensor<3x2x4xf32>) -> tensor<1x6x4xf32> {
  %y = "stablehlo.convolution"(%x, %w) {
    batch_group_count = 1 : i64, feature_group_count = 1 : i64,
    // expected-error @+1 {{convolution: dimension numbers name axis 9223372036854775807; no array has that many axes}}
    dimension_numbers = #stablehlo.conv<[b, 9223372036854775807, f]x[0, i, o]->[b, 0, f]>
  } : (tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
  return %y : tensor<1x6x4xf32>
}

// -----

func.func @short(%x: tensor<1x8x2xf32>, %w: tensor<3x2x4xf32>) -> tensor<1x6x4xf32> {
  // expected-error @+1 {{convolution: dimension numbers name axis 99999999999; no array has that many axes}}
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 99999999999, f], window = {} {
    batch_group_count = 1 : i64, feature_group_count = 1 : i64
  } : (tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
  return %y : tensor<1x6x4xf32>
}
