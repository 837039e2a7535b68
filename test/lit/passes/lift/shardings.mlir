// RUN: anvl-opt %s --verify-each --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-lift --anvl-gradient="function=main" \
// RUN:   | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-lift --anvl-lower-to-stablehlo \
// RUN:   | %run --function=main --args='[[[0.0, 0.0]]]' | %numbers %s

// A program that JAX exported over four devices: shardings of arguments, constraints and results stay,
// and its gradient has them. Half of an axis is nothing that a spec can say, so that call stays.

// CHECK-LABEL: func.func public @main(
// CHECK-SAME:      tensor<1x2xf32> {anvl.sharding = "a=2,b=2;-,b"}
// CHECK-SAME:      -> (tensor<f32> {jax.result_info = "result"}, tensor<1x2xf32>)
// CHECK:         "anvl.with_sharding"(%{{.*}}) {mesh = "a=2,b=2", spec = "?,b"}
// CHECK:         "anvl.with_sharding"(%{{.*}}) {mesh = "x=4", spec = ""}
// CHECK:         stablehlo.custom_call @Sharding

// GRAD-LABEL: func.func @main_adjoint(
// GRAD-SAME:      tensor<1x2xf32> {anvl.sharding = "a=2,b=2;-,b"})
// GRAD-SAME:      tensor<1x2xf32> {anvl.sharding = "a=2,b=2;-,b"})
// GRAD:         "anvl.with_sharding"(%{{.*}}) {mesh = "x=4", spec = ""}
// GRAD:         "anvl.with_sharding"(%{{.*}}) {mesh = "a=2,b=2", spec = "?,b"}

// NUMBERS: f32[] 2.0
// NUMBERS-NEXT: f32[1,2] 0.0 0.0
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=2, \22b\22=2]>}"}} {
  func.func public @main(%x: tensor<1x2xf32> {
      mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {\22b\22}]>"},
      mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"})
      -> (tensor<f32> {jax.result_info = "result"},
          tensor<1x2xf32> {mhlo.sharding = "{devices=[1,2,2]<=[4] last_tile_dim_replicate}"}) {
    %0 = stablehlo.custom_call @Sharding(%x) {
      mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{?}, {\22b\22}p1]>]>"}
    } : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %1 = stablehlo.cosine %0 : tensor<1x2xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<1x2xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%2) {has_side_effect = true,
      mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<mesh<[\22x\22=4]>, []>]>"}
    } : (tensor<f32>) -> tensor<f32>
    %4 = stablehlo.custom_call @Sharding(%x) {
      mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {\22b\22:(1)2}]>]>"}
    } : (tensor<1x2xf32>) -> tensor<1x2xf32>
    return %3, %4 : tensor<f32>, tensor<1x2xf32>
  }
}
