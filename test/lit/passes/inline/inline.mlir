// RUN: anvl-opt %s --verify-each --anvl-inline | filecheck %s
// RUN: anvl-opt %s --anvl-inline --anvl-inline | filecheck %s

// Bodies take the place of calls, also of calls inside what is called; private functions that
// nobody uses any more are gone, public ones stay. Doing it again changes nothing.

// CHECK-NOT:   @helper
// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK-NEXT:    %[[SIN:.*]] = "anvl.sin"(%[[X]])
// CHECK-NEXT:    %[[COS:.*]] = "anvl.cos"(%[[SIN]])
// CHECK-NEXT:    return %[[COS]], %[[SIN]]
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64> {x.name = "x"}
// CHECK-NEXT:    %[[SIN:.*]] = "anvl.sin"(%[[X]])
// CHECK-NEXT:    %[[COS:.*]] = "anvl.cos"(%[[SIN]])
// CHECK-NEXT:    %[[SUM:.*]] = "anvl.add"(%[[COS]], %[[SIN]])
// CHECK-NEXT:    return %[[SUM]]
// CHECK-NOT:   func.func
func.func private @helper(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @twice(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = call @helper(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.cos"(%0) : (tensor<f64>) -> tensor<f64>
  return %1, %0 : tensor<f64>, tensor<f64>
}
func.func @main(%x: tensor<f64> {x.name = "x"}) -> tensor<f64> {
  %0:2 = call @twice(%x) : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1 = "anvl.add"(%0#0, %0#1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
