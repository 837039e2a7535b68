// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-vectorize="function=members size=2" | filecheck %s --check-prefix=NAMED
// RUN: anvl-opt %s --anvl-vectorize="function=members size=2" \
// RUN:   | %run --function=members_batched --args='[[[1.0, 2.0], [10.0, 20.0]], [0, 1]]' | %numbers %s

// Each device gets a part of the sum: the adjoint gathers the cotangents of the parts. A batch of the place is the
// named axis.

// CHECK-LABEL: func.func private @back(
// CHECK-SAME:    %[[I:[a-zA-Z0-9_]+]]: tensor<i32>, %[[G:[a-zA-Z0-9_]+]]: tensor<2xf32>)
// CHECK:         %[[DX:.*]] = "anvl.all_gather"(%[[G]], %[[I]]) {axes = ["y"], dimension = 0 : i64, mesh = "x=2,y=2"}
// CHECK:         return %{{.*}}, %[[DX]]
func.func private @back(tensor<4xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>)
    attributes {anvl.vjp = {callee = @reduce_scatter, wrt = array<i64: 0>, targets = array<i64: 0>}}

// HLO-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// HLO:         "stablehlo.reduce_scatter"(%{{.*}}) <{
// HLO-SAME{LITERAL}: replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
func.func private @reduce_scatter(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %y = "anvl.reduce_scatter"(%x, %i) {axes = ["y"], dimension = 0 : i64, mesh = "x=2,y=2"}
    : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// NAMED-LABEL: func.func @members_batched(
// NAMED:         "anvl.sum"(%{{.*}}) {axes = array<i64: 0>}

// NUMBERS: f32[2,1] 11.0 22.0
func.func private @members(%x: tensor<2xf32>, %i: tensor<i32>) -> tensor<1xf32> {
  %y = "anvl.reduce_scatter"(%x, %i) {axes = ["i"], dimension = 0 : i64, mesh = "i=2"}
    : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}
func.func private @each(tensor<4xf32>, tensor<i32>) -> tensor<4xf32> attributes {
  anvl.shard_map = {body = @reduce_scatter, mesh = "x=2,y=2", in = ["-", ""], out = ["y"]}
}
func.func @whole(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %y = func.call @each(%x, %i) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
