// RUN: anvl-opt %s --anvl-donate="function=step args=0,1,2" 2>&1 | filecheck %s

// Two donated arguments of one type, one result of it; another has the number of bytes, but not the
// type: both are reported, and keep their memory.

// CHECK: anvl-donate: note: argument 1 of @step, tensor<4xf32>, is not donated: no result of its type is left
// CHECK: anvl-donate: note: argument 2 of @step, tensor<4xi32>, is not donated: no result of its type is left
// CHECK-LABEL: func.func @step(
// CHECK-SAME:      tensor<4xf32> {tf.aliasing_output = 0 : i32}
// CHECK-SAME:      %{{[a-z0-9]+}}: tensor<4xf32>, %{{[a-z0-9]+}}: tensor<4xi32>)
func.func @step(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %0 = "anvl.add"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
