// RUN: anvl-opt %s --verify-each --anvl-pad="args=0" | filecheck %s

// A loop carries the padded axis, and so does what it began with; a branch that returns a constant
// returns it at the padded size.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK:         %[[ZEROS:.*]] = "anvl.constant"() {value = dense<0.000000e+00> : tensor<8xf32>}
// CHECK:         %[[Y:.*]]:2 = stablehlo.while({{.*}} = %{{.*}}, {{.*}} = %[[ZEROS]]) : tensor<i32>, tensor<8xf32>
// CHECK:           "anvl.add"({{.*}}, %[[X]]) : (tensor<8xf32>, tensor<8xf32>)
// CHECK:         %[[Z:.*]] = "stablehlo.if"
// CHECK:           "anvl.constant"() {value = dense<2.000000e+00> : tensor<8xf32>}
// CHECK-NOT:     tensor<5xf32>
func.func @main(%x: tensor<5xf32>, %p: tensor<i1>) -> tensor<5xf32> {
  %zero = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %three = "anvl.constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %zeros = "anvl.constant"() {value = dense<0.0> : tensor<5xf32>} : () -> tensor<5xf32>
  %0:2 = stablehlo.while(%i = %zero, %s = %zeros) : tensor<i32>, tensor<5xf32>
  cond {
    %c = "anvl.compare"(%i, %three) {comparison_direction = #stablehlo<comparison_direction LT>}
      : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %t = "anvl.add"(%s, %x) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    stablehlo.return %j, %t : tensor<i32>, tensor<5xf32>
  }
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %0#1 : tensor<5xf32>
  }, {
    %two = "anvl.constant"() {value = dense<2.0> : tensor<5xf32>} : () -> tensor<5xf32>
    stablehlo.return %two : tensor<5xf32>
  }) : (tensor<i1>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
