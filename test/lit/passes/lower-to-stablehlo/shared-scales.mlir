// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// The number that scales distances scales their derivatives, too, and XLA would make one array of
// it: the second one is a scalar of its own (Note [Scales of both directions]).

// CHECK-LABEL: func.func @gaussians(
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(
// CHECK:         %[[SCALED:.*]] = stablehlo.multiply %[[SUM]], %cst
// CHECK:         %[[OWN:.*]] = stablehlo.optimization_barrier %{{.*}} : tensor<f32>
// CHECK:         %[[SCALE:.*]] = stablehlo.broadcast_in_dim %[[OWN]], dims = []
// CHECK:         stablehlo.multiply %{{.*}}, %[[SCALE]]
// CUDA-LABEL:  func.func @gaussians(
// CUDA-NOT:      stablehlo.optimization_barrier
// CUDA:          return
func.func @gaussians(%x: tensor<5000x8xf32>) -> (tensor<5000xf32>, tensor<5000xf32>) {
  %sum = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<5000x8xf32>) -> tensor<5000xf32>
  %cst = "anvl.constant"() {value = dense<-5.000000e-01> : tensor<5000xf32>} : () -> tensor<5000xf32>
  %0 = "anvl.mul"(%sum, %cst) : (tensor<5000xf32>, tensor<5000xf32>) -> tensor<5000xf32>
  %1 = "anvl.exp"(%0) : (tensor<5000xf32>) -> tensor<5000xf32>
  %2 = "anvl.mul"(%1, %cst) : (tensor<5000xf32>, tensor<5000xf32>) -> tensor<5000xf32>
  return %1, %2 : tensor<5000xf32>, tensor<5000xf32>
}

// Small arrays, and numbers of one product, stay as they are.

// CHECK-LABEL: func.func @small(
// CHECK-NOT:     stablehlo.optimization_barrier
// CHECK:         return
func.func @small(%x: tensor<500x8xf32>, %y: tensor<5000xf32>) -> (tensor<500xf32>, tensor<5000xf32>) {
  %sum = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<500x8xf32>) -> tensor<500xf32>
  %cst = "anvl.constant"() {value = dense<2.000000e+00> : tensor<500xf32>} : () -> tensor<500xf32>
  %0 = "anvl.mul"(%sum, %cst) : (tensor<500xf32>, tensor<500xf32>) -> tensor<500xf32>
  %1 = "anvl.exp"(%0) : (tensor<500xf32>) -> tensor<500xf32>
  %2 = "anvl.mul"(%1, %cst) : (tensor<500xf32>, tensor<500xf32>) -> tensor<500xf32>
  %large = "anvl.constant"() {value = dense<2.000000e+00> : tensor<5000xf32>} : () -> tensor<5000xf32>
  %3 = "anvl.mul"(%y, %large) : (tensor<5000xf32>, tensor<5000xf32>) -> tensor<5000xf32>
  return %2, %3 : tensor<500xf32>, tensor<5000xf32>
}
