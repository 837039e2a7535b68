// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of linear algebra.

func.func @cholesky_of_a_vector(%x: tensor<2xf64>) {
  // expected-error @+1 {{cholesky: operand is tensor<2xf64>; a stack of matrices has at least 2 axes}}
  %y = "anvl.cholesky"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @cholesky_not_square(%x: tensor<2x3xf64>) {
  // expected-error @+1 {{cholesky: operand is tensor<2x3xf64>; its last two axes must have the same size}}
  %y = "anvl.cholesky"(%x) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @cholesky_of_integers(%x: tensor<2x2xi32>) {
  // expected-error @+1 {{cholesky: operand is tensor<2x2xi32>; it takes f32, f64, c64 or c128, convert it first}}
  %y = "anvl.cholesky"(%x) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @cholesky_result(%x: tensor<2x2xf64>) {
  // expected-error @+1 {{cholesky: result is tensor<2x2xf32> but the operands give tensor<2x2xf64>}}
  %y = "anvl.cholesky"(%x) : (tensor<2x2xf64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @triangular_solve_dtypes(%a: tensor<2x2xf64>, %b: tensor<2x2xf32>) {
  // expected-error @+1 {{triangular_solve: operands differ in dtype: tensor<2x2xf64>, tensor<2x2xf32>; convert them to one first}}
  %x = "anvl.triangular_solve"(%a, %b) {transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @triangular_solve_not_square(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) {
  // expected-error @+1 {{triangular_solve: operand is tensor<2x3xf64>; its last two axes must have the same size}}
  %x = "anvl.triangular_solve"(%a, %b) {transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return
}

// -----

func.func @triangular_solve_stacks(%a: tensor<4x2x2xf64>, %b: tensor<2x2xf64>) {
  // expected-error @+1 {{triangular_solve: operands tensor<4x2x2xf64> and tensor<2x2xf64> must have the same axes before the last two; broadcast them first}}
  %x = "anvl.triangular_solve"(%a, %b) {transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<4x2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return
}

// -----

func.func @triangular_solve_of_a_vector(%a: tensor<2x2xf64>, %b: tensor<2xf64>) {
  // expected-error @+1 {{triangular_solve: operand is tensor<2xf64>; a stack of matrices has at least 2 axes}}
  %x = "anvl.triangular_solve"(%a, %b) {transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @triangular_solve_rows(%a: tensor<2x2xf64>, %b: tensor<3x2xf64>) {
  // expected-error @+1 {{triangular_solve: axis 0 of tensor<3x2xf64> has size 3 but the matrices are tensor<2x2xf64>}}
  %x = "anvl.triangular_solve"(%a, %b) {left_side = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return
}

// -----

func.func @triangular_solve_columns(%a: tensor<2x2xf64>, %b: tensor<2x3xf64>) {
  // expected-error @+1 {{triangular_solve: axis 1 of tensor<2x3xf64> has size 3 but the matrices are tensor<2x2xf64>}}
  %x = "anvl.triangular_solve"(%a, %b) {transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @triangular_solve_form(%a: tensor<2x2xf64>, %b: tensor<2x2xf64>) {
  // expected-error @+1 {{triangular_solve: attribute `transpose_a`: expected #stablehlo<transpose ...>, one of NO_TRANSPOSE, TRANSPOSE, ADJOINT, got true}}
  %x = "anvl.triangular_solve"(%a, %b) {transpose_a = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return
}

// -----

func.func @lu_pivots(%x: tensor<3x2xf64>) {
  // expected-error @+1 {{lu: result is tensor<3x2xf64>, tensor<3xi32>, tensor<3xi32> but the operands give tensor<3x2xf64>, tensor<2xi32>, tensor<3xi32>}}
  %y:3 = "anvl.lu"(%x) : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3xi32>, tensor<3xi32>)
  return
}

// -----

func.func @qr_full(%x: tensor<3x2xf64>) {
  // expected-error @+1 {{qr: result is tensor<3x2xf64>, tensor<2x2xf64> but the operands give tensor<3x3xf64>, tensor<3x2xf64>}}
  %y:2 = "anvl.qr"(%x) {full_matrices = true} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2x2xf64>)
  return
}

// -----

func.func @svd_flag(%x: tensor<3x2xf64>) {
  // expected-error @+1 {{svd: attribute `full_matrices`: expected true or false, got 1 : i64}}
  %y:3 = "anvl.svd"(%x) {full_matrices = 1 : i64} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2x2xf64>)
  return
}

// -----

func.func @svd_of_half(%x: tensor<3x2xf16>) {
  // expected-error @+1 {{svd: operand is tensor<3x2xf16>; it takes f32, f64, c64 or c128, convert it first}}
  %y:3 = "anvl.svd"(%x) : (tensor<3x2xf16>) -> (tensor<3x2xf16>, tensor<2xf16>, tensor<2x2xf16>)
  return
}

// -----

func.func @eigh_not_square(%x: tensor<3x2xf64>) {
  // expected-error @+1 {{eigh: operand is tensor<3x2xf64>; its last two axes must have the same size}}
  %y:2 = "anvl.eigh"(%x) : (tensor<3x2xf64>) -> (tensor<3xf64>, tensor<3x2xf64>)
  return
}

// -----

func.func @eig_of_reals_is_complex(%x: tensor<2x2xf64>) {
  // expected-error @+1 {{eig: result is tensor<2xf64>, tensor<2x2xf64> but the operands give tensor<2xcomplex<f64>>, tensor<2x2xcomplex<f64>>}}
  %y:2 = "anvl.eig"(%x) : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2x2xf64>)
  return
}

// -----

func.func @solve_rows(%a: tensor<2x2xf64>, %b: tensor<3x1xf64>) {
  // expected-error @+1 {{solve: axis 0 of tensor<3x1xf64> has size 3 but the matrices are tensor<2x2xf64>}}
  %x = "anvl.solve"(%a, %b) {transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  return
}

// -----

func.func @det_not_square(%x: tensor<2x3xf64>) {
  // expected-error @+1 {{det: operand is tensor<2x3xf64>; its last two axes must have the same size}}
  %y = "anvl.det"(%x) : (tensor<2x3xf64>) -> tensor<f64>
  return
}

// -----

func.func @slogdet_of_complex_is_real(%x: tensor<2x2xcomplex<f64>>) {
  // expected-error @+1 {{slogdet: result is tensor<complex<f64>>, tensor<complex<f64>> but the operands give tensor<complex<f64>>, tensor<f64>}}
  %y:2 = "anvl.slogdet"(%x) : (tensor<2x2xcomplex<f64>>) -> (tensor<complex<f64>>, tensor<complex<f64>>)
  return
}

// -----

func.func @eigvals_of_a_real_matrix_are_complex(%x: tensor<2x2xf64>) {
  // expected-error @+1 {{eigvals: result is tensor<2xf64> but the operands give tensor<2xcomplex<f64>>}}
  %w = "anvl.eigvals"(%x) : (tensor<2x2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @eigvalsh_not_square(%x: tensor<2x3xf64>) {
  // expected-error @+1 {{eigvalsh: operand is tensor<2x3xf64>; its last two axes must have the same size}}
  %w = "anvl.eigvalsh"(%x) : (tensor<2x3xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @svdvals_of_a_vector(%x: tensor<3xf64>) {
  // expected-error @+1 {{svdvals: operand is tensor<3xf64>; a stack of matrices has at least 2 axes}}
  %s = "anvl.svdvals"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @pinv_turns_the_matrix(%x: tensor<3x2xf64>) {
  // expected-error @+1 {{pinv: result is tensor<3x2xf64> but the operands give tensor<2x3xf64>}}
  %y = "anvl.pinv"(%x) {rcond = 1.0e-9 : f64} : (tensor<3x2xf64>) -> tensor<3x2xf64>
  return
}

// -----

func.func @pinv_move_of_another_type(%x: tensor<3x2xf64>, %c: tensor<2x3xf64>) {
  // expected-error @+1 {{pinv_move: operands differ in type: tensor<3x2xf64>, tensor<2x3xf64>}}
  %w = "anvl.pinv_move"(%x, %c) {rcond = 1.0e-9 : f64} : (tensor<3x2xf64>, tensor<2x3xf64>) -> tensor<3x2xf64>
  return
}

// -----

func.func @nuclear_norm_of_a_vector(%x: tensor<2xf32>) {
  // expected-error @+1 {{nuclear_norm: operand is tensor<2xf32>; a stack of matrices has at least 2 axes}}
  %y = "anvl.nuclear_norm"(%x) : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @cofactors_of_a_wide_matrix(%x: tensor<2x3xf64>) {
  // expected-error @+1 {{cofactors: operand is tensor<2x3xf64>; its last two axes must have the same size}}
  %y = "anvl.cofactors"(%x) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}
