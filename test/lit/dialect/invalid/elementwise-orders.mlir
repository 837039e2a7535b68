// RUN: anvl-opt %s --verify-diagnostics --split-input-file

// Ops with an order or an exponent, and those of two floats that are scaled.

func.func @hypot_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{hypot: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %z = "anvl.hypot"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @logaddexp_of_two_types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{logaddexp: operands differ in type: tensor<2xf32>, tensor<2xf64>}}
  %z = "anvl.logaddexp"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @integer_pow_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{integer_pow: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.integer_pow"(%x) {exponent = 2 : i64} : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @sinc_of_a_negative_order(%x: tensor<2xf32>) {
  // expected-error @+1 {{sinc: order is -1; it must be 0 or more}}
  %y = "anvl.sinc"(%x) {order = -1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @bessel_i_of_a_negative_order(%x: tensor<2xf32>) {
  // expected-error @+1 {{bessel_i: order is -2; it must be 0 or more}}
  %y = "anvl.bessel_i"(%x) {order = -2 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @bessel_ie_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{bessel_ie: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.bessel_ie"(%x) {order = 1 : i64} : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @share_ties_of_an_axis_that_is_not_there(%x: tensor<2xf32>) {
  // expected-error @+1 {{share_ties: axis 1: 1 is not an axis of tensor<2xf32>, which has only axis 0}}
  %y = "anvl.share_ties"(%x) {axis = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @share_ties_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{share_ties: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.share_ties"(%x) {axis = 0 : i64} : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @order_statistics_of_other_rows(%x: tensor<3x4xf32>, %k: tensor<2x1xi32>) {
  // expected-error @+1 {{order_statistics: positions are tensor<2x1xi32> and x is tensor<3x4xf32>; all axes but the last must be the same}}
  %y = "anvl.order_statistics"(%x, %k) : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @order_statistics_of_nothing(%x: tensor<0xf32>, %k: tensor<1xi32>) {
  // expected-error @+1 {{order_statistics: the last axis of tensor<0xf32> is empty, which leaves nothing to find at positions [1]}}
  %y = "anvl.order_statistics"(%x, %k) : (tensor<0xf32>, tensor<1xi32>) -> tensor<1xf32>
  return
}
