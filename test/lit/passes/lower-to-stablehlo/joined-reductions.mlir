// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo="platform=cuda" | filecheck %s --check-prefix=CUDA

// Reductions of small arrays of one shape, which share a function: one loop, at the first of them.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[E:.*]] = stablehlo.exponential
// CHECK:         %[[P:.*]] = stablehlo.multiply %[[E]]
// CHECK:         %[[R:.*]]:2 = stablehlo.reduce(%[[E]] init: %{{.*}}), (%[[P]] init: %{{.*}}) across dimensions = [0]
// CHECK:           %[[S:.*]] = stablehlo.add
// CHECK:           %[[M:.*]] = stablehlo.maximum
// CHECK:           stablehlo.return %[[S]], %[[M]]
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         %[[L:.*]] = stablehlo.log %[[R]]#0
// CHECK:         return %[[L]], %[[R]]#1
// CUDA-LABEL: func.func @main(
// CUDA-COUNT-2: stablehlo.reduce(
func.func @main(%x: tensor<20xf32>) -> (tensor<f32>, tensor<f32>) {
  %e = "anvl.exp"(%x) : (tensor<20xf32>) -> tensor<20xf32>
  %sum = "anvl.sum"(%e) {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  %log = "anvl.log"(%sum) : (tensor<f32>) -> tensor<f32>
  %p = "anvl.mul"(%e, %x) : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
  %max = "anvl.max"(%p) {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  return %log, %max : tensor<f32>, tensor<f32>
}

// -----

// One that depends on the other, and one along another axis, stay.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-3: = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies
func.func @main(%x: tensor<4x5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  %e = "anvl.exp"(%x) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %sum = "anvl.sum"(%e) {axes = array<i64: 1>} : (tensor<4x5xf32>) -> tensor<4xf32>
  %all = "anvl.broadcast_in_dim"(%sum) {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x5xf32>
  %p = "anvl.mul"(%e, %all) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %of_both = "anvl.sum"(%p) {axes = array<i64: 1>} : (tensor<4x5xf32>) -> tensor<4xf32>
  %other = "anvl.sum"(%e) {axes = array<i64: 0>} : (tensor<4x5xf32>) -> tensor<5xf32>
  return %of_both, %other : tensor<4xf32>, tensor<5xf32>
}

// -----

// Those that share no function, sums of f16, and those of more than 512 elements stay.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-6: = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies
func.func @main(%x: tensor<20xf32>, %y: tensor<20xf16>, %z: tensor<513xf32>) -> (tensor<f32>, tensor<f32>, tensor<f16>, tensor<f16>, tensor<f32>, tensor<f32>) {
  %a = "anvl.mul"(%x, %x) : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
  %a1 = "anvl.sum"(%a) {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  %a2 = "anvl.max"(%a) {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  %b = "anvl.exp"(%y) : (tensor<20xf16>) -> tensor<20xf16>
  %b1 = "anvl.sum"(%b) {axes = array<i64: 0>} : (tensor<20xf16>) -> tensor<f16>
  %b2 = "anvl.max"(%b) {axes = array<i64: 0>} : (tensor<20xf16>) -> tensor<f16>
  %c = "anvl.exp"(%z) : (tensor<513xf32>) -> tensor<513xf32>
  %c1 = "anvl.sum"(%c) {axes = array<i64: 0>} : (tensor<513xf32>) -> tensor<f32>
  %c2 = "anvl.max"(%c) {axes = array<i64: 0>} : (tensor<513xf32>) -> tensor<f32>
  return %a1, %a2, %b1, %b2, %c1, %c2 : tensor<f32>, tensor<f32>, tensor<f16>, tensor<f16>, tensor<f32>, tensor<f32>
}

// -----

// Of more, those that share a sine, which is a call for each element in any case: up to 4,095, as
// YNNPACK adds up those from 4,096 on.
// CHECK-LABEL: func.func @main(
// CHECK:         = stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<4095xf32>
// CHECK-COUNT-2: = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies
func.func @main(%x: tensor<4095xf32>, %y: tensor<4096xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = "anvl.sin"(%x) : (tensor<4095xf32>) -> tensor<4095xf32>
  %a1 = "anvl.sum"(%a) {axes = array<i64: 0>} : (tensor<4095xf32>) -> tensor<f32>
  %p = "anvl.mul"(%a, %x) : (tensor<4095xf32>, tensor<4095xf32>) -> tensor<4095xf32>
  %a2 = "anvl.sum"(%p) {axes = array<i64: 0>} : (tensor<4095xf32>) -> tensor<f32>
  %b = "anvl.sin"(%y) : (tensor<4096xf32>) -> tensor<4096xf32>
  %b1 = "anvl.sum"(%b) {axes = array<i64: 0>} : (tensor<4096xf32>) -> tensor<f32>
  %q = "anvl.mul"(%b, %y) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %b2 = "anvl.sum"(%q) {axes = array<i64: 0>} : (tensor<4096xf32>) -> tensor<f32>
  return %a1, %a2, %b1, %b2 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// In a program with an effect nothing moves, and so nothing is joined.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies
func.func @main(%x: tensor<20xf32>) -> (tensor<f32>, tensor<f32>) {
  %e = "anvl.exp"(%x) : (tensor<20xf32>) -> tensor<20xf32>
  %sum = "anvl.sum"(%e) {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  stablehlo.custom_call @say(%sum) {has_side_effect = true} : (tensor<f32>) -> ()
  %max = "anvl.max"(%e) {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  return %sum, %max : tensor<f32>, tensor<f32>
}

// -----

// Nor over a mesh.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies
func.func @main(%x: tensor<20xf32> {anvl.sharding = "x=2;x"}) -> (tensor<f32>, tensor<f32>) {
  %e = "anvl.exp"(%x) : (tensor<20xf32>) -> tensor<20xf32>
  %sum = "anvl.sum"(%e) {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  %max = "anvl.max"(%e) {axes = array<i64: 0>} : (tensor<20xf32>) -> tensor<f32>
  return %sum, %max : tensor<f32>, tensor<f32>
}
