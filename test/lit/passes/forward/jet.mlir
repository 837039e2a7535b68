// RUN: anvl-opt %s --split-input-file --anvl-forward --cse --trivial-dce > %t.once
// RUN: filecheck %s < %t.once
// RUN: anvl-opt %t.once --split-input-file --anvl-forward --cse --trivial-dce | diff %t.once -

// The exponential along a curve: y' = y x', coefficient by coefficient, and no second exponential.
// The derivatives are scaled to coefficients at the beginning, and back at the end.

// CHECK-LABEL: func.func private @exp_jet(
// CHECK-SAME:      %[[X:[a-z0-9_]+]]: tensor<f32>, %[[X1:[a-z0-9_]+]]: tensor<f32>, %[[X2:[a-z0-9_]+]]: tensor<f32>)
// CHECK-DAG:     %[[HALF:.*]] = "anvl.constant"() {value = dense<5.000000e-01>
// CHECK-DAG:     %[[TWO:.*]] = "anvl.constant"() {value = dense<2.000000e+00>
// CHECK-DAG:     %[[Y:.*]] = "anvl.exp"(%[[X]])
// CHECK-DAG:     %[[C2:.*]] = "anvl.mul"(%[[X2]], %[[HALF]])
// CHECK-DAG:     %[[Y1:.*]] = "anvl.mul"(%[[X1]], %[[Y]])
// CHECK-DAG:     %[[S:.*]] = "anvl.mul"(%[[C2]], %[[TWO]])
// CHECK:         %[[A:.*]] = "anvl.mul"(%[[X1]], %[[Y1]])
// CHECK:         %[[B:.*]] = "anvl.mul"(%[[S]], %[[Y]])
// CHECK:         %[[SUM:.*]] = "anvl.add"(%[[A]], %[[B]])
// CHECK:         %[[Y2:.*]] = "anvl.mul"(%[[SUM]], %[[HALF]])
// CHECK:         %[[D2:.*]] = "anvl.mul"(%[[Y2]], %[[TWO]])
// CHECK-NOT:     anvl.exp
// CHECK:         return %[[Y]], %[[Y1]], %[[D2]]
func.func private @exp(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.exp"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @exp_jet(tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) attributes {anvl.jet = {callee = @exp, wrt = array<i64: 0, 0>, orders = array<i64: 1, 2>, order = 2 : i64}}
func.func @main(%x: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0:3 = call @exp_jet(%x, %t, %t) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#0, %0#1, %0#2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A derivative that is not given is zero, and has no ops: of x with x' alone, the series of sine and
// cosine go together, with one of each.

// CHECK-LABEL: func.func private @sin_jet(
// CHECK-COUNT-1: anvl.sin
// CHECK-COUNT-1: anvl.cos
// CHECK-NOT:     anvl.sin
// CHECK-NOT:     anvl.cos
// CHECK:         return
func.func private @sin(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @sin_jet(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) attributes {anvl.jet = {callee = @sin, wrt = array<i64: 0>, orders = array<i64: 1>, order = 4 : i64}}
func.func @main(%x: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  %0:5 = call @sin_jet(%x, %t) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#4 : tensor<f32>
}
