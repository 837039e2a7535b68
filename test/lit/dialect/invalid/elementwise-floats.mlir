// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// Functions of floats refuse integers, and what is written for real numbers alone refuses complex ones.

func.func @expm1_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{expm1: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.expm1"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @tan_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{tan: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.tan"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @log1p_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{log1p: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.log1p"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @rsqrt_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{rsqrt: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.rsqrt"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @logistic_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{logistic: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.logistic"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @sech_squared_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{sech_squared: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.sech_squared"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @sinh_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{sinh: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.sinh"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @cosh_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{cosh: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.cosh"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @asin_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{asin: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.asin"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @acos_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{acos: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.acos"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @atan_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{atan: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.atan"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @asinh_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{asinh: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.asinh"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @acosh_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{acosh: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.acosh"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @atanh_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{atanh: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.atanh"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @cbrt_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{cbrt: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.cbrt"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @erfc_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{erfc: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.erfc"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @erf_inv_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{erf_inv: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.erf_inv"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @lgamma_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{lgamma: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.lgamma"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @digamma_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{digamma: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.digamma"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @square_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{square: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.square"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @bessel_i0e_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{bessel_i0e: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.bessel_i0e"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @bessel_i1e_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{bessel_i1e: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.bessel_i1e"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @ceil_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{ceil: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.ceil"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @floor_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{floor: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.floor"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @round_nearest_even_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{round_nearest_even: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.round_nearest_even"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @round_nearest_afz_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{round_nearest_afz: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.round_nearest_afz"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @is_inf_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{is_inf: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.is_inf"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @is_pos_inf_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{is_pos_inf: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.is_pos_inf"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @is_neg_inf_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{is_neg_inf: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.is_neg_inf"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @logistic_slope_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{logistic_slope: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.logistic_slope"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @rough_zero_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{rough_zero: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.rough_zero"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @silu_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{silu: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.silu"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @silu_slope_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{silu_slope: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.silu_slope"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @gelu_tanh_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{gelu_tanh: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.gelu_tanh"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @gelu_tanh_slope_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{gelu_tanh_slope: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.gelu_tanh_slope"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @log2_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{log2: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.log2"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @log10_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{log10: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.log10"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @exp2_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{exp2: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.exp2"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}
