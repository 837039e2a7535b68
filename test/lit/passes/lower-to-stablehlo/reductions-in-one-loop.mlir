// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo=platform=cuda \
// RUN:   | filecheck %s --check-prefix=CUDA

// XLA:CPU would make two kernels of a small reduction: the attribute has it compile one loop (Note
// [Reductions in one loop]).

// CUDA-NOT:   anvl.reductions_in_one_loop
// CUDA:       func.func @sum(

// CHECK:       module attributes {anvl.reductions_in_one_loop} {
// CHECK-LABEL: func.func @sum(
func.func @sum(%x: tensor<48xf32>) -> tensor<f32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<48xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// It divides none of up to 32 elements.

// CHECK:       module {
// CHECK-LABEL: func.func @window(
func.func @window(%x: tensor<32xf32>) -> tensor<f32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<32xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Many numbers are added up in short sums.

// CHECK:       module {
// CHECK-LABEL: func.func @long_sum(
func.func @long_sum(%x: tensor<4097xf32>) -> tensor<f32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<4097xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// CHECK:       module attributes {anvl.reductions_in_one_loop} {
// CHECK-LABEL: func.func @many_bools(
// CUDA-NOT:    anvl.reductions_in_one_loop
// CUDA-LABEL:  func.func @many_bools(
func.func @many_bools(%x: tensor<4097xi1>) -> tensor<i1> {
  %y = "anvl.any"(%x) {axes = array<i64: 0>} : (tensor<4097xi1>) -> tensor<i1>
  return %y : tensor<i1>
}

// -----

// XLA makes a reduction of a product of vectors: here there is a long one beside a short one.

// CHECK:       module {
// CHECK-LABEL: func.func @long_product(
func.func @long_product(%x: tensor<4097xf32>, %y: tensor<48xf32>) -> (tensor<f32>, tensor<f32>) {
  %z = "anvl.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<
    lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}
    : (tensor<4097xf32>, tensor<4097xf32>) -> tensor<f32>
  %s = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<48xf32>) -> tensor<f32>
  return %z, %s : tensor<f32>, tensor<f32>
}

// -----

// The long sum is YNNPACK's; the maximum of its results is left whole.

// CHECK:       module attributes {anvl.reductions_in_one_loop} {
// CHECK-LABEL: func.func @sum_of_a_library(
func.func @sum_of_a_library(%x: tensor<5000x50xf32>) -> tensor<f32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<5000x50xf32>) -> tensor<50xf32>
  %z = "anvl.max"(%y) {axes = array<i64: 0>} : (tensor<50xf32>) -> tensor<f32>
  return %z : tensor<f32>
}
