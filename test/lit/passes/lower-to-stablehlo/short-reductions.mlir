// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo --trivial-dce | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo --trivial-dce \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// XLA:CPU calls a routine for each reduction of a large array, which costs more than to combine two
// to four elements: these become ops of slices (Note [Reductions of few elements]).

// CHECK-LABEL: func.func @lengths(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2100x2xf32>
// CHECK:         %[[ZERO:.*]] = stablehlo.broadcast_in_dim
// CHECK:         %[[FIRST:.*]] = stablehlo.slice %[[X]] [0:2100, 0:1]
// CHECK:         %[[A:.*]] = stablehlo.reshape %[[FIRST]]
// CHECK:         %[[SUM:.*]] = stablehlo.add %[[ZERO]], %[[A]]
// CHECK:         %[[SECOND:.*]] = stablehlo.slice %[[X]] [0:2100, 1:2]
// CHECK:         %[[B:.*]] = stablehlo.reshape %[[SECOND]]
// CHECK:         %[[Y:.*]] = stablehlo.add %[[SUM]], %[[B]]
// CHECK:         return %[[Y]]
// CUDA-LABEL:  func.func @lengths(
// CUDA:          stablehlo.reduce(
func.func @lengths(%x: tensor<2100x2xf32>) -> tensor<2100xf32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<2100x2xf32>) -> tensor<2100xf32>
  return %y : tensor<2100xf32>
}

// Such a maximum is NaN where an element is, and needs no guard.

// CHECK-LABEL: func.func @pool(
// CHECK-NOT:     stablehlo.reduce(
// CHECK-COUNT-4: stablehlo.maximum
// CHECK-NOT:     stablehlo.compare
// CHECK:         return
func.func @pool(%x: tensor<20x2x20x2xf32>) -> tensor<20x20xf32> {
  %y = "anvl.max"(%x) {axes = array<i64: 1, 3>} : (tensor<20x2x20x2xf32>) -> tensor<20x20xf32>
  return %y : tensor<20x20xf32>
}

// CHECK-LABEL: func.func @of_five(
// CHECK:         stablehlo.reduce(
func.func @of_five(%x: tensor<900x5xf32>) -> tensor<900xf32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<900x5xf32>) -> tensor<900xf32>
  return %y : tensor<900xf32>
}

// A mask that is counted, as in the derivative of a pool, is made of slices of what it compares.

// CHECK-LABEL: func.func @ties(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2100x2xf32>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<2100xf32>
// CHECK-NOT:     tensor<2100x2xi1>
// CHECK:         stablehlo.slice %[[X]] [0:2100, 0:1]
// CHECK:         stablehlo.compare EQ, %{{.*}}, %[[Y]]
// CHECK:         stablehlo.slice %[[X]] [0:2100, 1:2]
// CHECK:         stablehlo.compare EQ, %{{.*}}, %[[Y]]
// CHECK:         return
func.func @ties(%x: tensor<2100x2xf32>, %y: tensor<2100xf32>) -> tensor<2100xf32> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<2100x2xf32>} : () -> tensor<2100x2xf32>
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<2100x2xf32>} : () -> tensor<2100x2xf32>
  %z = "anvl.broadcast_in_dim"(%y) {broadcast_dimensions = array<i64: 0>}
    : (tensor<2100xf32>) -> tensor<2100x2xf32>
  %won = "anvl.compare"(%x, %z) {comparison_direction = #stablehlo<comparison_direction EQ>}
    : (tensor<2100x2xf32>, tensor<2100x2xf32>) -> tensor<2100x2xi1>
  %counted = "anvl.select"(%won, %one, %zero)
    : (tensor<2100x2xi1>, tensor<2100x2xf32>, tensor<2100x2xf32>) -> tensor<2100x2xf32>
  %n = "anvl.sum"(%counted) {axes = array<i64: 1>} : (tensor<2100x2xf32>) -> tensor<2100xf32>
  return %n : tensor<2100xf32>
}

// What a loop reads, and the ops around it, too, is stored in any case: no reader computes it anew.

// CHECK-LABEL: func.func @read_by_a_loop(
// CHECK:         %[[Y:.*]] = stablehlo.reduce(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.add %{{.*}}, %[[Y]]
func.func @read_by_a_loop(%x: tensor<2100x2xf32>) -> (tensor<2100xf32>, tensor<2100xf32>) {
  %y = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<2100x2xf32>) -> tensor<2100xf32>
  %z = stablehlo.while(%i = %y) : tensor<2100xf32>
  cond {
    %0 = "anvl.sum"(%i) {axes = array<i64: 0>} : (tensor<2100xf32>) -> tensor<f32>
    %1 = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %2 = "anvl.compare"(%0, %1) {comparison_direction = #stablehlo<comparison_direction LT>}
      : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %0 = "anvl.add"(%i, %y) : (tensor<2100xf32>, tensor<2100xf32>) -> tensor<2100xf32>
    stablehlo.return %0 : tensor<2100xf32>
  }
  %w = "anvl.sin"(%y) : (tensor<2100xf32>) -> tensor<2100xf32>
  return %z, %w : tensor<2100xf32>, tensor<2100xf32>
}

// CHECK-LABEL: func.func @read_by_a_loop_alone(
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         stablehlo.while
func.func @read_by_a_loop_alone(%x: tensor<2100x2xf32>) -> tensor<2100xf32> {
  %y = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<2100x2xf32>) -> tensor<2100xf32>
  %z = stablehlo.while(%i = %y) : tensor<2100xf32>
  cond {
    %0 = "anvl.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  } do {
    %0 = "anvl.sin"(%i) : (tensor<2100xf32>) -> tensor<2100xf32>
    stablehlo.return %0 : tensor<2100xf32>
  }
  return %z : tensor<2100xf32>
}
