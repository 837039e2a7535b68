// RUN: anvl-opt %s --verify-each --anvl-hoist-constants | filecheck %s

// A constant of a function that is called becomes an argument of every function on the way to it;
// one that two of them use is passed once.

// CHECK-LABEL: func.func private @leaf(
// CHECK-SAME:    %[[C1:[a-zA-Z0-9_]+]]: tensor<2xf64> {anvl.captured = 5
// CHECK-SAME:    %[[C2:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f64>> {anvl.constant = "c2", anvl.value = dense<[(1.000000e+00,
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>)
// CHECK-LABEL: func.func private @middle(
// CHECK-SAME:    %[[C1:[a-zA-Z0-9_]+]]: tensor<2xf64> {anvl.captured = 5
// CHECK-SAME:    %[[C2:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f64>> {anvl.constant = "c2"
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>)
// CHECK-NEXT:    call @leaf(%[[C1]], %[[C2]], %[[X]])
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[C1:[a-zA-Z0-9_]+]]: tensor<2xf64> {anvl.captured = 5
// CHECK-SAME:    %[[C2:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f64>> {anvl.constant = "c2"
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>)
// CHECK-NEXT:    %[[A:.*]] = call @middle(%[[C1]], %[[C2]], %[[X]])
// CHECK-NEXT:    %[[B:.*]] = "anvl.mul"(%[[A]], %[[C1]])
// CHECK-NEXT:    return %[[B]]
func.func private @leaf(%x: tensor<2xf64>) -> tensor<2xf64> {
  %c = "anvl.captured"() {index = 5 : i64} : () -> tensor<2xf64>
  %z = "anvl.constant"() {value = dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f64>>}
      : () -> tensor<2xcomplex<f64>>
  %r = "anvl.real"(%z) : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %0 = "anvl.add"(%x, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = "anvl.add"(%0, %r) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
func.func private @middle(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = call @leaf(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = call @middle(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %c = "anvl.captured"() {index = 5 : i64} : () -> tensor<2xf64>
  %1 = "anvl.mul"(%0, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
