// RUN: anvl-opt %s --verify-each --anvl-simplify-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-simplify-control-flow > %t
// RUN: anvl-opt %t --anvl-simplify-control-flow | diff %t -
// RUN: %run %t --function=known --args='[4.0]' | %numbers %s --check-prefix=KNOWN
// RUN: %run %t --function=main --args='[1, 4.0, 5.0]' | %numbers %s

// An index that is known; one that no branch has means the last.

// CHECK-LABEL: func.func @known(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK-NOT:     stablehlo
// CHECK:         %[[Y:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[Z:.*]] = "anvl.neg"(%[[X]])
// CHECK:         return %[[Z]], %[[Y]], %[[X]]

// KNOWN:      f64[] -4.0
// KNOWN-NEXT: f64[] 16.0
// KNOWN-NEXT: f64[] 4.0
func.func @known(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %i = "anvl.constant"() {value = dense<-3> : tensor<i32>} : () -> tensor<i32>
  %j = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %p = "anvl.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %y = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f64>
  }, {
    %2 = "anvl.neg"(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %2 : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  %1 = "stablehlo.case"(%j) ({
    stablehlo.return %y : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  %3 = "stablehlo.if"(%p) ({
    stablehlo.return %y : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0, %1, %3 : tensor<f64>, tensor<f64>, tensor<f64>
}

// Nobody asks for the second result, nor for a choice of which nobody asks for any.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[I:[a-zA-Z0-9_]+]]: tensor<i32>, %[[X:[a-zA-Z0-9_]+]]: tensor<f64>,
// CHECK:         %[[R:.*]] = "stablehlo.case"(%[[I]]) ({
// CHECK-NOT:     "anvl.exp"
// CHECK:         return %[[R]] : tensor<f64>

// NUMBERS: f64[] 16.0
func.func @main(%i: tensor<i32>, %x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0:2 = "stablehlo.case"(%i) ({
    %1 = "anvl.neg"(%x) : (tensor<f64>) -> tensor<f64>
    %2 = "anvl.exp"(%y) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1, %2 : tensor<f64>, tensor<f64>
  }, {
    %1 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %1, %y : tensor<f64>, tensor<f64>
  }) : (tensor<i32>) -> (tensor<f64>, tensor<f64>)
  %3 = "stablehlo.case"(%i) ({
    %4 = "anvl.exp"(%0#1) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %4 : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  return %0#0 : tensor<f64>
}
