// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA
// CUDA-LABEL: func.func @exponential_for_it_alone(
// CUDA-NOT: reduce_precision
// CUDA: return

// Note [Readers of a sum]: a large sum that is repeated, and of which two elementwise ops or more are
// computed, is hidden, so that XLA computes them in one loop.

// CHECK-LABEL: func.func @exponential_for_it_alone
// CHECK: %[[SUM:.*]] = stablehlo.reduce
// CHECK: %[[HIDDEN:.*]] = stablehlo.reduce_precision %[[SUM]], format = e11m112
// CHECK: stablehlo.broadcast_in_dim %[[HIDDEN]]
func.func @exponential_for_it_alone(%x: tensor<100x1000xf32>, %g: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %0 = "anvl.exp"(%x) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %1 = "anvl.sum"(%g) {axes = array<i64: 1>} : (tensor<100x1000xf32>) -> tensor<100xf32>
  %2 = "anvl.broadcast_in_dim"(%1) {broadcast_dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100x1000xf32>
  %3 = "anvl.mul"(%0, %2) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %3 : tensor<100x1000xf32>
}

// Through a reshape, and a choice that the library has no op for.
// CHECK-LABEL: func.func @choice_for_it_alone
// CHECK: stablehlo.reduce_precision
func.func @choice_for_it_alone(%x: tensor<100x1000xf32>, %p: tensor<100x1000xi1>, %g: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %0 = "anvl.select"(%p, %x, %g) : (tensor<100x1000xi1>, tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %1 = "anvl.sum"(%g) {axes = array<i64: 1>} : (tensor<100x1000xf32>) -> tensor<100xf32>
  %2 = "anvl.reshape"(%1) : (tensor<100xf32>) -> tensor<100x1xf32>
  %3 = "anvl.broadcast_in_dim"(%2) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<100x1xf32>) -> tensor<100x1000xf32>
  %4 = "anvl.sub"(%0, %3) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %4 : tensor<100x1000xf32>
}

// CHECK-LABEL: func.func @of_the_result(
// CHECK: stablehlo.reduce_precision
// CHECK: return
func.func @of_the_result(%g: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %1 = "anvl.sum"(%g) {axes = array<i64: 0, 1>} : (tensor<100x1000xf32>) -> tensor<f32>
  %2 = "anvl.broadcast_in_dim"(%1) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<100x1000xf32>
  %3 = "anvl.mul"(%g, %2) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %4 = "anvl.sin"(%3) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %4 : tensor<100x1000xf32>
}

// The call computes the elements, which another op reads: the loop would need them as an array.
// CHECK-LABEL: func.func @read_elsewhere
// CHECK-NOT: reduce_precision
// CHECK: return
func.func @read_elsewhere(%x: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %0 = "anvl.exp"(%x) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %1 = "anvl.sum"(%0) {axes = array<i64: 1>} : (tensor<100x1000xf32>) -> tensor<100xf32>
  %2 = "anvl.broadcast_in_dim"(%1) {broadcast_dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100x1000xf32>
  %3 = "anvl.mul"(%0, %2) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %3 : tensor<100x1000xf32>
}

// So it is with what the elements are made of, here through an op that reads it twice.
// CHECK-LABEL: func.func @parts_read_elsewhere(
// CHECK-NOT: reduce_precision
// CHECK: return
func.func @parts_read_elsewhere(%x: tensor<100x1000xf32>, %g: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %0 = "anvl.exp"(%x) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %1 = "anvl.mul"(%0, %0) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 1>} : (tensor<100x1000xf32>) -> tensor<100xf32>
  %3 = "anvl.broadcast_in_dim"(%2) {broadcast_dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100x1000xf32>
  %4 = "anvl.sub"(%g, %3) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %5 = "anvl.mul"(%4, %0) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %5 : tensor<100x1000xf32>
}

// A function that XLA inlines computes them, as of a softmax in attention.
// CHECK-LABEL: func.func @result_of_a_function(
// CHECK-NOT: reduce_precision
// CHECK: return
func.func @result_of_a_function(%x: tensor<100x1000xf32>, %g: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %0 = call @raised(%x) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %1 = "anvl.mul"(%0, %g) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 1>} : (tensor<100x1000xf32>) -> tensor<100xf32>
  %3 = "anvl.broadcast_in_dim"(%2) {broadcast_dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100x1000xf32>
  %4 = "anvl.sub"(%g, %3) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %5 = "anvl.mul"(%4, %0) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %5 : tensor<100x1000xf32>
}

func.func private @raised(%x: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %0 = "anvl.exp"(%x) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %0 : tensor<100x1000xf32>
}

// The call alone computes the elements, of values that it reads twice.
// CHECK-LABEL: func.func @read_twice(
// CHECK: stablehlo.reduce_precision
// CHECK: return
func.func @read_twice(%x: tensor<100x1000xf32>, %g: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %0 = "anvl.exp"(%x) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %1 = "anvl.tanh"(%0) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %2 = "anvl.mul"(%1, %0) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<100x1000xf32>) -> tensor<100xf32>
  %4 = "anvl.broadcast_in_dim"(%3) {broadcast_dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100x1000xf32>
  %5 = "anvl.sub"(%g, %4) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %6 = "anvl.exp"(%5) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %6 : tensor<100x1000xf32>
}

// Few elements: the loop is one task.  A sum that is not repeated.  A single op.
// CHECK-LABEL: func.func @small
// CHECK-NOT: reduce_precision
// CHECK: return
func.func @small(%x: tensor<100x900xf32>, %g: tensor<100x900xf32>) -> tensor<100x900xf32> {
  %0 = "anvl.exp"(%x) : (tensor<100x900xf32>) -> tensor<100x900xf32>
  %1 = "anvl.sum"(%g) {axes = array<i64: 1>} : (tensor<100x900xf32>) -> tensor<100xf32>
  %2 = "anvl.broadcast_in_dim"(%1) {broadcast_dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100x900xf32>
  %3 = "anvl.mul"(%0, %2) : (tensor<100x900xf32>, tensor<100x900xf32>) -> tensor<100x900xf32>
  return %3 : tensor<100x900xf32>
}

// CHECK-LABEL: func.func @not_repeated
// CHECK-NOT: reduce_precision
// CHECK: return
func.func @not_repeated(%x: tensor<100x1000xf32>, %y: tensor<1000x100xf32>, %g: tensor<30x100x1000xf32>) -> (tensor<100x1000xf32>, tensor<1000x100xf32>) {
  %0 = "anvl.exp"(%x) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %1 = "anvl.sum"(%g) {axes = array<i64: 0>} : (tensor<30x100x1000xf32>) -> tensor<100x1000xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %3 = "anvl.exp"(%y) : (tensor<1000x100xf32>) -> tensor<1000x100xf32>
  %4 = "anvl.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<100x1000xf32>) -> tensor<1000x100xf32>
  %5 = "anvl.mul"(%3, %4) : (tensor<1000x100xf32>, tensor<1000x100xf32>) -> tensor<1000x100xf32>
  return %2, %5 : tensor<100x1000xf32>, tensor<1000x100xf32>
}

// CHECK-LABEL: func.func @shared_and_single(
// CHECK-NOT: reduce_precision
// CHECK: return
func.func @shared_and_single(%x: tensor<100x1000xf32>, %y: tensor<100x1000xf32>) -> (tensor<100x1000xf32>, tensor<100x1000xf32>) {
  %0 = "anvl.exp"(%y) : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  %1 = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<100x1000xf32>) -> tensor<100xf32>
  %2 = "anvl.broadcast_in_dim"(%1) {broadcast_dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100x1000xf32>
  %3 = "anvl.sub"(%0, %2) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %0, %3 : tensor<100x1000xf32>, tensor<100x1000xf32>
}

// CHECK-LABEL: func.func @single
// CHECK-NOT: reduce_precision
// CHECK: return
func.func @single(%x: tensor<100x1000xf32>, %g: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %1 = "anvl.sum"(%g) {axes = array<i64: 1>} : (tensor<100x1000xf32>) -> tensor<100xf32>
  %2 = "anvl.broadcast_in_dim"(%1) {broadcast_dimensions = array<i64: 0>} : (tensor<100xf32>) -> tensor<100x1000xf32>
  %3 = "anvl.sub"(%x, %2) : (tensor<100x1000xf32>, tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %3 : tensor<100x1000xf32>
}
