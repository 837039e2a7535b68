// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo=platform=cuda \
// RUN:   | filecheck %s --check-prefix=CUDA

// XLA:CPU takes a condition on an outer axis out of the inner loop at LLVM's level 3 alone: the
// attribute has it compile at that level (Note [XLA's optimization level]).

// CUDA-NOT:   anvl.invariant_conditions
// CUDA:       func.func @border(

// CHECK:       module attributes {anvl.invariant_conditions} {
// CHECK-LABEL: func.func @border(
func.func @border(%x: tensor<63x64xf32>, %zero: tensor<f32>) -> tensor<64x64xf32> {
  %y = "anvl.pad"(%x, %zero) {edge_padding_low = array<i64: 1, 0>,
    edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}
    : (tensor<63x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Along the innermost axis elements are masked: an axis of one element is none.

// CHECK:       module {
// CHECK-LABEL: func.func @inner_border(
func.func @inner_border(%x: tensor<64x63x1xf32>, %zero: tensor<f32>) -> tensor<64x64x1xf32> {
  %y = "anvl.pad"(%x, %zero) {edge_padding_low = array<i64: 0, 1, 0>,
    edge_padding_high = array<i64: 0, 0, 0>, interior_padding = array<i64: 0, 0, 0>}
    : (tensor<64x63x1xf32>, tensor<f32>) -> tensor<64x64x1xf32>
  return %y : tensor<64x64x1xf32>
}

// -----

// CHECK:       module {
// CHECK-LABEL: func.func @few(
func.func @few(%x: tensor<63x63xf32>, %y: tensor<1x63xf32>) -> tensor<64x63xf32> {
  %z = stablehlo.concatenate %x, %y, dim = 0
    : (tensor<63x63xf32>, tensor<1x63xf32>) -> tensor<64x63xf32>
  return %z : tensor<64x63xf32>
}

// -----

// CHECK:       module attributes {anvl.invariant_conditions} {
// CHECK-LABEL: func.func @parts(
func.func @parts(%x: tensor<63x64xf32>, %y: tensor<1x64xf32>) -> tensor<64x64xf32> {
  %z = stablehlo.concatenate %x, %y, dim = 0
    : (tensor<63x64xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  return %z : tensor<64x64xf32>
}

// -----

// Rows need no sines where p is false.

// CHECK:       module attributes {anvl.invariant_conditions} {
// CHECK-LABEL: func.func @rows(
func.func @rows(%p: tensor<64xi1>, %x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %q = "anvl.broadcast_in_dim"(%p) {shape = array<i64: 64, 64>,
    broadcast_dimensions = array<i64: 0>} : (tensor<64xi1>) -> tensor<64x64xi1>
  %y = "anvl.sin"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = "anvl.mul"(%y, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = "anvl.select"(%q, %z, %x)
    : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

// -----

// Each element of a row has a flag of its own.

// CHECK:       module {
// CHECK-LABEL: func.func @columns(
func.func @columns(%p: tensor<64xi1>, %x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %q = "anvl.broadcast_in_dim"(%p) {shape = array<i64: 64, 64>,
    broadcast_dimensions = array<i64: 1>} : (tensor<64xi1>) -> tensor<64x64xi1>
  %y = "anvl.sin"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = "anvl.select"(%q, %y, %x)
    : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

// -----

// An absolute value takes no time.

// CHECK:       module {
// CHECK-LABEL: func.func @cheap(
func.func @cheap(%p: tensor<i1>, %x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = "anvl.abs"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = "anvl.select"(%p, %y, %x)
    : (tensor<i1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}
