// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of reductions; the rules on `axes` are those of their family.

func.func @sum_axis_is_none(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{sum: axes [2]: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.sum"(%x) {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @max_axis_is_negative(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{max: axes [-1]: -1 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.max"(%x) {axes = array<i64: -1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @prod_axes_repeat(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{prod: axes [1, 1] repeat an axis of tensor<2x3xf32>; name each once}}
  %y = "anvl.prod"(%x) {axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_of_bools(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{sum: operand is tensor<2x3xi1>; it takes elements of kind int, uint, float or complex}}
  %y = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @min_of_complex(%x: tensor<2x3xcomplex<f32>>) {
  // expected-error @+1 {{min: operand is tensor<2x3xcomplex<f32>>; it takes elements of kind bool, int, uint or float}}
  %y = "anvl.min"(%x) {axes = array<i64: 1>} : (tensor<2x3xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @all_of_floats(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{all: operand is tensor<2x3xf32>; it takes elements of kind bool}}
  %y = "anvl.all"(%x) {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @any_of_integers(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{any: operand is tensor<2x3xi32>; it takes elements of kind bool}}
  %y = "anvl.any"(%x) {axes = array<i64: 1>} : (tensor<2x3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @sum_result(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{sum: result is tensor<2xf32> but the operands give tensor<3xf32>}}
  %y = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_axes_are_no_array(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{sum: attribute `axes`: expected array<i64: ...>, got [1]}}
  %y = "anvl.sum"(%x) {axes = [1]} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_without_axes(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{sum: attribute `axes` is missing}}
  %y = "anvl.sum"(%x) : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @argmax_axis_is_none(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{argmax: axis 2: 2 is not an axis of tensor<2x3xf32>, which has axes 0 to 1}}
  %y = "anvl.argmax"(%x) {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @argmin_of_nothing(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{argmin: axis 1 of tensor<2x0xf32> is empty, and has no extreme element}}
  %y = "anvl.argmin"(%x) {axis = 1 : i64} : (tensor<2x0xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @argmax_gives_floats(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{argmax: the index dtype is f32; it must be an integer}}
  %y = "anvl.argmax"(%x) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @argmax_of_complex(%x: tensor<2x3xcomplex<f32>>) {
  // expected-error @+1 {{argmax: operand is tensor<2x3xcomplex<f32>>; it takes elements of kind bool, int, uint or float}}
  %y = "anvl.argmax"(%x) {axis = 1 : i64} : (tensor<2x3xcomplex<f32>>) -> tensor<2xi32>
  return
}

// -----

func.func @reduce_along_no_axis(%x: tensor<2xf32>, %start: tensor<f32>) {
  // expected-error @+1 {{Out-of-bounds dimension 1, expected to be in range [0, 1)}}
  %y = "stablehlo.reduce"(%x, %start) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @norm_of_order_0(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{norm: order is 0.0; it must be finite and nonzero}}
  %y = "anvl.norm"(%x) {axes = array<i64: 1>, order = 0.0 : f64} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @norm_of_order_3_of_complex(%x: tensor<2x3xcomplex<f32>>) {
  // expected-error @+1 {{norm: order is 3.0 of tensor<2x3xcomplex<f32>>; use order 2, or abs(x)}}
  %y = "anvl.norm"(%x) {axes = array<i64: 1>, order = 3.0 : f64} : (tensor<2x3xcomplex<f32>>) -> tensor<2xf32>
  return
}

// -----

func.func @norm_of_order_1_to_the_2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{norm: power is 2 of order 1.0; it must be 1, or above 1 for order 2}}
  %y = "anvl.norm"(%x) {axes = array<i64: 1>, order = 1.0 : f64, power = 2 : i64} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @norm_of_integers(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{norm: operand is tensor<2x3xi32>; it takes elements of kind float or complex}}
  %y = "anvl.norm"(%x) {axes = array<i64: 1>, order = 2.0 : f64} : (tensor<2x3xi32>) -> tensor<2xi32>
  return
}
