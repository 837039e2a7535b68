// RUN: anvl-opt %s --anvl-simplify-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-simplify-control-flow > %t
// RUN: anvl-opt %t --anvl-simplify-control-flow | diff %t -
// RUN: anvl-opt %s --anvl-control-flow | %run --function=counted --args='[1.0, 0.5]' \
// RUN:   | %numbers %s --check-prefix=COUNTED
// RUN: anvl-opt %t --anvl-control-flow | %run --function=counted --args='[1.0, 0.5]' \
// RUN:   | %numbers %s --check-prefix=COUNTED

// A while: the limit is a carry that stays, in the condition as in the body; the third is dead.

// CHECK-LABEL: func.func @counted(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>, %[[Y:\w+]]: tensor<f64>)
// CHECK:         %[[S:.*]] = "anvl.sin"(%[[Y]])
// CHECK:         call @again_simpler(%{{.*}}, %[[X]], %[[S]]) : (tensor<i32>, tensor<f64>, tensor<f64>)

// COUNTED:      f64[] 5.79426
func.func @counted(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %i = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %n = "anvl.constant"() {value = dense<10> : tensor<i32>} : () -> tensor<i32>
  %0:4 = call @again(%i, %n, %x, %x, %y)
    : (tensor<i32>, tensor<i32>, tensor<f64>, tensor<f64>, tensor<f64>)
    -> (tensor<i32>, tensor<i32>, tensor<f64>, tensor<f64>)
  return %0#3 : tensor<f64>
}

// CHECK-LABEL: func.func private @more_simpler(
// CHECK-SAME:    %[[I:\w+]]: tensor<i32>, %{{\w+}}: tensor<f64>, %{{\w+}}: tensor<f64>) -> tensor<i1>
// CHECK:         %[[N:.*]] = "anvl.constant"() {value = dense<10>
// CHECK:         "anvl.compare"(%[[I]], %[[N]])
func.func private @again(tensor<i32>, tensor<i32>, tensor<f64>, tensor<f64>, tensor<f64>)
    -> (tensor<i32>, tensor<i32>, tensor<f64>, tensor<f64>)
    attributes {anvl.while = {cond = @more, body = @next, carry = 4 : i64}}

func.func private @more(%i: tensor<i32>, %n: tensor<i32>, %d: tensor<f64>, %x: tensor<f64>, %y: tensor<f64>) -> tensor<i1> {
  %0 = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func private @next(%i: tensor<i32>, %n: tensor<i32>, %d: tensor<f64>, %x: tensor<f64>, %y: tensor<f64>)
    -> (tensor<i32>, tensor<i32>, tensor<f64>, tensor<f64>) {
  %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %0 = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %1 = "anvl.sin"(%y) : (tensor<f64>) -> tensor<f64>
  %2 = "anvl.add"(%x, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = "anvl.add"(%d, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0, %n, %3, %2 : tensor<i32>, tensor<i32>, tensor<f64>, tensor<f64>
}
