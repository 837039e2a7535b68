// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of elementwise ops; the rules are those of their family.

func.func @add_shapes_differ(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error @+1 {{add: operands differ in type: tensor<2x3xf32>, tensor<3x2xf32>; broadcast them to one shape first}}
  %z = "anvl.add"(%x, %y) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @mul_dtypes_differ(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{mul: operands differ in type: tensor<2xf32>, tensor<2xf64>; convert them to one dtype first}}
  %z = "anvl.mul"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @sin_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{sin: operand is tensor<2xi32>; it takes elements of kind float or complex}}
  %y = "anvl.sin"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @erf_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{erf: operand is tensor<2xcomplex<f32>>; it takes elements of kind float}}
  %y = "anvl.erf"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @xor_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{xor: operand is tensor<2xf32>; it takes elements of kind int, uint or bool}}
  %y = "anvl.xor"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @maximum_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{maximum: operand is tensor<2xcomplex<f32>>; it takes elements of kind}}
  %y = "anvl.maximum"(%x, %x)
      : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @sub_takes_two(%x: tensor<2xf32>) {
  // expected-error @+1 {{sub: takes 2 operands, got 1}}
  %y = "anvl.sub"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @neg_takes_one(%x: tensor<2xf32>) {
  // expected-error @+1 {{neg: takes 1 operand, got 2}}
  %y = "anvl.neg"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @exp_has_one_result(%x: tensor<2xf32>) {
  // expected-error @+1 {{exp: must have one result, got 2}}
  %y:2 = "anvl.exp"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @tanh_of_another_result_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{tanh: result is tensor<3xf32> but the operands give tensor<2xf32>}}
  %y = "anvl.tanh"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cos_of_no_tensor(%x: f32) {
  // expected-error @+1 {{cos: operands and results must be tensors of static shape, got f32}}
  %y = "anvl.cos"(%x) : (f32) -> f32
  return
}

// -----

func.func @sqrt_of_an_unknown_shape(%x: tensor<?xf32>) {
  // expected-error @+1 {{sqrt: operands and results must be tensors of static shape, got tensor<?xf32>}}
  %y = "anvl.sqrt"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @log_of_indices(%x: tensor<2xindex>) {
  // expected-error @+1 {{log: operands and results must be tensors of bool, i4, i8, i16, i32, i64, ui4, ui8, ui16, ui32, ui64, f8E4M3FN, f8E5M2, f16, bf16, f32, f64, c64, c128, got tensor<2xindex>}}
  %y = "anvl.log"(%x) : (tensor<2xindex>) -> tensor<2xindex>
  return
}

// -----

func.func @stop_gradient_is_of_the_same_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{stop_gradient: result is tensor<2xf64> but the operands give tensor<2xf32>}}
  %y = "anvl.stop_gradient"(%x) : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @tag_without_a_name(%x: tensor<2xf32>) {
  // expected-error @+1 {{tag: label is ''; give the value a name}}
  %y = "anvl.tag"(%x) {label = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @tag_is_of_the_same_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{tag: result is tensor<2xf64> but the operands give tensor<2xf32>}}
  %y = "anvl.tag"(%x) {label = "x"} : (tensor<2xf32>) -> tensor<2xf64>
  return
}
