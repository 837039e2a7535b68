// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What StableHLO's verifier refuses of `reduce_window` and `select_and_scatter`, which are borrowed.

func.func @reduce_window_sizes_of_two_axes(%x: tensor<4xf32>, %start: tensor<f32>) {
  // expected-error @+1 {{expects window-dimensions size == input rank, but got window-dimensions size: 2 and input: 'tensor<4xf32>' with rank = 1.}}
  %y = "stablehlo.reduce_window"(%x, %start) ({
  ^bb0(%best: tensor<f32>, %next: tensor<f32>):
    stablehlo.return %best : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_size_is_zero(%x: tensor<4xf32>, %start: tensor<f32>) {
  // expected-error @+1 {{expects window to have positive value for 0-th window dimension, but got 0.}}
  %y = "stablehlo.reduce_window"(%x, %start) ({
  ^bb0(%best: tensor<f32>, %next: tensor<f32>):
    stablehlo.return %best : tensor<f32>
  }) {window_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_stride_is_zero(%x: tensor<4xf32>, %start: tensor<f32>) {
  // expected-error @+1 {{expects window to have positive stride for 0-th window dimension, but got 0.}}
  %y = "stablehlo.reduce_window"(%x, %start) ({
  ^bb0(%best: tensor<f32>, %next: tensor<f32>):
    stablehlo.return %best : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_start_of_another_dtype(%x: tensor<4xf32>, %start: tensor<f64>) {
  // expected-error @+2 {{'stablehlo.reduce_window' op inferred type(s) 'tensor<3xf64>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %y = "stablehlo.reduce_window"(%x, %start) ({
  ^bb0(%best: tensor<f64>, %next: tensor<f64>):
    stablehlo.return %best : tensor<f64>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_result(%x: tensor<4xf32>, %start: tensor<f32>) {
  // expected-error @+2 {{'stablehlo.reduce_window' op inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %y = "stablehlo.reduce_window"(%x, %start) ({
  ^bb0(%best: tensor<f32>, %next: tensor<f32>):
    stablehlo.return %best : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_source_of_another_shape(
    %x: tensor<4xf32>, %source: tensor<3xf32>, %start: tensor<f32>, %keep: tensor<i1>) {
  // expected-error @+1 {{expects source-type to be 'tensor<2xf32>', but got'tensor<3xf32>'}}
  %y = "stablehlo.select_and_scatter"(%x, %source, %start) ({
  ^bb0(%best: tensor<f32>, %next: tensor<f32>):
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%there: tensor<f32>, %value: tensor<f32>):
    stablehlo.return %value : tensor<f32>
  }) {
    window_dimensions = array<i64: 2>, window_strides = array<i64: 2>
  } : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_select_gives_numbers(
    %x: tensor<4xf32>, %source: tensor<2xf32>, %start: tensor<f32>, %keep: tensor<f32>) {
  // expected-error @+1 {{expects the return-type of select-region to be tensor<i1>, but got: 'tensor<f32>'}}
  %y = "stablehlo.select_and_scatter"(%x, %source, %start) ({
  ^bb0(%best: tensor<f32>, %next: tensor<f32>):
    stablehlo.return %keep : tensor<f32>
  }, {
  ^bb0(%there: tensor<f32>, %value: tensor<f32>):
    stablehlo.return %value : tensor<f32>
  }) {
    window_dimensions = array<i64: 2>, window_strides = array<i64: 2>
  } : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_stride_is_zero(
    %x: tensor<4xf32>, %source: tensor<2xf32>, %start: tensor<f32>, %keep: tensor<i1>) {
  // expected-error @+1 {{expects window to have positive stride for 0-th window dimension, but got 0.}}
  %y = "stablehlo.select_and_scatter"(%x, %source, %start) ({
  ^bb0(%best: tensor<f32>, %next: tensor<f32>):
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%there: tensor<f32>, %value: tensor<f32>):
    stablehlo.return %value : tensor<f32>
  }) {
    window_dimensions = array<i64: 2>, window_strides = array<i64: 0>
  } : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
