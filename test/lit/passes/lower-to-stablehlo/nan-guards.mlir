// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// A softmax is NaN by its sum of exponentials, and its divisor is at most the number of elements:
// neither this guard nor that of large divisors writes anything.

// CHECK-LABEL: func.func private @softmax(
// CHECK:         stablehlo.reduce{{.*}} applies stablehlo.maximum{{.*}} {anvl.ignores_nan = true}
// CHECK-NEXT:    stablehlo.broadcast_in_dim
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
