// RUN: anvl-opt %s --anvl-control-flow --anvl-inline --anvl-hoist-constants --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=main wrt=1" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-vectorize="function=main batched=0 size=3" \
// RUN:   | filecheck %s --check-prefix=BATCH

// Each device runs the body on its parts, which XLA knows by the function's name and the calls around
// it; a captured array is whole on each. The cotangent of %w, a copy of which is on each device, is
// the sum over x of the devices' own; that of the result is halved, since y has two copies of it.

// CHECK-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// CHECK-SAME:      tensor<2xf32> {anvl.captured = 0 : i64, anvl.constant = "c1"}
// CHECK-SAME:      tensor<4xf32>, %{{.*}}: tensor<2xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func @main(
// CHECK:         %[[IN:.*]]:3 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%c1, %x, %w) {has_side_effect = true,
// CHECK-SAME{LITERAL}: xla.sdy.in_shardings = "#sdy.sharding_per_value<[<mesh<[\22x\22=4, \22y\22=2]>, [{}]>, <mesh<[\22x\22=4, \22y\22=2]>, [{\22x\22}]>, <mesh<[\22x\22=4, \22y\22=2]>, [{}]>]>"
// CHECK-SAME{LITERAL}: xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22, \22y\22}>"
// CHECK:         %[[Y:.*]] = call @xla.sdy.manual_computation_body_0(%[[IN]]#0, %[[IN]]#1, %[[IN]]#2)
// CHECK:         stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%[[Y]]) {has_side_effect = true,
// CHECK-NOT:     anvl.shard_map

// GRAD-LABEL: func.func private @body_adjoint(
// GRAD:         %[[N:.*]] = "anvl.constant"() {value = dense<2.000000e+00> : tensor<4xf32>}
// GRAD:         "anvl.div"(%{{.*}}, %[[N]])
// GRAD:         "anvl.all_reduce"(%{{.*}}) {axes = ["x", "y"], kind = "sum", mesh = "x=4,y=2"}
// GRAD: func.func private @each_adjoint(tensor<16xf32>, tensor<16xf32>) -> tensor<2xf32> attributes {anvl.shard_map = {body = @body_adjoint, in = ["x", "x"], mesh = "x=4,y=2", out = ["-"]}}

// BATCH: anvl.shard_map = {body = @body_batched, in = ["-,x", "-"], mesh = "x=4,y=2", out = ["-,x"]}
func.func private @body(%x: tensor<4xf32>, %w: tensor<2xf32>) -> tensor<4xf32> {
  %c = "anvl.captured"() {index = 0 : i64} : () -> tensor<2xf32>
  %v = "anvl.mul"(%w, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s = "anvl.sum"(%v) {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %t = "anvl.broadcast_in_dim"(%s) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %y = "anvl.mul"(%x, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @each(tensor<16xf32>, tensor<2xf32>) -> tensor<16xf32>
    attributes {anvl.shard_map = {body = @body, mesh = "x=4,y=2", in = ["x", "-"], out = ["x"]}}
func.func @main(%x: tensor<16xf32>, %w: tensor<2xf32>) -> tensor<f32> {
  %y = func.call @each(%x, %w) : (tensor<16xf32>, tensor<2xf32>) -> tensor<16xf32>
  %s = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<16xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
