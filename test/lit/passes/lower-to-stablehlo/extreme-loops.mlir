// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// A maximum of 32,768 elements and more is a loop that looks for NaN, which XLA's library for the
// CPU ignores (Note [Extremes in one loop]).

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4000x10xf32>
// CHECK:         %[[IS_NAN:.*]] = stablehlo.compare NE, %[[X]], %[[X]]
// CHECK:         %[[LOOP:.*]]:2 = stablehlo.reduce(%[[X]] init: %{{.*}}), (%[[IS_NAN]] init: %{{.*}}) across dimensions = [1]
// CHECK:           stablehlo.maximum
// CHECK-NEXT:      stablehlo.or
// CHECK:         %[[NAN:.*]] = stablehlo.constant dense<0x7FC00000>
// CHECK-NEXT:    stablehlo.select %[[LOOP]]#1, %[[NAN]], %[[LOOP]]#0
// CUDA-LABEL:  func.func @rows(
// CUDA-NOT:      stablehlo.select
// CUDA:          return
func.func @rows(%x: tensor<4000x10xf32>) -> tensor<4000xf32> {
  %y = "anvl.max"(%x) {axes = array<i64: 1>} : (tensor<4000x10xf32>) -> tensor<4000xf32>
  return %y : tensor<4000xf32>
}

// Along another axis than the last, it is taken in steps of 8 to 16.

// CHECK-LABEL: func.func @columns(
// CHECK:         stablehlo.reshape %{{.*}} : (tensor<4x50x300xf32>) -> tensor<4x5x10x300xf32>
// CHECK:         %[[FIRST:.*]]:2 = stablehlo.reduce({{.*}} across dimensions = [2]
// CHECK:           stablehlo.minimum
// CHECK:         stablehlo.reshape %[[FIRST]]#0 : (tensor<4x5x300xf32>) -> tensor<4x1x5x300xf32>
// CHECK:         stablehlo.reduce({{.*}} across dimensions = [2]
// CHECK:         stablehlo.select
func.func @columns(%x: tensor<4x50x300xf32>) -> tensor<4x300xf32> {
  %y = "anvl.min"(%x) {axes = array<i64: 1>} : (tensor<4x50x300xf32>) -> tensor<4x300xf32>
  return %y : tensor<4x300xf32>
}

// Without such a divisor, in other dtypes, and where axes between stay, a sum looks for NaN.

// CHECK-LABEL: func.func @prime(
// CHECK:         stablehlo.reduce{{.*}} applies stablehlo.add
// CHECK:         stablehlo.reduce{{.*}} applies stablehlo.maximum
// CHECK-LABEL: func.func @narrow(
// CHECK:         stablehlo.reduce{{.*}} applies stablehlo.add
// CHECK-LABEL: func.func @between(
// CHECK:         stablehlo.reduce{{.*}} applies stablehlo.add
func.func @prime(%x: tensor<97x400xf32>) -> tensor<400xf32> {
  %y = "anvl.max"(%x) {axes = array<i64: 0>} : (tensor<97x400xf32>) -> tensor<400xf32>
  return %y : tensor<400xf32>
}
func.func @narrow(%x: tensor<400x100xbf16>) -> tensor<400xbf16> {
  %y = "anvl.max"(%x) {axes = array<i64: 1>} : (tensor<400x100xbf16>) -> tensor<400xbf16>
  return %y : tensor<400xbf16>
}
func.func @between(%x: tensor<8x100x50xf32>) -> tensor<100xf32> {
  %y = "anvl.max"(%x) {axes = array<i64: 0, 2>} : (tensor<8x100x50xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}
