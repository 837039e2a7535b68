// RUN: anvl-opt %s | filecheck %s
// RUN: anvl-opt %s | anvl-opt --anvl-lift | filecheck %s --check-prefix=LIFT
// RUN: anvl-opt %s --anvl-lift --anvl-gradient="function=main wrt=1 split" | filecheck %s --check-prefix=GRAD
// RUN: sed 's/manual_axes={"x", "y"}/manual_axes={"x"}/' %s > %t.mlir
// RUN: not anvl-opt %t.mlir --anvl-lift 2>&1 | filecheck %s --check-prefix=PART

// A manual computation of Shardy is read as the function and the calls that artifacts have for it, its
// names are its own, and its lift is a shard_map with collectives along axes of the mesh. So it has a
// derivative. One over some of the axes is refused by the lift.

// CHECK-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// CHECK-SAME:      tensor<4xf32>, %{{.*}}: tensor<2xf32>) -> (tensor<4xf32>, tensor<f32>)
// CHECK:         call @helper(
// CHECK:         stablehlo.partition_id
// CHECK:         "stablehlo.all_reduce"
// CHECK-LABEL: func.func @main(
// CHECK:         %[[IN:.*]]:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x, %w) {has_side_effect = true,
// CHECK:         %[[Y:.*]]:2 = call @xla.sdy.manual_computation_body_0(%[[IN]]#0, %[[IN]]#1)
// CHECK:         stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%[[Y]]#0, %[[Y]]#1)

// LIFT: @manual_computation_shard_map(tensor<16xf32>, tensor<4xf32>) -> (tensor<16xf32>, tensor<f32>)
// LIFT-SAME: {anvl.shard_map = {body = @manual_computation, check = false, in = ["x", "y"], mesh = "x=4,y=2", out = ["x", ""]}}
// LIFT-LABEL: func.func private @manual_computation(
// LIFT:         %[[PLACE:.*]] = "anvl.axis_index"() {axes = ["x", "y"], mesh = "x=4,y=2"}
// LIFT:         "anvl.convert"(%[[PLACE]]) : (tensor<i32>) -> tensor<ui32>
// LIFT:         "anvl.all_reduce"({{.*}}) {axes = ["x"], kind = "sum", mesh = "x=4,y=2"}
// LIFT:         "anvl.all_gather"({{.*}}) {axes = ["y"], dimension = 0 : i64, mesh = "x=4,y=2"}
// LIFT:         "anvl.collective_permute"({{.*}}) {axes = ["x", "y"], mesh = "x=4,y=2", pairs = array<i64: 0, 2, 2, 0>}
// LIFT-NOT:   xla.sdy

// GRAD:       "anvl.reduce_scatter"
// GRAD:       @manual_computation_shard_map_adjoint

// PART: error: anvl-lift: the manual computation @xla.sdy.manual_computation_body_0 has no form as a shard_map: an argument is tensor<4xf32>, cut by '-' along x of mesh 'x=4,y=2', and its body takes tensor<2xf32>
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<16xf32>, %w: tensor<4xf32>) -> (tensor<16xf32>, tensor<f32>) {
  %0:2 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{"x"}], replicated={"y"}>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] manual_axes={"x", "y"} (%a: tensor<4xf32>, %b: tensor<2xf32>) {
    %0 = func.call @helper(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %4 = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    %5 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
    %6 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    %7 = stablehlo.multiply %0, %6 : tensor<4xf32>
    %8 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %10 = stablehlo.add %7, %9 : tensor<4xf32>
    sdy.return %10, %3 : tensor<4xf32>, tensor<f32>
  } : (tensor<16xf32>, tensor<4xf32>) -> (tensor<16xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<16xf32>, tensor<f32>
}
