// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// XLA:CPU would compute a cosine for each element of the broadcast, which is 8 times as often as
// there are: so it stands behind a barrier (Note [Operands of broadcasts]).

// CHECK-LABEL: func.func @rotary(
// CHECK:         %[[COS:.*]] = stablehlo.cosine
// CHECK-NEXT:    %[[ONCE:.*]] = stablehlo.optimization_barrier %[[COS]]
// CHECK-NEXT:    %[[ROWS:.*]] = stablehlo.reshape %[[ONCE]]
// CHECK-NEXT:    stablehlo.broadcast_in_dim %[[ROWS]]
// CUDA-LABEL:  func.func @rotary(
// CUDA-NOT:      optimization_barrier
// CUDA:          stablehlo.cosine
func.func @rotary(%x: tensor<128x8x32xf32>, %angles: tensor<128x32xf32>) -> tensor<128x8x32xf32> {
  %cos = stablehlo.cosine %angles : tensor<128x32xf32>
  %rows = stablehlo.reshape %cos : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
  %all = stablehlo.broadcast_in_dim %rows, dims = [0, 1, 2] : (tensor<128x1x32xf32>) -> tensor<128x8x32xf32>
  %y = stablehlo.multiply %x, %all : tensor<128x8x32xf32>
  return %y : tensor<128x8x32xf32>
}

// What is cheap is repeated all the same, and all who read a sine read it behind the barrier.

// CHECK-LABEL: func.func @read_twice(
// CHECK:         %[[SIN:.*]] = stablehlo.sine
// CHECK-NEXT:    %[[ONCE:.*]] = stablehlo.optimization_barrier %[[SIN]]
// CHECK-NEXT:    %[[NEGATED:.*]] = stablehlo.negate %[[ONCE]]
// CHECK-NEXT:    stablehlo.broadcast_in_dim %[[NEGATED]]
// CHECK:         %[[TAN:.*]] = stablehlo.tan
// CHECK-NEXT:    %[[ONCE_TOO:.*]] = stablehlo.optimization_barrier %[[TAN]]
// CHECK:         return %{{.*}}, %[[ONCE]], %{{.*}}
func.func @read_twice(%x: tensor<64x512xf32>, %a: tensor<512xf32>)
    -> (tensor<64x512xf32>, tensor<512xf32>, tensor<64x512xf32>) {
  %sin = stablehlo.sine %a : tensor<512xf32>
  %negated = stablehlo.negate %sin : tensor<512xf32>
  %all = stablehlo.broadcast_in_dim %negated, dims = [1] : (tensor<512xf32>) -> tensor<64x512xf32>
  %y = stablehlo.multiply %x, %all : tensor<64x512xf32>
  %tan = stablehlo.tan %a : tensor<512xf32>
  %half = stablehlo.slice %tan [0:256] : (tensor<512xf32>) -> tensor<256xf32>
  %twice = stablehlo.concatenate %half, %half, dim = 0 : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
  %more = stablehlo.broadcast_in_dim %twice, dims = [1] : (tensor<512xf32>) -> tensor<64x512xf32>
  %z = stablehlo.add %x, %more : tensor<64x512xf32>
  return %y, %sin, %z : tensor<64x512xf32>, tensor<512xf32>, tensor<64x512xf32>
}

// Of an exponential, of complex numbers and of a quotient XLA makes an array itself; of a small
// result, and of one that is read as often as it is computed, none is needed.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     optimization_barrier
// CHECK:         return
func.func @others(%a: tensor<512xf32>, %c: tensor<512xcomplex<f32>>, %s: tensor<32xf32>)
    -> (tensor<64x512xf32>, tensor<64x512xcomplex<f32>>, tensor<64x512xf32>, tensor<64x32xf32>, tensor<512xf32>) {
  %exp = stablehlo.exponential %a : tensor<512xf32>
  %v = stablehlo.broadcast_in_dim %exp, dims = [1] : (tensor<512xf32>) -> tensor<64x512xf32>
  %sin = stablehlo.sine %c : tensor<512xcomplex<f32>>
  %w = stablehlo.broadcast_in_dim %sin, dims = [1] : (tensor<512xcomplex<f32>>) -> tensor<64x512xcomplex<f32>>
  %cos = stablehlo.cosine %a : tensor<512xf32>
  %ratio = stablehlo.divide %cos, %a : tensor<512xf32>
  %x = stablehlo.broadcast_in_dim %ratio, dims = [1] : (tensor<512xf32>) -> tensor<64x512xf32>
  %few = stablehlo.cosine %s : tensor<32xf32>
  %y = stablehlo.broadcast_in_dim %few, dims = [1] : (tensor<32xf32>) -> tensor<64x32xf32>
  %once = stablehlo.sine %a : tensor<512xf32>
  %z = stablehlo.add %once, %a : tensor<512xf32>
  return %v, %w, %x, %y, %z : tensor<64x512xf32>, tensor<64x512xcomplex<f32>>, tensor<64x512xf32>, tensor<64x32xf32>, tensor<512xf32>
}

// A barrier in a loop, or in a function that a loop may call, would crash XLA (Note [Barriers on
// the CPU]).

// CHECK-LABEL: func.func private @in_a_call(
// CHECK-NOT:     optimization_barrier
// CHECK:         return
func.func private @in_a_call(%x: tensor<64x512xf32>, %a: tensor<512xf32>) -> tensor<64x512xf32> {
  %cos = stablehlo.cosine %a : tensor<512xf32>
  %all = stablehlo.broadcast_in_dim %cos, dims = [1] : (tensor<512xf32>) -> tensor<64x512xf32>
  %y = stablehlo.multiply %x, %all : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
