// RUN: anvl-opt %s --verify-each --anvl-vectorize | filecheck %s
// RUN: anvl-opt %s --anvl-vectorize | %run --args='[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [10.0, 20.0]]' \
// RUN:   | %numbers %s

// A declaration with `anvl.vmap` gets a body: what is in `batched` and in `results` has one more
// axis, the first. Ops that no batched argument reaches stay as they were, and are done once.

// CHECK-NOT:   anvl.vmap
// CHECK-LABEL: func.func private @f_vmap(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3x2xf64>, %[[W:[a-zA-Z0-9_]+]]: tensor<2xf64>)
// CHECK-SAME:    -> (tensor<3xf64>, tensor<2xf64>)
// CHECK-NEXT:    %[[NEG:.*]] = "anvl.neg"(%[[W]]) : (tensor<2xf64>)
// CHECK-NEXT:    %[[WS:.*]] = "anvl.broadcast_in_dim"(%[[NEG]]) {{.*}} -> tensor<3x2xf64>
// CHECK-NEXT:    %[[XW:.*]] = "anvl.mul"(%[[X]], %[[WS]])
// CHECK-NEXT:    %[[SUM:.*]] = "anvl.sum"(%[[XW]]) {axes = array<i64: 1>}
// CHECK-NEXT:    return %[[SUM]], %[[NEG]]
// CHECK-LABEL: func.func @main(
// CHECK:         call @f_vmap(

// NUMBERS:      f64[3] -50.0 -110.0 -170.0
// NUMBERS-NEXT: f64[2] -10.0 -20.0
func.func private @f(%x: tensor<2xf64>, %w: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %0 = "anvl.neg"(%w) : (tensor<2xf64>) -> tensor<2xf64>
  %1 = "anvl.mul"(%x, %0) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %2 = "anvl.sum"(%1) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %2, %0 : tensor<f64>, tensor<2xf64>
}

func.func private @f_vmap(tensor<3x2xf64>, tensor<2xf64>) -> (tensor<3xf64>, tensor<2xf64>)
    attributes {anvl.vmap = {callee = @f, batched = array<i64: 0>, results = array<i64: 0>,
                             size = 3 : i64}}

func.func @main(%x: tensor<3x2xf64>, %w: tensor<2xf64>) -> (tensor<3xf64>, tensor<2xf64>) {
  %0:2 = call @f_vmap(%x, %w)
      : (tensor<3x2xf64>, tensor<2xf64>) -> (tensor<3xf64>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<3xf64>, tensor<2xf64>
}
