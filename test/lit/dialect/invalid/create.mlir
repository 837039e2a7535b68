// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of the ops that make arrays from nothing.

func.func @constant_of_no_dense() {
  // expected-error @+1 {{constant: value must be dense<...> of a tensor type, got 1.000000e+00 : f32}}
  %y = "anvl.constant"() {value = 1.0 : f32} : () -> tensor<f32>
  return
}

// -----

func.func @constant_without_value() {
  // expected-error @+1 {{constant: attribute `value` is missing}}
  %y = "anvl.constant"() : () -> tensor<f32>
  return
}

// -----

func.func @constant_of_another_type() {
  // expected-error @+1 {{constant: result is tensor<3xf32> but the operands give tensor<2xf32>}}
  %y = "anvl.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @complex_constant_of_another_type() {
  // expected-error @+1 {{constant: result is tensor<3xcomplex<f32>> but the operands give tensor<2xcomplex<f32>>}}
  %y = "anvl.constant"() {value = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>}
      : () -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @captured_index_is_negative() {
  // expected-error @+1 {{captured: index -1 is negative; arrays are numbered from 0}}
  %y = "anvl.captured"() {index = -1 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @captured_without_index() {
  // expected-error @+1 {{captured: attribute `index` is missing}}
  %y = "anvl.captured"() : () -> tensor<2xf32>
  return
}

// -----

func.func @iota_axis_is_none() {
  // expected-error @+1 {{iota: iota_dimension 2: 2 is not an axis of tensor<2x3xi32>, which has axes 0 to 1}}
  %y = "anvl.iota"() {iota_dimension = 2 : i64} : () -> tensor<2x3xi32>
  return
}

// -----

func.func @iota_of_bools() {
  // expected-error @+1 {{iota: result is tensor<2xi1>; its elements must be numbers}}
  %y = "anvl.iota"() {iota_dimension = 0 : i64} : () -> tensor<2xi1>
  return
}

// -----

func.func @iota_dimension_is_no_integer() {
  // expected-error @+1 {{iota: attribute `iota_dimension`: expected an integer such as 0 : i64, got "0"}}
  %y = "anvl.iota"() {iota_dimension = "0"} : () -> tensor<2xi32>
  return
}
