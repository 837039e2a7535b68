// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// A library call that adds up reads a factor as one more array, and cannot negate: both are applied
// to the sum (Note [Factors behind a sum]).

// CHECK-LABEL: func.func @doubled(
// CHECK:         %[[PRODUCT:.*]] = stablehlo.multiply %x, %y
// CHECK-NOT:     stablehlo.{{multiply|negate}}
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(%[[PRODUCT]] init:
// CHECK:         %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK:         %[[MINUS:.*]] = stablehlo.subtract %[[ZERO]], %[[SUM]]
// CHECK:         %[[FOUR:.*]] = stablehlo.constant dense<4.000000e+00> : tensor<64xf32>
// CHECK:         %[[Z:.*]] = stablehlo.multiply %[[MINUS]], %[[FOUR]]
// CHECK:         return %[[Z]]
// CUDA-LABEL:  func.func @doubled(
// CUDA:          %[[LAST:.*]] = stablehlo.multiply %{{.*}} : tensor<64x100xf32>
// CUDA:          stablehlo.reduce(%[[LAST]] init:
// CUDA:          return
func.func @doubled(%x: tensor<64x100xf32>, %y: tensor<64x100xf32>) -> tensor<64xf32> {
  %two = "anvl.constant"() {value = dense<2.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %0 = "anvl.mul"(%x, %y) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.mul"(%two, %0) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.neg"(%1) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.mul"(%2, %two) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %4 = "anvl.sum"(%3) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %4 : tensor<64xf32>
}

// What is negated in the kernel that makes it stays so; what others read is not written twice.

// CHECK-LABEL: func.func @negated(
// CHECK:         %[[SINE:.*]] = stablehlo.sine
// CHECK:         %[[MINUS:.*]] = stablehlo.negate %[[SINE]]
// CHECK:         stablehlo.reduce(%[[MINUS]] init:
// CHECK:         %[[TAN:.*]] = stablehlo.tan
// CHECK:         stablehlo.reduce(%[[TAN]] init:
// CHECK:         return
func.func @negated(%x: tensor<64x100xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64x100xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.neg"(%0) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  %3 = "anvl.tan"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %4 = "anvl.neg"(%3) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %5 = "anvl.sum"(%4) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %2, %5, %3 : tensor<64xf32>, tensor<64xf32>, tensor<64x100xf32>
}

// Without a sign it is applied where a loop reads the sum; as a result it would be a kernel more.

// CHECK-LABEL: func.func @read_in_a_loop(
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(%x init:
// CHECK:         %[[SCALED:.*]] = stablehlo.multiply %[[SUM]]
// CHECK:         %[[ROW:.*]] = stablehlo.reshape %[[SCALED]]
// CHECK:         stablehlo.subtract %y, %[[ROW]]
func.func @read_in_a_loop(%x: tensor<64x100xf32>, %y: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %two = "anvl.constant"() {value = dense<2.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %0 = "anvl.mul"(%x, %two) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.sum"(%0) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  %2 = "anvl.reshape"(%1) {shape = array<i64: 1, 64>} : (tensor<64xf32>) -> tensor<1x64xf32>
  %3 = "anvl.sub"(%y, %2) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  return %3 : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @returned(
// CHECK:         %[[DOUBLED:.*]] = stablehlo.multiply %x
// CHECK:         stablehlo.reduce(%[[DOUBLED]] init:
func.func @returned(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %two = "anvl.constant"() {value = dense<2.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %0 = "anvl.mul"(%x, %two) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.sum"(%0) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// Factors that are rounded, halves, which may underflow, and what others read stay.

// CHECK-LABEL:   func.func @kept(
// CHECK-COUNT-3:   stablehlo.multiply %{{.*}} : tensor<64x100xf32>
// CHECK-NOT:       stablehlo.multiply
// CHECK:           return
func.func @kept(%x: tensor<64x100xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x100xf32>) {
  %three = "anvl.constant"() {value = dense<3.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %half = "anvl.constant"() {value = dense<0.5> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %two = "anvl.constant"() {value = dense<2.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %0 = "anvl.mul"(%x, %three) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.sum"(%0) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  %2 = "anvl.mul"(%x, %half) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  %4 = "anvl.mul"(%x, %two) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %5 = "anvl.sum"(%4) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  %6 = "anvl.exp"(%1) : (tensor<64xf32>) -> tensor<64xf32>
  %7 = "anvl.exp"(%3) : (tensor<64xf32>) -> tensor<64xf32>
  %8 = "anvl.exp"(%5) : (tensor<64xf32>) -> tensor<64xf32>
  return %6, %7, %8, %4 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x100xf32>
}

// What a mask keeps is negated behind the sum where others read it without the sign, as one array;
// here they stand behind the sum, too.  Where nothing else reads it, or with other bools or another
// number, the kernel that makes it negates it.

// CHECK-LABEL: func.func @masked(
// CHECK:         %[[CHOICE:.*]] = stablehlo.select %p, %{{.*}}, %x
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(%[[CHOICE]] init:
// CHECK:         %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK:         %[[MINUS:.*]] = stablehlo.subtract %[[ZERO]], %[[SUM]]
// CHECK:         return %[[MINUS]], %[[CHOICE]]
func.func @masked(%x: tensor<64x100xf32>, %p: tensor<64x100xi1>) -> (tensor<64xf32>, tensor<64x100xf32>) {
  %0 = "anvl.constant"() {value = dense<0.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %1 = "anvl.neg"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.select"(%p, %0, %1) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  %4 = "anvl.constant"() {value = dense<0.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %5 = "anvl.select"(%p, %4, %x) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %3, %5 : tensor<64xf32>, tensor<64x100xf32>
}

// CHECK-LABEL: func.func @masked_otherwise(
// CHECK:         %[[MINUS:.*]] = stablehlo.negate %x
// CHECK:         %[[CHOICE:.*]] = stablehlo.select %p, %{{.*}}, %[[MINUS]]
// CHECK:         stablehlo.reduce(%[[CHOICE]] init:
// CHECK:         %[[SEVENS:.*]] = stablehlo.select %q, %{{.*}}, %[[MINUS]]
// CHECK:         stablehlo.reduce(%[[SEVENS]] init:
func.func @masked_otherwise(%x: tensor<64x100xf32>, %p: tensor<64x100xi1>, %q: tensor<64x100xi1>)
    -> (tensor<64xf32>, tensor<64x100xf32>, tensor<64x100xf32>, tensor<64x100xf32>, tensor<64xf32>) {
  %0 = "anvl.constant"() {value = dense<0.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %1 = "anvl.neg"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.select"(%p, %0, %1) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  %4 = "anvl.select"(%q, %0, %x) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %5 = "anvl.select"(%p, %x, %0) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %6 = "anvl.constant"() {value = dense<-0.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %7 = "anvl.select"(%p, %6, %x) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %8 = "anvl.constant"() {value = dense<7.0> : tensor<64x100xf32>} : () -> tensor<64x100xf32>
  %9 = "anvl.select"(%q, %8, %1) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %10 = "anvl.sum"(%9) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %3, %4, %5, %7, %10 : tensor<64xf32>, tensor<64x100xf32>, tensor<64x100xf32>, tensor<64x100xf32>, tensor<64xf32>
}

// A result that no loop reads keeps the factor of its elements, unless these are many.

// CHECK-LABEL: func.func @of_many(
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(%x init:
// CHECK:         stablehlo.multiply %[[SUM]], %{{.*}} : tensor<64xf32>
// CHECK:         return
func.func @of_many(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  %0 = "anvl.constant"() {value = dense<2.0> : tensor<64x4096xf32>} : () -> tensor<64x4096xf32>
  %1 = "anvl.mul"(%x, %0) : (tensor<64x4096xf32>, tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 1>} : (tensor<64x4096xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// CHECK-LABEL: func.func @of_fewer(
// CHECK:         %[[DOUBLE:.*]] = stablehlo.multiply %x, %{{.*}} : tensor<64x4095xf32>
// CHECK:         stablehlo.reduce(%[[DOUBLE]] init:
// CHECK-NEXT:    return
func.func @of_fewer(%x: tensor<64x4095xf32>) -> tensor<64xf32> {
  %0 = "anvl.constant"() {value = dense<2.0> : tensor<64x4095xf32>} : () -> tensor<64x4095xf32>
  %1 = "anvl.mul"(%x, %0) : (tensor<64x4095xf32>, tensor<64x4095xf32>) -> tensor<64x4095xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 1>} : (tensor<64x4095xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
