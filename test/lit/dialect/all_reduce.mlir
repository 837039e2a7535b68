// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-vectorize="function=members size=3" | filecheck %s --check-prefix=NAMED
// RUN: anvl-opt %s --anvl-vectorize="function=members size=3" \
// RUN:   | %run --function=members_batched --args='[[1.0, 2.0, 4.0], [0, 1, 2]]' | %numbers %s

// The adjoint of a sum over devices is a sum. Devices 0 and 2, 1 and 3 differ along x alone. A batch
// of the place is the named axis: a sum over it.

// CHECK-LABEL: func.func private @back(
// CHECK-SAME:    %{{.*}}: tensor<2xf32>, %[[I:[a-zA-Z0-9_]+]]: tensor<i32>, %[[G:[a-zA-Z0-9_]+]]: tensor<2xf32>
// CHECK:         %[[DX:.*]] = "anvl.all_reduce"(%[[G]], %[[I]]) {axes = ["x"], kind = "sum", mesh = "x=2,y=2"}
// CHECK:         return %{{.*}}, %[[DX]]
func.func private @back(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    attributes {anvl.vjp = {callee = @all_reduce, wrt = array<i64: 0>, targets = array<i64: 0>}}

// HLO-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// HLO:         "stablehlo.all_reduce"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
// HLO-SAME{LITERAL}: replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>
// HLO:         stablehlo.add
func.func private @all_reduce(%x: tensor<2xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %y = "anvl.all_reduce"(%x, %i) {axes = ["x"], kind = "sum", mesh = "x=2,y=2"}
    : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// NAMED-LABEL: func.func @members_batched(
// NAMED:         %[[S:.*]] = "anvl.sum"(%{{.*}}) {axes = array<i64: 0>}
// NAMED:         "anvl.broadcast_in_dim"(%[[S]])

// NUMBERS: f32[3] 7.0 7.0 7.0
func.func private @members(%x: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  %y = "anvl.all_reduce"(%x, %i) {axes = ["i"], kind = "sum", mesh = "i=3"}
    : (tensor<f32>, tensor<i32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @each(tensor<4xf32>, tensor<i32>) -> tensor<2xf32> attributes {
  anvl.shard_map = {body = @all_reduce, mesh = "x=2,y=2", in = ["x", ""], out = ["-"]}
}
func.func @whole(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %y = func.call @each(%x, %i) : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
