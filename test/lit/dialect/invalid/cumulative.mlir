// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of cumulative ops.

func.func @cumsum_axis_is_none(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{cumsum: axis 2: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.cumsum"(%x) {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumprod_axis_is_negative(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{cumprod: axis -1: -1 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.cumprod"(%x) {axis = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumsum_of_bools(%x: tensor<3xi1>) {
  // expected-error @+1 {{cumsum: operand is tensor<3xi1>; it takes elements of kind int, uint, float or complex}}
  %y = "anvl.cumsum"(%x) {axis = 0 : i64} : (tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @cummax_of_complex(%x: tensor<3xcomplex<f32>>) {
  // expected-error @+1 {{cummax: operand is tensor<3xcomplex<f32>>; it takes elements of kind bool, int, uint or float}}
  %y = "anvl.cummax"(%x) {axis = 0 : i64} : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @cumlogsumexp_of_integers(%x: tensor<3xi32>) {
  // expected-error @+1 {{cumlogsumexp: operand is tensor<3xi32>; it takes elements of kind float}}
  %y = "anvl.cumlogsumexp"(%x) {axis = 0 : i64} : (tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @cummin_result(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{cummin: result is tensor<2xf32> but the operands give tensor<2x3xf32>}}
  %y = "anvl.cummin"(%x) {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @cumsum_of_a_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{cumsum: axis 0: 0 is not an axis of tensor<f32>, which has no axes}}
  %y = "anvl.cumsum"(%x) {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @cumsum_without_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{cumsum: attribute `axis` is missing}}
  %y = "anvl.cumsum"(%x) {reverse = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumsum_reverse_is_no_bool(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{cumsum: attribute `reverse`: expected true or false, got 1 : i64}}
  %y = "anvl.cumsum"(%x) {axis = 0 : i64, reverse = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_recurrence_types_differ(%a: tensor<2x3xf32>, %b: tensor<2x3xf64>) {
  // expected-error @+1 {{linear_recurrence: operands differ in type: tensor<2x3xf32>, tensor<2x3xf64>; broadcast or convert them}}
  %y = "anvl.linear_recurrence"(%a, %b) {axis = 0 : i64}
    : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_recurrence_shapes_differ(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{linear_recurrence: operands differ in type: tensor<2x3xf32>, tensor<3xf32>; broadcast or convert them}}
  %y = "anvl.linear_recurrence"(%a, %b) {axis = 0 : i64}
    : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_recurrence_axis_is_none(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{linear_recurrence: axis 5: 5 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.linear_recurrence"(%a, %b) {axis = 5 : i64}
    : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_recurrence_of_bools(%a: tensor<3xi1>, %b: tensor<3xi1>) {
  // expected-error @+1 {{linear_recurrence: operand is tensor<3xi1>; it takes elements of kind int, uint, float or complex}}
  %y = "anvl.linear_recurrence"(%a, %b) {axis = 0 : i64}
    : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @linear_recurrence_result(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{linear_recurrence: result is tensor<2xf32> but the operands give tensor<2x3xf32>}}
  %y = "anvl.linear_recurrence"(%a, %b) {axis = 0 : i64}
    : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}
