// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of the ops between real and complex numbers.

func.func @real_of_real(%x: tensor<2xf32>) {
  // expected-error @+1 {{real: operand is tensor<2xf32>; it takes elements of kind complex}}
  %y = "anvl.real"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @imag_of_real(%x: tensor<2xf32>) {
  // expected-error @+1 {{imag: operand is tensor<2xf32>; it takes elements of kind complex}}
  %y = "anvl.imag"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @conj_of_real(%x: tensor<2xf32>) {
  // expected-error @+1 {{conj: operand is tensor<2xf32>; it takes elements of kind complex}}
  %y = "anvl.conj"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @complex_of_halves(%x: tensor<2xf16>) {
  // expected-error @+1 {{complex: parts are tensor<2xf16>; they must be f32 or f64, convert them first}}
  %y = "anvl.complex"(%x, %x) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @complex_parts_differ(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{complex: operands differ in type: tensor<2xf32>, tensor<2xf64>}}
  %z = "anvl.complex"(%x, %y)
      : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @abs_of_complex_is_real(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{abs: result is tensor<2xcomplex<f32>> but the operands give tensor<2xf32>}}
  %y = "anvl.abs"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @sign_of_bools(%x: tensor<2xi1>) {
  // expected-error @+1 {{sign: operand is tensor<2xi1>; it takes elements of kind int, float or complex}}
  %y = "anvl.sign"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return
}
