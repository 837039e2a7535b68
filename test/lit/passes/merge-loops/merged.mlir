// RUN: anvl-opt %s --verify-each --anvl-merge-loops | filecheck %s
// RUN: anvl-opt %s --anvl-merge-loops --anvl-merge-loops | filecheck %s

// The second loop computes the carries of the first, in another order and among others. The first
// is gone, and the second is where it was, with the ops it needs. Doing it again changes nothing.

// CHECK-LABEL: func.func @part_of_a_later_loop(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf32>, %[[W:[a-zA-Z0-9_]+]]: tensor<2xf32>
// CHECK:         %[[TANGENT:.*]] = "anvl.cos"(%[[X]])
// CHECK:         %[[BOTH:.*]]:3 = stablehlo.while(%{{.*}} = %[[TANGENT]], %{{.*}} = %{{.*}}, %{{.*}} = %[[X]])
// CHECK:           stablehlo.return
// CHECK:           stablehlo.return
// CHECK-NOT:     stablehlo.while
// CHECK:         %[[EXP:.*]] = "anvl.exp"(%[[BOTH]]#2)
// CHECK:         return %[[EXP]], %[[BOTH]]#0
func.func @part_of_a_later_loop(%x: tensor<2xf32>, %w: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %n = "anvl.constant"() {value = dense<9> : tensor<i32>} : () -> tensor<i32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %next = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %y = "anvl.mul"(%c, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %next, %y : tensor<i32>, tensor<2xf32>
  }
  %1 = "anvl.exp"(%0#1) : (tensor<2xf32>) -> tensor<2xf32>
  %zero_too = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %tangent = "anvl.cos"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %2:3 = stablehlo.while(%t = %tangent, %j = %zero_too, %d = %x) : tensor<2xf32>, tensor<i32>, tensor<2xf32>
  cond {
    %n = "anvl.constant"() {value = dense<9> : tensor<i32>} : () -> tensor<i32>
    %p = "anvl.compare"(%j, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = "anvl.mul"(%d, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %s = "anvl.mul"(%t, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %next = "anvl.add"(%j, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %s, %next, %y : tensor<2xf32>, tensor<i32>, tensor<2xf32>
  }
  return %1, %2#0 : tensor<2xf32>, tensor<2xf32>
}

// Carries that start alike are told apart by their steps: the first moment is not the second.

// CHECK-LABEL: func.func @carries_that_start_alike(
// CHECK:         %[[BOTH:.*]]:4 = stablehlo.while
// CHECK:           stablehlo.return
// CHECK:           stablehlo.return
// CHECK-NOT:     stablehlo.while
// CHECK:         return %[[BOTH]]#2, %[[BOTH]]#3, %[[BOTH]]#1
func.func @carries_that_start_alike(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0:4 = stablehlo.while(%i = %zero, %o = %zero, %m = %zero, %v = %zero) : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %p = "anvl.compare"(%i, %x) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %a = "anvl.add"(%m, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %b = "anvl.sub"(%v, %m) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %c = "anvl.sin"(%b) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %c, %a, %b : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  %1:3 = stablehlo.while(%v = %zero, %m = %zero, %i = %zero) : tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %p = "anvl.compare"(%i, %x) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %a = "anvl.add"(%m, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %b = "anvl.sub"(%v, %m) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %b, %a, %next : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %1#1, %1#0, %0#1 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Choices by one value, of which one makes the results of the other in every branch.

// CHECK-LABEL: func.func @choices(
// CHECK:         %[[BOTH:.*]]:2 = "stablehlo.if"
// CHECK-NOT:     stablehlo.if
// CHECK:         return %[[BOTH]]#1, %[[BOTH]]#0
func.func @choices(%p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = "stablehlo.if"(%p) ({
    %y = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %1:2 = "stablehlo.if"(%p) ({
    %y = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
    %z = "anvl.cos"(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %z, %y : tensor<f32>, tensor<f32>
  }, {
    %z = "anvl.exp"(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %z, %x : tensor<f32>, tensor<f32>
  }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
  return %0, %1#0 : tensor<f32>, tensor<f32>
}
