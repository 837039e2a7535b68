// RUN: anvl-opt %s --verify-each --anvl-pad="args=0" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-pad="args=0" --anvl-pad="args=0" | filecheck %s
// RUN: anvl-opt %s --anvl-pad="args=0 axes=0 sizes=8 lengths=0" | filecheck %s
// RUN: anvl-opt %s --anvl-pad | filecheck %s --check-prefix=NONE

// The bucketed axis has 8 elements, and its true size is an argument.  Only the op that combines
// elements along it masks the padding, with its neutral value; a constant that meets it is made at
// the padded size.  Doing it again changes nothing.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<8x3xf32> {anvl.padded = array<i64: 0>}
// CHECK-SAME:      %[[W:[a-z0-9]+]]: tensor<3x2xf32>
// CHECK-SAME:      %[[N:[a-z0-9]+]]: tensor<i32>
// CHECK:         %[[DOT:.*]] = "anvl.dot_general"(%[[X]], %[[W]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00> : tensor<8x2xf32>}
// CHECK-NOT:     tensor<5x2xf32>
// CHECK:         %[[Y:.*]] = "anvl.add"(%[[DOT]], %[[ONE]])
// CHECK:         %[[AT:.*]] = "anvl.iota"() {iota_dimension = 0 : i64} : () -> tensor<8xi32>
// CHECK:         %[[ALL:.*]] = "anvl.broadcast_in_dim"(%[[N]])
// CHECK:         %[[ROW:.*]] = "anvl.compare"(%[[AT]], %[[ALL]]) {{.*}}LT
// CHECK:         %[[IN:.*]] = "anvl.broadcast_in_dim"(%[[ROW]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[KEPT:.*]] = "anvl.select"(%[[IN]], %[[Y]], %[[ZERO]])
// CHECK:         %[[SUM:.*]] = "anvl.sum"(%[[KEPT]])
// CHECK:         %[[FLAT:.*]] = "anvl.reshape"(%[[X]]) : (tensor<8x3xf32>) -> tensor<24xf32>
// CHECK:         return %[[Y]], %[[SUM]], %[[FLAT]] : tensor<8x2xf32>, tensor<f32>, tensor<24xf32>
// NONE-LABEL: func.func @main(
// NONE-NOT: anvl.padded
func.func @main(%x: tensor<5x3xf32>, %w: tensor<3x2xf32>)
    -> (tensor<5x2xf32>, tensor<f32>, tensor<15xf32>) {
  %0 = "anvl.dot_general"(%x, %w) {dot_dimension_numbers = #stablehlo.dot<
    lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}
    : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %c = "anvl.constant"() {value = dense<1.0> : tensor<5x2xf32>} : () -> tensor<5x2xf32>
  %1 = "anvl.add"(%0, %c) : (tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 0, 1>} : (tensor<5x2xf32>) -> tensor<f32>
  %3 = "anvl.reshape"(%x) : (tensor<5x3xf32>) -> tensor<15xf32>
  return %1, %2, %3 : tensor<5x2xf32>, tensor<f32>, tensor<15xf32>
}
