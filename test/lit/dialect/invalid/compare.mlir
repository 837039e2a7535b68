// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of the ops that ask and choose.

func.func @compare_without_direction(%x: tensor<2xf32>) {
  // expected-error @+1 {{compare: attribute `comparison_direction` is missing}}
  %y = "anvl.compare"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_direction_of_another_kind(%x: tensor<2xf32>) {
  // expected-error @+1 {{compare: attribute `comparison_direction`: expected #stablehlo<comparison_direction ...>, one of EQ, NE, GE, GT, LE, LT, got "EQ"}}
  %y = "anvl.compare"(%x, %x) {comparison_direction = "EQ"}
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_order_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{compare: complex numbers have no order, LT of tensor<2xcomplex<f32>>; compare abs or real parts}}
  %y = "anvl.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction LT>}
      : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_types_differ(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{compare: operands differ in type: tensor<2xf32>, tensor<2xf64>}}
  %z = "anvl.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>}
      : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_gives_bools(%x: tensor<2xf32>) {
  // expected-error @+1 {{compare: result is tensor<2xf32> but the operands give tensor<2xi1>}}
  %y = "anvl.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction LT>}
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_predicate_of_integers(%p: tensor<2xi32>, %x: tensor<2xf32>) {
  // expected-error @+1 {{select: pred is tensor<2xi32>; it must hold bools}}
  %y = "anvl.select"(%p, %x, %x)
      : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_sides_differ(%p: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{select: the two sides differ in type: tensor<2xf32>, tensor<2xf64>; convert them to one dtype first}}
  %z = "anvl.select"(%p, %x, %y)
      : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @select_predicate_of_another_shape(%p: tensor<3xi1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{select: pred is tensor<3xi1> but the sides are tensor<2xf32>; it must be a scalar or have their shape}}
  %y = "anvl.select"(%p, %x, %x)
      : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_bound_of_another_shape(%x: tensor<2xf32>, %low: tensor<1xf32>) {
  // expected-error @+1 {{clamp: low is tensor<1xf32> but the operand is tensor<2xf32>; a bound is a scalar or has the operand's shape, and its dtype}}
  %y = "anvl.clamp"(%low, %x, %x)
      : (tensor<1xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_bound_of_another_dtype(%x: tensor<2xf32>, %high: tensor<f64>) {
  // expected-error @+1 {{clamp: high is tensor<f64> but the operand is tensor<2xf32>}}
  %y = "anvl.clamp"(%x, %x, %high)
      : (tensor<2xf32>, tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_of_complex(%x: tensor<complex<f32>>) {
  // expected-error @+1 {{clamp: operand is tensor<complex<f32>>; it takes elements of kind bool, int, uint or float}}
  %y = "anvl.clamp"(%x, %x, %x)
      : (tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return
}

// -----

func.func @is_finite_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{is_finite: operand is tensor<2xi32>; it takes elements of kind float}}
  %y = "anvl.is_finite"(%x) : (tensor<2xi32>) -> tensor<2xi1>
  return
}
