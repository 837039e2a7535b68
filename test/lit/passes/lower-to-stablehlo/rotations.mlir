// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --split-input-file --anvl-lower-to-stablehlo=platform=cuda \
// RUN:   | filecheck %s --check-prefix=CUDA

// Elements of each row, rotated, are two pads, which XLA:CPU reads in the loop of whatever reads
// them; it would copy the parts, and then the whole (Note [Rotations]).

// CHECK-LABEL: func.func @rows(
// CHECK-DAG:     %[[LAST:.*]] = stablehlo.slice %{{.*}} [0:16, 61:64]
// CHECK-DAG:     %[[FIRST:.*]] = stablehlo.slice %{{.*}} [0:16, 0:61]
// CHECK:         %[[I:.*]] = stablehlo.iota dim = 1 : tensor<16x64xi32>
// CHECK:         %[[K:.*]] = stablehlo.constant dense<3> : tensor<16x64xi32>
// CHECK:         %[[IS_LAST:.*]] = stablehlo.compare LT, %[[I]], %[[K]]
// CHECK:         %[[X:.*]] = stablehlo.pad %[[LAST]], %{{.*}}, low = [0, 0], high = [0, 61]
// CHECK:         %[[Y:.*]] = stablehlo.pad %[[FIRST]], %{{.*}}, low = [0, 3], high = [0, 0]
// CHECK:         %[[Z:.*]] = stablehlo.select %[[IS_LAST]], %[[X]], %[[Y]]
// CHECK:         return %[[Z]]
// CUDA-LABEL:  func.func @rows(
// CUDA:          stablehlo.concatenate
func.func @rows(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %a = stablehlo.slice %x [0:16, 61:64] : (tensor<16x64xf32>) -> tensor<16x3xf32>
  %b = stablehlo.slice %x [0:16, 0:61] : (tensor<16x64xf32>) -> tensor<16x61xf32>
  %y = stablehlo.concatenate %a, %b, dim = 1
    : (tensor<16x3xf32>, tensor<16x61xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// -----

// Whole rows lie side by side in memory, and are copied as fast.

// CHECK-LABEL: func.func @columns(
// CHECK:         stablehlo.concatenate
func.func @columns(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %a = stablehlo.slice %x [61:64, 0:16] : (tensor<64x16xf32>) -> tensor<3x16xf32>
  %b = stablehlo.slice %x [0:61, 0:16] : (tensor<64x16xf32>) -> tensor<61x16xf32>
  %y = stablehlo.concatenate %a, %b, dim = 0
    : (tensor<3x16xf32>, tensor<61x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// These are no rotation: the parts are in their order, or do not meet.

// CHECK-LABEL: func.func @in_order(
// CHECK:         stablehlo.concatenate
func.func @in_order(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %a = stablehlo.slice %x [0:16, 0:3] : (tensor<16x64xf32>) -> tensor<16x3xf32>
  %b = stablehlo.slice %x [0:16, 3:64] : (tensor<16x64xf32>) -> tensor<16x61xf32>
  %y = stablehlo.concatenate %a, %b, dim = 1
    : (tensor<16x3xf32>, tensor<16x61xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK:         stablehlo.concatenate
func.func @twice(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %a = stablehlo.slice %x [0:16, 61:64] : (tensor<16x64xf32>) -> tensor<16x3xf32>
  %b = stablehlo.slice %x [0:16, 1:62] : (tensor<16x64xf32>) -> tensor<16x61xf32>
  %y = stablehlo.concatenate %a, %b, dim = 1
    : (tensor<16x3xf32>, tensor<16x61xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// CHECK-LABEL: func.func @of_two(
// CHECK:         stablehlo.concatenate
func.func @of_two(%x: tensor<16x64xf32>, %z: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %a = stablehlo.slice %x [0:16, 61:64] : (tensor<16x64xf32>) -> tensor<16x3xf32>
  %b = stablehlo.slice %z [0:16, 0:61] : (tensor<16x64xf32>) -> tensor<16x61xf32>
  %y = stablehlo.concatenate %a, %b, dim = 1
    : (tensor<16x3xf32>, tensor<16x61xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// Every second element of a row, and the first half.

// CHECK-LABEL: func.func @strides(
// CHECK:         stablehlo.concatenate
func.func @strides(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %a = stablehlo.slice %x [0:16, 0:64:2] : (tensor<16x64xf32>) -> tensor<16x32xf32>
  %b = stablehlo.slice %x [0:16, 0:32] : (tensor<16x64xf32>) -> tensor<16x32xf32>
  %y = stablehlo.concatenate %a, %b, dim = 1
    : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// CHECK-LABEL: func.func @few(
// CHECK:         stablehlo.concatenate
func.func @few(%x: tensor<15x64xf32>) -> tensor<15x64xf32> {
  %a = stablehlo.slice %x [0:15, 61:64] : (tensor<15x64xf32>) -> tensor<15x3xf32>
  %b = stablehlo.slice %x [0:15, 0:61] : (tensor<15x64xf32>) -> tensor<15x61xf32>
  %y = stablehlo.concatenate %a, %b, dim = 1
    : (tensor<15x3xf32>, tensor<15x61xf32>) -> tensor<15x64xf32>
  return %y : tensor<15x64xf32>
}
