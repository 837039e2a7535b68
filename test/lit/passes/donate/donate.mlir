// RUN: anvl-opt %s --verify-each --anvl-donate="args=0,2" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-donate="args=0,2" --anvl-donate="args=2,0" | filecheck %s
// RUN: anvl-opt %s --anvl-donate="args=2" --anvl-donate="args=0" | filecheck %s --check-prefix=ORDER
// RUN: anvl-opt %s --anvl-donate="args=0,2" --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-donate | filecheck %s --check-prefix=NONE

// Each donated argument gives its memory to the first result of its type that no other has; doing it
// again changes nothing, and lowering keeps it.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %{{[a-z0-9]+}}: tensor<3xf32> {tf.aliasing_output = 1 : i32}
// CHECK-SAME:      %{{[a-z0-9]+}}: tensor<3xf32>,
// CHECK-SAME:      %{{[a-z0-9]+}}: tensor<3xf32> {my.note, tf.aliasing_output = 2 : i32}
// ORDER-LABEL: func.func @main(
// ORDER-SAME:      tensor<3xf32> {tf.aliasing_output = 2 : i32}
// ORDER-SAME:      tensor<3xf32> {my.note, tf.aliasing_output = 1 : i32}
// NONE-LABEL: func.func @main(
// NONE-NOT: aliasing
func.func @main(%w: tensor<3xf32>, %x: tensor<3xf32>, %v: tensor<3xf32> {my.note})
    -> (tensor<f32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = "anvl.sub"(%w, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.mul"(%v, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %2, %0, %1 : tensor<f32>, tensor<3xf32>, tensor<3xf32>
}
