// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-vectorize="function=members size=3" | filecheck %s --check-prefix=NAMED
// RUN: anvl-opt %s --anvl-vectorize="function=members size=3" \
// RUN:   | %run --function=members_batched --args='[[1.0, 2.0, 3.0], [0, 1, 2]]' | %numbers %s

// What member 0 sends to member 1 along y, devices 0 to 1 and 2 to 3: the adjoint sends it back. A batch of the place is the
// named axis.

// CHECK-LABEL: func.func private @back(
// CHECK-SAME:    %[[I:[a-zA-Z0-9_]+]]: tensor<i32>, %[[G:[a-zA-Z0-9_]+]]: tensor<2xf32>)
// CHECK:         %[[DX:.*]] = "anvl.collective_permute"(%[[G]], %[[I]]) {axes = ["y"], mesh = "x=2,y=2", pairs = array<i64: 1, 0>}
// CHECK:         return %{{.*}}, %[[DX]]
func.func private @back(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    attributes {anvl.vjp = {callee = @collective_permute, wrt = array<i64: 0>, targets = array<i64: 0>}}

// HLO-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// HLO:         "stablehlo.collective_permute"(%{{.*}}) <{channel_handle
// HLO-SAME{LITERAL}: source_target_pairs = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
func.func private @collective_permute(%x: tensor<2xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %y = "anvl.collective_permute"(%x, %i) {axes = ["y"], mesh = "x=2,y=2", pairs = array<i64: 0, 1>}
    : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// NAMED-LABEL: func.func @members_batched(
// NAMED:         stablehlo.concatenate

// NUMBERS: f32[3] 0.0 1.0 2.0
func.func private @members(%x: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  %y = "anvl.collective_permute"(%x, %i) {axes = ["i"], mesh = "i=3", pairs = array<i64: 0, 1, 1, 2>}
    : (tensor<f32>, tensor<i32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @each(tensor<4xf32>, tensor<i32>) -> tensor<4xf32> attributes {
  anvl.shard_map = {body = @collective_permute, mesh = "x=2,y=2", in = ["y", ""], out = ["y"]}
}
func.func @whole(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %y = func.call @each(%x, %i) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
