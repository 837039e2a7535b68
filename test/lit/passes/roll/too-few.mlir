// RUN: not anvl-opt %s --split-input-file --anvl-roll="always=true" 2>&1 | filecheck %s

// What repeats less than 4 times stays, and the error says where another op stands than would repeat.

// CHECK: error: anvl-roll: nothing repeats 4 times in the same way; 3 repetitions of 2 ops at "s1"{{.*}}: stay, anvl.cos at "s4"{{.*}} differs from that at "s3"{{.*}} (anvl.sin); leave out `always`
// CHECK: error: anvl-roll: nothing repeats 4 times in the same way; 2 repetitions of 2 ops at {{.*}}: stay, anvl.dot_general of other types or attributes at {{.*}} differs from that at {{.*}} (anvl.dot_general); leave out `always`
// CHECK: error: anvl-roll: nothing repeats 4 times in the same way; 3 repetitions of 1 op at {{.*}}: stay, the function ends there; leave out `always`

func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %s1 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %x1 = "anvl.neg"(%s1) : (tensor<3xf32>) -> tensor<3xf32>
  %s2 = "anvl.sin"(%x1) : (tensor<3xf32>) -> tensor<3xf32>
  %x2 = "anvl.neg"(%s2) : (tensor<3xf32>) -> tensor<3xf32>
  %s3 = "anvl.sin"(%x2) : (tensor<3xf32>) -> tensor<3xf32>
  %x3 = "anvl.neg"(%s3) : (tensor<3xf32>) -> tensor<3xf32>
  %s4 = "anvl.cos"(%x3) : (tensor<3xf32>) -> tensor<3xf32>
  %x4 = "anvl.neg"(%s4) : (tensor<3xf32>) -> tensor<3xf32>
  return %x4 : tensor<3xf32>
}

// -----

func.func @main(%x: tensor<3x3xf32>, %w: tensor<3x3xf32>, %u: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %p1 = "anvl.dot_general"(%x, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %x1 = "anvl.tanh"(%p1) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %p2 = "anvl.dot_general"(%x1, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %x2 = "anvl.tanh"(%p2) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %p3 = "anvl.dot_general"(%x2, %u) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %p3 : tensor<3x2xf32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %x1 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %x2 = "anvl.sin"(%x1) : (tensor<f32>) -> tensor<f32>
  %x3 = "anvl.sin"(%x2) : (tensor<f32>) -> tensor<f32>
  return %x3 : tensor<f32>
}
