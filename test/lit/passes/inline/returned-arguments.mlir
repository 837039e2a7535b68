// RUN: anvl-opt %s --verify-each --anvl-inline | filecheck %s

// A callee that returns its arguments, or nothing, leaves no op behind; a result may be used twice
// and an argument given twice.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK-NEXT:    %[[SUM:.*]] = "anvl.add"(%[[Y]], %[[Y]])
// CHECK-NEXT:    return %[[SUM]], %[[X]], %[[X]]
func.func private @swap(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %y, %x : tensor<f64>, tensor<f64>
}
func.func private @nothing() {
  return
}
func.func @main(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  call @nothing() : () -> ()
  %0:2 = call @swap(%x, %y) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1:2 = call @swap(%0#1, %0#1) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %2 = "anvl.add"(%0#0, %0#0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %2, %1#0, %1#1 : tensor<f64>, tensor<f64>, tensor<f64>
}
