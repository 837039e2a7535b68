// RUN: anvl-opt %s --verify-each --anvl-vectorize="function=scaled size=2" | filecheck %s
// RUN: anvl-opt %s --anvl-vectorize="function=scaled size=2" \
// RUN:   | %run --function=scaled_batched --args='[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]' | %numbers %s

// A body may read constants from around its op, and what follows from them: they are copied into
// the body before a pass transforms the op, as rules take bodies to other places.

// CHECK-LABEL: func.func @scaled_batched(
// CHECK:         stablehlo.reduce
// CHECK:         reducer(%[[A:.*]]: tensor<f64>, %[[B:.*]]: tensor<f64>)
// CHECK-NEXT:      %[[TWO:.*]] = "anvl.constant"() {value = dense<2.000000e+00> : tensor<f64>}
// CHECK-NEXT:      %[[SAME:.*]] = "anvl.constant"() {value = dense<2.000000e+00> : tensor<f64>}
// CHECK-NEXT:      %[[FOUR:.*]] = "anvl.mul"(%[[TWO]], %[[SAME]])
// CHECK-NEXT:      %[[S:.*]] = "anvl.mul"(%[[B]], %[[FOUR]])
// CHECK-NEXT:      "anvl.add"(%[[A]], %[[S]])

// NUMBERS: f64[2] 24.0 60.0
func.func @scaled(%x: tensor<3xf64>) -> tensor<f64> {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %two = "anvl.constant"() {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %four = "anvl.mul"(%two, %two) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %y = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = "anvl.mul"(%b, %four) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %t = "anvl.add"(%a, %s) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %t : tensor<f64>
  }) : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
