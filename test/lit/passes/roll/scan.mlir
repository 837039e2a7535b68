// RUN: anvl-opt %s --verify-each --anvl-roll="always=true" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-roll="always=true" --anvl-roll | filecheck %s
// RUN: anvl-opt %s --anvl-roll | filecheck %s
// RUN: anvl-opt %s --anvl-roll="least=5" | filecheck %s --check-prefix=FEW

// Four steps of a recurrence become a scan: the state is carried, row i of the table is a scanned
// row, the numbers of the steps are one literal, and %w stays as it is.  Rolling again changes
// nothing.  By default products with a vector are worth a loop, but of fewer steps than `least` none
// is made.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<3xf32>, %[[W:[a-z0-9]+]]: tensor<3x3xf32>, %[[T:[a-z0-9]+]]: tensor<5x3xf32>
// CHECK-DAG:     %[[N:.*]] = "anvl.constant"() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>}
// CHECK-DAG:     %[[PART:.*]] = "anvl.slice"(%[[T]]) {limit_indices = array<i64: 5, 3>, start_indices = array<i64: 1, 0>
// CHECK-DAG:     %[[ROWS:.*]] = "anvl.reshape"(%[[PART]]) : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
// CHECK:         %[[Y:.*]] = call @main_step_each(%[[X]], {{.*}}, %[[W]])
// CHECK-NEXT:    return %[[Y]] : tensor<3xf32>
// CHECK-LABEL: func.func private @main_step(
// CHECK-SAME:      %[[C:[a-z0-9_]+]]: tensor<3xf32>, %{{.*}}: tensor<1x3xf32>, %{{.*}}: tensor<f32>, %[[S:[a-z0-9_]+]]: tensor<3x3xf32>
// CHECK:         "anvl.dot_general"(%[[C]], %[[S]])
// CHECK-COUNT-1: "anvl.tanh"
// CHECK:       func.func private @main_step_each({{.*}}) -> tensor<3xf32> attributes {anvl.scan = {body = @main_step, carry = 1 : i64, length = 4 : i64, reverse = false, xs = 2 : i64}}
// FEW-COUNT-4: anvl.tanh
// FEW-NOT: anvl.scan
func.func @main(%x: tensor<3xf32>, %w: tensor<3x3xf32>, %t: tensor<5x3xf32>) -> tensor<3xf32> {
  %d1 = "anvl.dot_general"(%x, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  %p1 = "anvl.slice"(%t) {limit_indices = array<i64: 2, 3>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>} : (tensor<5x3xf32>) -> tensor<1x3xf32>
  %r1 = "anvl.reshape"(%p1) : (tensor<1x3xf32>) -> tensor<3xf32>
  %a1 = "anvl.add"(%d1, %r1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c1 = "anvl.constant"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %m1 = "anvl.mul"(%a1, %c1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %e1 = "anvl.exp"(%m1) : (tensor<3xf32>) -> tensor<3xf32>
  %h1 = "anvl.tanh"(%e1) : (tensor<3xf32>) -> tensor<3xf32>
  %d2 = "anvl.dot_general"(%h1, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  %p2 = "anvl.slice"(%t) {limit_indices = array<i64: 3, 3>, start_indices = array<i64: 2, 0>, strides = array<i64: 1, 1>} : (tensor<5x3xf32>) -> tensor<1x3xf32>
  %r2 = "anvl.reshape"(%p2) : (tensor<1x3xf32>) -> tensor<3xf32>
  %a2 = "anvl.add"(%d2, %r2) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c2 = "anvl.constant"() {value = dense<2.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %m2 = "anvl.mul"(%a2, %c2) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %e2 = "anvl.exp"(%m2) : (tensor<3xf32>) -> tensor<3xf32>
  %h2 = "anvl.tanh"(%e2) : (tensor<3xf32>) -> tensor<3xf32>
  %d3 = "anvl.dot_general"(%h2, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  %p3 = "anvl.slice"(%t) {limit_indices = array<i64: 4, 3>, start_indices = array<i64: 3, 0>, strides = array<i64: 1, 1>} : (tensor<5x3xf32>) -> tensor<1x3xf32>
  %r3 = "anvl.reshape"(%p3) : (tensor<1x3xf32>) -> tensor<3xf32>
  %a3 = "anvl.add"(%d3, %r3) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c3 = "anvl.constant"() {value = dense<3.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %m3 = "anvl.mul"(%a3, %c3) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %e3 = "anvl.exp"(%m3) : (tensor<3xf32>) -> tensor<3xf32>
  %h3 = "anvl.tanh"(%e3) : (tensor<3xf32>) -> tensor<3xf32>
  %d4 = "anvl.dot_general"(%h3, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  %p4 = "anvl.slice"(%t) {limit_indices = array<i64: 5, 3>, start_indices = array<i64: 4, 0>, strides = array<i64: 1, 1>} : (tensor<5x3xf32>) -> tensor<1x3xf32>
  %r4 = "anvl.reshape"(%p4) : (tensor<1x3xf32>) -> tensor<3xf32>
  %a4 = "anvl.add"(%d4, %r4) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c4 = "anvl.constant"() {value = dense<4.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %m4 = "anvl.mul"(%a4, %c4) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %e4 = "anvl.exp"(%m4) : (tensor<3xf32>) -> tensor<3xf32>
  %h4 = "anvl.tanh"(%e4) : (tensor<3xf32>) -> tensor<3xf32>
  return %h4 : tensor<3xf32>
}
