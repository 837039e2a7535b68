// RUN: anvl-opt %s --anvl-simplify-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-simplify-control-flow > %t
// RUN: anvl-opt %t --anvl-simplify-control-flow | diff %t -
// RUN: anvl-opt %s --anvl-control-flow | %run --function=counted --args='[1.0, 0.5]' \
// RUN:   | %numbers %s --check-prefix=COUNTED
// RUN: anvl-opt %t --anvl-control-flow | %run --function=counted --args='[1.0, 0.5]' \
// RUN:   | %numbers %s --check-prefix=COUNTED

// A while: the limit is a carry that stays, in the condition as in the body; the third is dead.

// CHECK-LABEL: func.func @counted(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK:         %[[S:.*]] = "anvl.sin"(%[[Y]])
// CHECK:         stablehlo.while(%[[I:.*]] = %{{.*}}, %[[C:.*]] = %[[X]]) : tensor<i32>, tensor<f64>
// CHECK:           %[[N:.*]] = "anvl.constant"() {value = dense<10>
// CHECK:           "anvl.compare"(%[[I]], %[[N]])
// CHECK:         do {
// CHECK:           "anvl.add"(%[[C]], %[[S]])

// COUNTED:      f64[] 5.79426
func.func @counted(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %first = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %last = "anvl.constant"() {value = dense<10> : tensor<i32>} : () -> tensor<i32>
  %0:4 = stablehlo.while(%i = %first, %n = %last, %d = %x, %c = %x) : tensor<i32>, tensor<i32>, tensor<f64>, tensor<f64>
  cond {
    %more = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %1 = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "anvl.sin"(%y) : (tensor<f64>) -> tensor<f64>
    %3 = "anvl.add"(%c, %2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %4 = "anvl.add"(%d, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %1, %n, %4, %3 : tensor<i32>, tensor<i32>, tensor<f64>, tensor<f64>
  }
  return %0#3 : tensor<f64>
}
