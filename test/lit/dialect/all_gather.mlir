// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-vectorize="function=members size=2" | filecheck %s --check-prefix=NAMED
// RUN: anvl-opt %s --anvl-vectorize="function=members size=2" \
// RUN:   | %run --function=members_batched --args='[[[1.0], [2.0]], [0, 1]]' | %numbers %s

// Each device gets the parts of all: the adjoint sums the cotangents of each part, and leaves it to its
// device. A batch of the place is the
// named axis.

// CHECK-LABEL: func.func private @back(
// CHECK-SAME:    %[[I:[a-zA-Z0-9_]+]]: tensor<i32>, %[[G:[a-zA-Z0-9_]+]]: tensor<4xf32>)
// CHECK:         %[[DX:.*]] = "anvl.reduce_scatter"(%[[G]], %[[I]]) {axes = ["x"], dimension = 0 : i64, mesh = "x=2,y=2"}
// CHECK:         return %{{.*}}, %[[DX]]
func.func private @back(tensor<2xf32>, tensor<i32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>)
    attributes {anvl.vjp = {callee = @all_gather, wrt = array<i64: 0>, targets = array<i64: 0>}}

// HLO-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// HLO:         "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 0 : i64
// HLO-SAME{LITERAL}: replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>
func.func private @all_gather(%x: tensor<2xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %y = "anvl.all_gather"(%x, %i) {axes = ["x"], dimension = 0 : i64, mesh = "x=2,y=2"}
    : (tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// NAMED-LABEL: func.func @members_batched(
// NAMED:         "anvl.broadcast_in_dim"

// NUMBERS: f32[2,2] 1.0 2.0 1.0 2.0
func.func private @members(%x: tensor<1xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %y = "anvl.all_gather"(%x, %i) {axes = ["i"], dimension = 0 : i64, mesh = "i=2"}
    : (tensor<1xf32>, tensor<i32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @each(tensor<4xf32>, tensor<i32>) -> tensor<4xf32> attributes {
  anvl.shard_map = {body = @all_gather, mesh = "x=2,y=2", in = ["x", ""], out = ["-"]}
}
func.func @whole(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %y = func.call @each(%x, %i) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
