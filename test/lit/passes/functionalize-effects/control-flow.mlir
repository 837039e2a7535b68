// RUN: anvl-opt %s --verify-each --anvl-functionalize-effects | filecheck %s

// A branch returns the state, of those with a check the new one; a loop carries it.  The condition of
// a loop returns a bool alone: with a check it is computed before the loop, and at the end of each
// step.

// CHECK-LABEL: func.func @choice(
// CHECK:         %[[R:.*]]:3 = "stablehlo.if"(%{{.*}}) ({
// CHECK:           %[[C:.*]] = "anvl.select"
// CHECK:           %[[W:.*]] = "anvl.select"
// CHECK:           stablehlo.return %{{.*}}, %[[C]], %[[W]]
// CHECK:         }, {
// CHECK:           stablehlo.return %{{.*}}, %{{.*}}, %{{.*}} : tensor<f32>, tensor<i32>, tensor<1xui32>
// CHECK:         return %[[R]]#0, %[[R]]#1, %[[R]]#2

// CHECK-LABEL: func.func @loop(
// CHECK:         %[[FIRST:.*]] = "anvl.compare"
// CHECK:         %[[C0:.*]] = "anvl.select"
// CHECK:         %[[W0:.*]] = "anvl.select"
// CHECK:         %[[L:.*]]:4 = stablehlo.while(%[[X:.*]] = %{{.*}}, %[[FLAG:.*]] = %[[FIRST]], %{{.*}} = %[[C0]], %{{.*}} = %[[W0]])
// CHECK:         cond {
// CHECK-NEXT:      stablehlo.return %[[FLAG]]
// CHECK:         } do {
// CHECK:           %[[AGAIN:.*]] = "anvl.compare"
// CHECK:           %[[C:.*]] = "anvl.select"
// CHECK:           %[[W:.*]] = "anvl.select"
// CHECK:           stablehlo.return %{{.*}}, %[[AGAIN]], %[[C]], %[[W]]
// CHECK:         return %[[L]]#0, %[[L]]#2, %[[L]]#3
func.func @choice(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %none = "anvl.constant"() {value = dense<0> : tensor<1xui32>} : () -> tensor<1xui32>
  %0 = "stablehlo.if"(%p) ({
    "anvl.check"(%p, %none) {message = "p", names = [], types = [], shape = array<i64>}
      : (tensor<i1>, tensor<1xui32>) -> ()
    stablehlo.return %x : tensor<f32>
  }, {
    %y = "anvl.neg"(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @loop(%x: tensor<f32>, %end: tensor<f32>) -> tensor<f32> {
  %none = "anvl.constant"() {value = dense<0> : tensor<1xui32>} : () -> tensor<1xui32>
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%v: tensor<f32>):
    %p = "anvl.compare"(%v, %end) {comparison_direction = #stablehlo<comparison_direction LT>}
      : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "anvl.check"(%p, %none) {message = "v", names = [], types = [], shape = array<i64>}
      : (tensor<i1>, tensor<1xui32>) -> ()
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%v: tensor<f32>):
    %w = "anvl.add"(%v, %v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %w : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
