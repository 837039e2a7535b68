// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=trigonometric=true | filecheck %s --check-prefix=SINES

// XLA:CPU calls a library for a large sum, and computes each operand of the call as an array: the
// summands are hidden, so that they are one (Note [Summands as one array]).

// CHECK-LABEL: func.func @two(
// CHECK:         %[[PRODUCT:.*]] = stablehlo.multiply
// CHECK:         %[[ONE:.*]] = stablehlo.reduce_precision %[[PRODUCT]], format = e11m112
// CHECK-NEXT:    stablehlo.reduce(%[[ONE]] init:
// SINES-LABEL: func.func @two(
// SINES-NOT:     stablehlo.reduce_precision
// SINES:         return
// CUDA-LABEL:  func.func @two(
// CUDA-NOT:      stablehlo.reduce_precision
// CUDA:          return
func.func @two(%x: tensor<64x100xf32>, %y: tensor<64x100xf32>) -> tensor<64xf32> {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.cos"(%y) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
}

// What nothing reads does not count as a reader, and an array that two sums read is half of one.

// CHECK-LABEL:   func.func @three_of_two_sums(
// CHECK-COUNT-2:   stablehlo.reduce_precision
// CHECK:           return
func.func @three_of_two_sums(%x: tensor<64x100xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.cos"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.exp"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.mul"(%0, %2) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %4 = "anvl.mul"(%1, %2) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %unused = "anvl.tan"(%0) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %5 = "anvl.sum"(%3) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  %6 = "anvl.sum"(%4) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %5, %6 : tensor<64xf32>, tensor<64xf32>
}

// One array, arrays that something else reads, arguments, results of other calls, small sums, and
// types that are converted anyway stay.

// CHECK-LABEL: func.func @one(
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         return
func.func @one(%x: tensor<64x100xf32>, %y: tensor<64x100xf32>) -> tensor<64xf32> {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.mul"(%0, %y) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// CHECK-LABEL: func.func @read_elsewhere(
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         return
func.func @read_elsewhere(%x: tensor<64x100xf32>) -> (tensor<64x100xf32>, tensor<64xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.cos"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %2, %3 : tensor<64x100xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @small(
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         return
func.func @small(%x: tensor<63x65xf32>) -> tensor<63xf32> {
  %0 = "anvl.sin"(%x) : (tensor<63x65xf32>) -> tensor<63x65xf32>
  %1 = "anvl.cos"(%x) : (tensor<63x65xf32>) -> tensor<63x65xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<63x65xf32>, tensor<63x65xf32>) -> tensor<63x65xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<63x65xf32>) -> tensor<63xf32>
  return %3 : tensor<63xf32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         return
func.func @narrow(%x: tensor<64x100xf16>) -> tensor<64xf16> {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf16>) -> tensor<64x100xf16>
  %1 = "anvl.cos"(%x) : (tensor<64x100xf16>) -> tensor<64x100xf16>
  %2 = "anvl.mul"(%0, %1) : (tensor<64x100xf16>, tensor<64x100xf16>) -> tensor<64x100xf16>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<64x100xf16>) -> tensor<64xf16>
  return %3 : tensor<64xf16>
}

// XLA inlines functions: what one computes for the sum alone counts as if it stood here.

