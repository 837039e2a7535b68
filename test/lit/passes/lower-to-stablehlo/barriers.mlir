// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// XLA:CPU takes what is behind a barrier and what is before it for one buffer, and forgets the
// other uses of it.  So all uses are of the barrier's result.

// CHECK-LABEL: func.func @one(
// CHECK:         %[[X:.*]] = stablehlo.sine
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.optimization_barrier %[[X]]
// CHECK-NEXT:    %[[Z:.*]] = stablehlo.cosine %[[Y]]
// CHECK-NEXT:    return %[[Z]], %[[Y]], %[[Y]]

// CUDA-LABEL: func.func @one(
// CUDA:         %[[X:.*]] = stablehlo.sine
// CUDA-NEXT:    %[[Z:.*]] = stablehlo.cosine %[[X]]
func.func @one(%a: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %x = "anvl.sin"(%a) : (tensor<3xf64>) -> tensor<3xf64>
  %z = "anvl.cos"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %y = stablehlo.optimization_barrier %x : tensor<3xf64>
  %w = stablehlo.optimization_barrier %x : tensor<3xf64>
  return %z, %y, %w : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// Of several values that are used elsewhere it has copies; arguments are not written.

// CHECK-LABEL: func.func @several(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<3xf64>,
// CHECK-DAG:     %[[TRUE:.*]] = stablehlo.constant dense<true> : tensor<i1>
// CHECK-DAG:     %[[YES:.*]]:2 = stablehlo.optimization_barrier %[[TRUE]], %[[TRUE]]
// CHECK:         %[[X:.*]] = stablehlo.sine
// CHECK:         %[[ONE:.*]] = stablehlo.select %[[YES]]#0, %[[X]],
// CHECK:         %[[TWO:.*]] = stablehlo.select %[[YES]]#1, %{{.*}} : tensor<i1>, tensor<3xi32>
// CHECK:         stablehlo.optimization_barrier %[[ONE]], %[[TWO]], %[[A]]
func.func @several(%a: tensor<3xf64>, %i: tensor<3xi32>)
    -> (tensor<3xf64>, tensor<3xi32>, tensor<3xf64>, tensor<3xf64>, tensor<3xi32>) {
  %x = "anvl.sin"(%a) : (tensor<3xf64>) -> tensor<3xf64>
  %n = "anvl.neg"(%i) : (tensor<3xi32>) -> tensor<3xi32>
  %y:3 = stablehlo.optimization_barrier %x, %n, %a : tensor<3xf64>, tensor<3xi32>, tensor<3xf64>
  return %y#0, %y#1, %y#2, %x, %n
      : tensor<3xf64>, tensor<3xi32>, tensor<3xf64>, tensor<3xf64>, tensor<3xi32>
}

// A product with 1 is its other factor, for XLA too.

// CHECK-LABEL: func.func @simplified(
// CHECK:         %[[X:.*]] = stablehlo.sine
// CHECK:         %[[COPY:.*]] = stablehlo.select %{{.*}}, %[[X]]
// CHECK:         %[[Y:.*]] = stablehlo.optimization_barrier %[[COPY]]
// CHECK:         return %[[Y]]
func.func @simplified(%a: tensor<3xf64>) -> tensor<3xf64> {
  %x = "anvl.sin"(%a) : (tensor<3xf64>) -> tensor<3xf64>
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %p = stablehlo.multiply %x, %one : tensor<3xf64>
  %y = stablehlo.optimization_barrier %p : tensor<3xf64>
  return %y : tensor<3xf64>
}

// In a function that is called they are dropped, each result for its operand.

// CHECK-LABEL: func.func private @inner(
// CHECK:         %[[X:.*]] = stablehlo.sine
// CHECK:         %[[Y:.*]] = stablehlo.cosine
// CHECK-NOT:     stablehlo.optimization_barrier
// CHECK:         stablehlo.subtract %[[X]], %[[Y]]
func.func private @inner(%a: tensor<3xf64>) -> tensor<3xf64> {
  %x = "anvl.sin"(%a) : (tensor<3xf64>) -> tensor<3xf64>
  %y = "anvl.cos"(%a) : (tensor<3xf64>) -> tensor<3xf64>
  %z:2 = stablehlo.optimization_barrier %x, %y : tensor<3xf64>, tensor<3xf64>
  %d = "anvl.sub"(%z#0, %z#1) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %d : tensor<3xf64>
}
func.func @outer(%a: tensor<3xf64>) -> tensor<3xf64> {
  %y = call @inner(%a) : (tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}
