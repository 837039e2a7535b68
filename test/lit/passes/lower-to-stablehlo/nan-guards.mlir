// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// A softmax is NaN by its sum of exponentials, and its divisor is at most the number of elements:
// neither this guard nor that of large divisors writes anything. The largest number, where an
// element is infinite, is the softmax's own; all of it is one call of XLA's library.

// CHECK-LABEL: func.func private @softmax(
// CHECK:         %[[TOP:.*]] = stablehlo.reduce{{.*}} applies stablehlo.maximum{{.*}} {anvl.ignores_nan = true}
// CHECK-NEXT:    %[[LARGEST:.*]] = stablehlo.constant dense<3.40282347E+38>
// CHECK-NEXT:    %[[FINITE:.*]] = stablehlo.minimum %[[TOP]], %[[LARGEST]] {anvl.ignores_nan = true}
// CHECK-NEXT:    stablehlo.broadcast_in_dim %[[FINITE]]
// CHECK:         stablehlo.divide %{{.*}} {anvl.small_divisor = true}
// CHECK-NEXT:    return
func.func @shares(%x: tensor<70x90xf32>) -> tensor<70x90xf32> {
  %y = "anvl.softmax"(%x) {axes = array<i64: 1>} : (tensor<70x90xf32>) -> tensor<70x90xf32>
  return %y : tensor<70x90xf32>
}

// XLA:CPU loses NaN in large reductions by maximum, so a sum of absolute values finds it (Note [NaN
// in large reductions]).

// CHECK-LABEL: func.func @largest(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<5000xf32>
// CHECK:         %[[SIZES:.*]] = stablehlo.abs %[[X]]
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(%[[SIZES]] init: %{{.*}}) applies stablehlo.add
// CHECK:         %[[LARGEST:.*]] = stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.maximum
// CHECK:         %[[IS_NAN:.*]] = stablehlo.compare NE, %[[SUM]], %[[SUM]]
// CHECK:         stablehlo.select %[[IS_NAN]], %[[SUM]], %[[LARGEST]]
// CUDA-LABEL:  func.func @largest(
// CUDA-NOT:      stablehlo.select
// CUDA:          return
func.func @largest(%x: tensor<5000xf32>) -> tensor<f32> {
  %y = "anvl.max"(%x) {axes = array<i64: 0>} : (tensor<5000xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// So do elementwise maxima that make the elements of a large reduction, or read its results (Note
// [NaN in fused maxima]).

// CHECK-LABEL: func.func @sum_of_maxima(
// CHECK:         %[[LARGER:.*]] = stablehlo.maximum
// CHECK:         %[[HIDDEN:.*]] = stablehlo.reduce_precision %[[LARGER]]
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         stablehlo.reduce(%[[HIDDEN]]
// CUDA-LABEL:  func.func @sum_of_maxima(
// CUDA-NOT:      stablehlo.reduce_precision
// CUDA:          return
func.func @sum_of_maxima(%x: tensor<60x90xf32>, %y: tensor<60x90xf32>) -> tensor<60xf32> {
  %z = "anvl.maximum"(%x, %y) : (tensor<60x90xf32>, tensor<60x90xf32>) -> tensor<60x90xf32>
  %sum = "anvl.sum"(%z) {axes = array<i64: 1>} : (tensor<60x90xf32>) -> tensor<60xf32>
  return %sum : tensor<60xf32>
}

// CHECK-LABEL: func.func @maxima_of_sums(
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(
// CHECK:         %[[ROOT:.*]] = stablehlo.sqrt %[[SUM]]
// CHECK:         %[[HIDDEN:.*]] = stablehlo.reduce_precision %[[ROOT]]
// CHECK:         %[[LARGER:.*]] = stablehlo.maximum %[[HIDDEN]], %arg1
// CHECK:         stablehlo.reduce_precision %[[LARGER]]
// CHECK-NEXT:    return
func.func @maxima_of_sums(%arg0: tensor<5000x9xf32>, %arg1: tensor<5000xf32>) -> tensor<5000xf32> {
  %sum = "anvl.sum"(%arg0) {axes = array<i64: 1>} : (tensor<5000x9xf32>) -> tensor<5000xf32>
  %root = "anvl.sqrt"(%sum) : (tensor<5000xf32>) -> tensor<5000xf32>
  %z = "anvl.maximum"(%root, %arg1) : (tensor<5000xf32>, tensor<5000xf32>) -> tensor<5000xf32>
  return %z : tensor<5000xf32>
}

// From jaxlib 0.12 on, XLA hands over sines, cosines and tangents as well.

// CHECK-LABEL: func.func @maxima_of_waves(
// CHECK:         %[[WAVE:.*]] = stablehlo.sine
// CHECK-NEXT:    %[[HIDDEN:.*]] = stablehlo.reduce_precision %[[WAVE]]
// CHECK-NEXT:    stablehlo.maximum %[[HIDDEN]], %arg1
func.func @maxima_of_waves(%arg0: tensor<5000x9xf32>, %arg1: tensor<5000xf32>) -> tensor<5000xf32> {
  %sum = "anvl.sum"(%arg0) {axes = array<i64: 1>} : (tensor<5000x9xf32>) -> tensor<5000xf32>
  %wave = "anvl.sin"(%sum) : (tensor<5000xf32>) -> tensor<5000xf32>
  %z = "anvl.maximum"(%wave, %arg1) : (tensor<5000xf32>, tensor<5000xf32>) -> tensor<5000xf32>
  return %z : tensor<5000xf32>
}
