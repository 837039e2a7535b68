// RUN: anvl-opt %s --anvl-simplify-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-simplify-control-flow > %t
// RUN: anvl-opt %t --anvl-simplify-control-flow | diff %t -
// RUN: anvl-opt %t --anvl-control-flow | %run --function=known --args='[4.0]' \
// RUN:   | %numbers %s --check-prefix=KNOWN
// RUN: anvl-opt %t --anvl-control-flow | %run --function=main --args='[1, 4.0, 5.0]' \
// RUN:   | %numbers %s

// An index that is known: below 0 the first branch, above the last the last.

// CHECK-LABEL: func.func @known(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>)
// CHECK:         call @a(%[[X]], %[[X]])
// CHECK:         call @b(%[[X]], %[[X]])
// CHECK:         call @b(%[[X]], %[[X]])

// KNOWN:      f64[] -4.0
// KNOWN-NEXT: f64[] 16.0
// KNOWN-NEXT: f64[] 16.0
func.func @known(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %i = "anvl.constant"() {value = dense<-3> : tensor<i32>} : () -> tensor<i32>
  %j = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %k = "anvl.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %0:2 = call @either(%i, %x, %x) : (tensor<i32>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1:2 = call @either(%j, %x, %x) : (tensor<i32>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %2:2 = call @either(%k, %x, %x) : (tensor<i32>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0, %1#0, %2#0 : tensor<f64>, tensor<f64>, tensor<f64>
}

// Nobody asks for the second result, so no branch needs the second operand.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[I:\w+]]: tensor<i32>, %[[X:\w+]]: tensor<f64>,
// CHECK:         call @either_simpler(%[[I]], %[[X]]) : (tensor<i32>, tensor<f64>) -> tensor<f64>
// CHECK-LABEL: func.func private @a_simpler(
// CHECK-NOT:     "anvl.exp"
// CHECK:         return

// NUMBERS: f64[] 16.0
func.func @main(%i: tensor<i32>, %x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0:2 = call @either(%i, %x, %y) : (tensor<i32>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0 : tensor<f64>
}

func.func private @either(tensor<i32>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.case = {branches = [@a, @b]}}
func.func private @a(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = "anvl.neg"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.exp"(%y) : (tensor<f64>) -> tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}
func.func private @b(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0, %y : tensor<f64>, tensor<f64>
}
