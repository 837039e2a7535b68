// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// Ops on bits refuse floats.

func.func @not_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{not: operand is tensor<2xf32>; it takes elements of kind int, uint or bool}}
  %y = "anvl.not"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @popcnt_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{popcnt: operand is tensor<2xf32>; it takes elements of kind int or uint}}
  %y = "anvl.popcnt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @count_leading_zeros_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{count_leading_zeros: operand is tensor<2xf32>; it takes elements of kind int or uint}}
  %y = "anvl.count_leading_zeros"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @and_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{and: operand is tensor<2xf32>; it takes elements of kind int, uint or bool}}
  %y = "anvl.and"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @or_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{or: operand is tensor<2xf32>; it takes elements of kind int, uint or bool}}
  %y = "anvl.or"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @mulhi_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{mulhi: operand is tensor<2xf32>; it takes elements of kind int or uint}}
  %y = "anvl.mulhi"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @shift_left_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{shift_left: operand is tensor<2xf32>; it takes elements of kind int or uint}}
  %y = "anvl.shift_left"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @shift_right_logical_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{shift_right_logical: operand is tensor<2xf32>; it takes elements of kind int or uint}}
  %y = "anvl.shift_right_logical"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @shift_right_arithmetic_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{shift_right_arithmetic: operand is tensor<2xf32>; it takes elements of kind int or uint}}
  %y = "anvl.shift_right_arithmetic"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @ldexp_of_other_exponents(%x: tensor<2xf32>, %n: tensor<2xi64>) {
  // expected-error @+1 {{ldexp: the exponents are tensor<2xi64>; for tensor<2xf32> they are i32 of its shape}}
  %y = "anvl.ldexp"(%x, %n) : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @ldexp_of_complex_numbers(%x: tensor<2xcomplex<f32>>, %n: tensor<2xi32>) {
  // expected-error @+1 {{ldexp: operand is tensor<2xcomplex<f32>>; it takes elements of kind int, uint or float}}
  %y = "anvl.ldexp"(%x, %n) : (tensor<2xcomplex<f32>>, tensor<2xi32>) -> tensor<2xcomplex<f32>>
  return
}
