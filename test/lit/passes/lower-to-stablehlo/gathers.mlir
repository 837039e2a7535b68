// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA

// XLA:CPU would compute tanh for each row that is taken, which is 4 times as often as there are
// rows: so the rows stand behind a barrier (Note [Operands of gathers]).

// CHECK-LABEL: func.func @edges(
// CHECK:         %[[SLOPE:.*]] = stablehlo.tanh
// CHECK-NEXT:    %[[ROWS:.*]] = stablehlo.multiply %{{.*}}, %[[SLOPE]]
// CHECK-NEXT:    %[[ONCE:.*]] = stablehlo.optimization_barrier %[[ROWS]]
// CHECK-NEXT:    "stablehlo.gather"(%[[ONCE]],
// CUDA-LABEL:  func.func @edges(
// CUDA-NOT:      optimization_barrier
// CUDA:          "stablehlo.gather"
func.func @edges(%g: tensor<500x32xf32>, %x: tensor<500x32xf32>, %i: tensor<2000x1xi32>)
    -> tensor<2000x32xf32> {
  %slope = stablehlo.tanh %x : tensor<500x32xf32>
  %rows = stablehlo.multiply %g, %slope : tensor<500x32xf32>
  %y = "stablehlo.gather"(%rows, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<500x32xf32>, tensor<2000x1xi32>) -> tensor<2000x32xf32>
  return %y : tensor<2000x32xf32>
}

// What XLA may simplify stays behind the barrier.

// CHECK-LABEL: func.func @scaled(
// CHECK:         %[[SLOPE:.*]] = stablehlo.tanh
// CHECK-NEXT:    %[[ONCE:.*]] = stablehlo.optimization_barrier %[[SLOPE]]
// CHECK-NEXT:    stablehlo.multiply %[[ONCE]],
func.func @scaled(%x: tensor<500x32xf32>, %i: tensor<2000x1xi32>) -> tensor<2000x32xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<500x32xf32>
  %slope = stablehlo.tanh %x : tensor<500x32xf32>
  %rows = stablehlo.multiply %slope, %half : tensor<500x32xf32>
  %y = "stablehlo.gather"(%rows, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<500x32xf32>, tensor<2000x1xi32>) -> tensor<2000x32xf32>
  return %y : tensor<2000x32xf32>
}

// A function that is inlined counts as its ops do.

// CHECK-LABEL: func.func @in_a_call(
// CHECK:         stablehlo.optimization_barrier
func.func @in_a_call(%g: tensor<500x32xf32>, %x: tensor<500x32xf32>, %i: tensor<2000x1xi32>)
    -> tensor<2000x32xf32> {
  %slope = call @slope(%x) : (tensor<500x32xf32>) -> tensor<500x32xf32>
  %rows = stablehlo.multiply %g, %slope : tensor<500x32xf32>
  %y = "stablehlo.gather"(%rows, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<500x32xf32>, tensor<2000x1xi32>) -> tensor<2000x32xf32>
  return %y : tensor<2000x32xf32>
}
func.func private @slope(%x: tensor<500x32xf32>) -> tensor<500x32xf32> {
  %e = stablehlo.exponential %x : tensor<500x32xf32>
  %y = stablehlo.divide %e, %x : tensor<500x32xf32>
  return %y : tensor<500x32xf32>
}

// Of less than twice as many rows as there are most are computed once.

// CHECK-LABEL: func.func @few_more(
// CHECK-NOT:     optimization_barrier
// CHECK:         return
func.func @few_more(%g: tensor<1500x32xf32>, %x: tensor<1500x32xf32>, %i: tensor<2500x1xi32>)
    -> tensor<2500x32xf32> {
  %slope = stablehlo.tanh %x : tensor<1500x32xf32>
  %rows = stablehlo.multiply %g, %slope : tensor<1500x32xf32>
  %y = "stablehlo.gather"(%rows, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<1500x32xf32>, tensor<2500x1xi32>) -> tensor<2500x32xf32>
  return %y : tensor<2500x32xf32>
}

// A product costs less than a kernel, and tanh that is read elsewhere is an array in any case.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     optimization_barrier
// CHECK:         return
func.func @others(%g: tensor<500x32xf32>, %x: tensor<500x32xf32>, %i: tensor<2000x1xi32>)
    -> (tensor<2000x32xf32>, tensor<2000x32xf32>, tensor<500x32xf32>) {
  %rows = stablehlo.multiply %g, %x : tensor<500x32xf32>
  %y = "stablehlo.gather"(%rows, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<500x32xf32>, tensor<2000x1xi32>) -> tensor<2000x32xf32>
  %slope = stablehlo.tanh %x : tensor<500x32xf32>
  %more = stablehlo.multiply %g, %slope : tensor<500x32xf32>
  %z = "stablehlo.gather"(%more, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<500x32xf32>, tensor<2000x1xi32>) -> tensor<2000x32xf32>
  return %y, %z, %slope : tensor<2000x32xf32>, tensor<2000x32xf32>, tensor<500x32xf32>
}

// A barrier in a loop would crash XLA (Note [Barriers on the CPU]).

// CHECK-LABEL: func.func @in_a_loop(
// CHECK-NOT:     optimization_barrier
// CHECK:         "stablehlo.gather"
func.func @in_a_loop(%x: tensor<500x32xf32>, %i: tensor<2000x1xi32>) -> tensor<2000x32xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<2000x32xf32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %y:2 = stablehlo.while(%k = %n, %c = %zeros) : tensor<i32>, tensor<2000x32xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %k, %one : tensor<i32>
    %rows = stablehlo.tanh %x : tensor<500x32xf32>
    %z = "stablehlo.gather"(%rows, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}> : (tensor<500x32xf32>, tensor<2000x1xi32>) -> tensor<2000x32xf32>
    %s = stablehlo.add %c, %z : tensor<2000x32xf32>
    stablehlo.return %next, %s : tensor<i32>, tensor<2000x32xf32>
  }
  return %y#1 : tensor<2000x32xf32>
}
