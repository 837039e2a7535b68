// RUN: anvl-opt %s --anvl-vectorize | filecheck %s
// RUN: anvl-opt %s --anvl-vectorize | %run --args='[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], \
// RUN:     [[1.0, 10.0], [2.0, 20.0]]]' | %numbers %s

// The batch of a matrix times a vector is one product: the operands change places, so that the
// batch axis comes first without a transpose. So is that of a vector times a matrix. An algorithm
// says something of each operand: with one they stay.

// CHECK-LABEL: func.func private @right_vmap(
// CHECK-SAME:    %[[W:[a-zA-Z0-9_]+]]: tensor<2x3xf64>, %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>)
// CHECK-NOT:     anvl.transpose
// CHECK:         %[[Y:.*]] = "anvl.dot_general"(%[[X]], %[[W]])
// CHECK-SAME:      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]
// CHECK-NEXT:    return %[[Y]]
// CHECK-LABEL: func.func private @left_vmap(
// CHECK-SAME:    %[[W:[a-zA-Z0-9_]+]]: tensor<2x3xf64>, %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>)
// CHECK:         %[[Y:.*]] = "anvl.dot_general"(%[[X]], %[[W]])
// CHECK-SAME:      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]
// CHECK-NEXT:    return %[[Y]]
// CHECK-LABEL: func.func private @algorithm_vmap(
// CHECK-SAME:    %[[W:[a-zA-Z0-9_]+]]: tensor<2x3xf32>, %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf32>)
// CHECK:         %[[Y:.*]] = "anvl.dot_general"(%[[W]], %[[X]])
// CHECK-NEXT:    "anvl.transpose"(%[[Y]])

// NUMBERS:      f64[2,3] 41.0 52.0 63.0 82.0 104.0 126.0
// NUMBERS-NEXT: f64[2,3] 41.0 52.0 63.0 82.0 104.0 126.0
func.func private @right(%w: tensor<2x3xf64>, %x: tensor<2xf64>) -> tensor<3xf64> {
  %0 = "anvl.dot_general"(%w, %x) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf64>, tensor<2xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

func.func private @right_vmap(tensor<2x3xf64>, tensor<2x2xf64>) -> tensor<2x3xf64>
    attributes {anvl.vmap = {callee = @right, batched = array<i64: 1>, results = array<i64: 0>,
                             size = 2 : i64}}

func.func private @left(%w: tensor<2x3xf64>, %x: tensor<2xf64>) -> tensor<3xf64> {
  %0 = "anvl.dot_general"(%x, %w) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>
  } : (tensor<2xf64>, tensor<2x3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

func.func private @left_vmap(tensor<2x3xf64>, tensor<2x2xf64>) -> tensor<2x3xf64>
    attributes {anvl.vmap = {callee = @left, batched = array<i64: 1>, results = array<i64: 0>,
                             size = 2 : i64}}

func.func private @algorithm(%w: tensor<2x3xf32>, %x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "anvl.dot_general"(%w, %x) {
    algorithm = #stablehlo.dot_algorithm<
      lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32,
      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
      allow_imprecise_accumulation = false>,
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func private @algorithm_vmap(tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
    attributes {anvl.vmap = {callee = @algorithm, batched = array<i64: 1>,
                             results = array<i64: 0>, size = 2 : i64}}

func.func @main(%w: tensor<2x3xf64>, %x: tensor<2x2xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>) {
  %0 = call @right_vmap(%w, %x) : (tensor<2x3xf64>, tensor<2x2xf64>) -> tensor<2x3xf64>
  %1 = call @left_vmap(%w, %x) : (tensor<2x3xf64>, tensor<2x2xf64>) -> tensor<2x3xf64>
  return %0, %1 : tensor<2x3xf64>, tensor<2x3xf64>
}
