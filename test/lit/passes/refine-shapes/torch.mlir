// RUN: anvl-opt %s --anvl-refine-shapes="function=main types=tensor<2x3x2xf32>" | filecheck %s
// RUN: anvl-opt %s --anvl-refine-shapes="function=main types=tensor<2x3x2xf32>" \
// RUN:   | %run --args="[[[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]]" | %numbers %s
// RUN: anvl-opt %s --anvl-refine-shapes="function=assumed types=tensor<3xf32>,tensor<1xf32>" \
// RUN:   | filecheck %s --check-prefix=ASSUMED

// torch-mlir computes sizes by ops of `shape`, `tensor` and `arith`, on integers of 64 bits too.
// All of these go.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      -> tensor<6x2xf32>
// CHECK-NOT:     tensor<?
// CHECK-NOT:     {{shape|arith|tensor}}.{{[a-z]}}
// CHECK:         return

// NUMBERS: f32[6,2] 0.0 3.0 2.0 5.0 4.0 7.0 6.0 9.0 8.0 11.0 10.0 13.0
func.func @main(%x: tensor<?x3x2xf32>) -> tensor<?x2xf32> {
  %two = stablehlo.constant dense<[0.0, 2.0]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i64
  %inner = arith.constant 2 : i64
  %n = tensor.dim %x, %c0 : tensor<?x3x2xf32>
  %wide = arith.index_cast %n : index to i64
  %rows = arith.muli %wide, %three : i64
  %sizes = tensor.from_elements %rows, %inner : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %sizes : (tensor<?x3x2xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  %1 = shape.shape_of %0 : tensor<?x2xf32> -> tensor<2xindex>
  %2 = shape.const_shape [2] : tensor<1xindex>
  %3 = shape.const_shape [1, 1] : tensor<2xindex>
  %4 = shape.broadcast %2, %3, %1 : tensor<1xindex>, tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
  %5 = stablehlo.dynamic_broadcast_in_dim %0, %4, dims = [0, 1]
    : (tensor<?x2xf32>, tensor<2xindex>) -> tensor<?x2xf32>
  %6 = stablehlo.dynamic_broadcast_in_dim %two, %4, dims = [1]
    : (tensor<2xf32>, tensor<2xindex>) -> tensor<?x2xf32>
  %7 = stablehlo.add %5, %6 : tensor<?x2xf32>
  return %7 : tensor<?x2xf32>
}

// ASSUMED-LABEL: func.func @assumed(
// ASSUMED-SAME:      -> tensor<3xf32>
// ASSUMED-NOT:     shape.
// ASSUMED:         stablehlo.add
func.func @assumed(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>
  %1 = shape.shape_of %y : tensor<?xf32> -> tensor<1xindex>
  %fits = shape.cstr_broadcastable %0, %1 : tensor<1xindex>, tensor<1xindex>
  %2 = shape.assuming %fits -> (tensor<?xf32>) {
    %3 = shape.broadcast %0, %1 : tensor<1xindex>, tensor<1xindex> -> tensor<1xindex>
    %4 = stablehlo.dynamic_broadcast_in_dim %x, %3, dims = [0]
      : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
    %5 = stablehlo.dynamic_broadcast_in_dim %y, %3, dims = [0]
      : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
    %6 = stablehlo.add %4, %5 : tensor<?xf32>
    shape.assuming_yield %6 : tensor<?xf32>
  }
  return %2 : tensor<?xf32>
}
