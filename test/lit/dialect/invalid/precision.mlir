// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of reduce_precision.

func.func @reduce_precision_without_exponent(%x: tensor<2xf32>) {
  // expected-error @+1 {{reduce_precision: a float has at least 1 exponent bit and 0 mantissa bits, got 0 and 2}}
  %y = "anvl.reduce_precision"(%x) {exponent_bits = 0 : i32, mantissa_bits = 2 : i32}
      : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_precision_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{reduce_precision: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.reduce_precision"(%x) {exponent_bits = 5 : i32, mantissa_bits = 2 : i32}
      : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}