// CHECK-LABEL: func.func @of_a_function(
// CHECK:         %[[Y:.*]] = call @product(
// CHECK:         %[[ONE:.*]] = stablehlo.reduce_precision %[[Y]], format = e11m112
// CHECK:         stablehlo.reduce(%[[ONE]] init:
func.func private @product(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.cos"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %2 : tensor<64x100xf32>
}
func.func @of_a_function(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %0 = call @product(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.sum"(%0) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// What is repeated along other axes than the last, and read by a loop as well, is an array; for a
// call alone, or along the last axes, the call repeats it.

// CHECK-LABEL: func.func @repeated_rows(
// CHECK:         stablehlo.reduce_precision
// CHECK:         return
func.func @repeated_rows(%x: tensor<64x100xf32>, %y: tensor<100xf32>) -> (tensor<100xf32>, tensor<64x100xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.broadcast_in_dim"(%y) {shape = array<i64: 64, 100>, broadcast_dimensions = array<i64: 1>} : (tensor<100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 0>} : (tensor<64x100xf32>) -> tensor<100xf32>
  %4 = "anvl.broadcast_in_dim"(%y) {shape = array<i64: 64, 100>, broadcast_dimensions = array<i64: 1>} : (tensor<100xf32>) -> tensor<64x100xf32>
  %5 = "anvl.add"(%x, %4) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %3, %5 : tensor<100xf32>, tensor<64x100xf32>
}

// CHECK-LABEL: func.func @rows_read_twice(
// CHECK:         stablehlo.reduce_precision
// CHECK:         return
func.func @rows_read_twice(%x: tensor<64x100xf32>, %y: tensor<100xf32>) -> (tensor<100xf32>, tensor<64x100xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.broadcast_in_dim"(%y) {shape = array<i64: 64, 100>, broadcast_dimensions = array<i64: 1>} : (tensor<100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 0>} : (tensor<64x100xf32>) -> tensor<100xf32>
  %4 = "anvl.add"(%x, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %3, %4 : tensor<100xf32>, tensor<64x100xf32>
}

// CHECK-LABEL: func.func @distances(
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         return
func.func @distances(%x: tensor<20x30xf32>, %y: tensor<20x30xf32>) -> tensor<20x20xf32> {
  %0 = "anvl.broadcast_in_dim"(%x) {shape = array<i64: 20, 20, 30>, broadcast_dimensions = array<i64: 0, 2>} : (tensor<20x30xf32>) -> tensor<20x20x30xf32>
  %1 = "anvl.broadcast_in_dim"(%y) {shape = array<i64: 20, 20, 30>, broadcast_dimensions = array<i64: 1, 2>} : (tensor<20x30xf32>) -> tensor<20x20x30xf32>
  %2 = "anvl.sub"(%0, %1) : (tensor<20x20x30xf32>, tensor<20x20x30xf32>) -> tensor<20x20x30xf32>
  %3 = "anvl.mul"(%2, %2) : (tensor<20x20x30xf32>, tensor<20x20x30xf32>) -> tensor<20x20x30xf32>
  %4 = "anvl.sum"(%3) {axes = array<i64: 2>} : (tensor<20x20x30xf32>) -> tensor<20x20xf32>
  return %4 : tensor<20x20xf32>
}

// CHECK-LABEL: func.func @repeated_numbers(
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         return
func.func @repeated_numbers(%x: tensor<64x100xf32>, %y: tensor<64x1xf32>) -> tensor<100xf32> {
  %0 = "anvl.sin"(%x) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.broadcast_in_dim"(%y) {shape = array<i64: 64, 100>, broadcast_dimensions = array<i64: 0, 1>} : (tensor<64x1xf32>) -> tensor<64x100xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 0>} : (tensor<64x100xf32>) -> tensor<100xf32>
  return %3 : tensor<100xf32>
}

// Where the library has sines, what they are made of counts for nothing; other sums are hidden as ever.

// CHECK-LABEL: func.func @of_choices(
// CHECK:         stablehlo.reduce_precision
// SINES-LABEL: func.func @of_choices(
// SINES-NOT:     stablehlo.reduce_precision
// SINES:         return
func.func @of_choices(%p: tensor<64x100xi1>, %x: tensor<64x100xf32>, %y: tensor<64x100xf32>) -> tensor<64xf32> {
  %0 = "anvl.select"(%p, %x, %y) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.select"(%p, %y, %x) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.sin"(%0) : (tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.mul"(%2, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %4 = "anvl.sum"(%3) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %4 : tensor<64xf32>
}

// SINES-LABEL: func.func @no_sines(
// SINES:         stablehlo.reduce_precision
// SINES:         return
func.func @no_sines(%p: tensor<64x100xi1>, %x: tensor<64x100xf32>, %y: tensor<64x100xf32>) -> tensor<64xf32> {
  %0 = "anvl.select"(%p, %x, %y) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %1 = "anvl.select"(%p, %y, %x) : (tensor<64x100xi1>, tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
}
