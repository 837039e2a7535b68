// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-vectorize="function=members size=2" | filecheck %s --check-prefix=NAMED
// RUN: anvl-opt %s --anvl-vectorize="function=members size=2" \
// RUN:   | %run --function=members_batched --args='[[[1.0, 2.0], [10.0, 20.0]], [0, 1]]' | %numbers %s

// Part k goes to device k: the adjoint sends the cotangents back. A batch of the place is the
// named axis.

// CHECK-LABEL: func.func private @back(
// CHECK-SAME:    %[[I:[a-zA-Z0-9_]+]]: tensor<i32>, %[[G:[a-zA-Z0-9_]+]]: tensor<1x4xf32>)
// CHECK:         %[[DX:.*]] = "anvl.all_to_all"(%[[G]], %[[I]]) {axes = ["x", "y"], concat_dimension = 0 : i64, mesh = "x=2,y=2", split_dimension = 1 : i64}
// CHECK:         return %{{.*}}, %[[DX]]
func.func private @back(tensor<4x1xf32>, tensor<i32>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<4x1xf32>)
    attributes {anvl.vjp = {callee = @all_to_all, wrt = array<i64: 0>, targets = array<i64: 0>}}

// HLO-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// HLO:         "stablehlo.all_to_all"(%{{.*}}) <{channel_handle
// HLO-SAME{LITERAL}: replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64
func.func private @all_to_all(%x: tensor<4x1xf32>, %i: tensor<i32>) -> tensor<1x4xf32> {
  %y = "anvl.all_to_all"(%x, %i) {axes = ["x", "y"], concat_dimension = 1 : i64, mesh = "x=2,y=2", split_dimension = 0 : i64}
    : (tensor<4x1xf32>, tensor<i32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// NAMED-LABEL: func.func @members_batched(
// NAMED:         "anvl.transpose"

// NUMBERS: f32[2,2] 1.0 10.0 2.0 20.0
func.func private @members(%x: tensor<2xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %y = "anvl.all_to_all"(%x, %i) {axes = ["i"], concat_dimension = 0 : i64, mesh = "i=2", split_dimension = 0 : i64}
    : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @each(tensor<4x4xf32>, tensor<i32>) -> tensor<4x4xf32> attributes {
  anvl.shard_map = {body = @all_to_all, mesh = "x=2,y=2", in = ["-,x*y", ""], out = ["x*y,-"]}
}
func.func @whole(%x: tensor<4x4xf32>, %i: tensor<i32>) -> tensor<4x4xf32> {
  %y = func.call @each(%x, %i) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
