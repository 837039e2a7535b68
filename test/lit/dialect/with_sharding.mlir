// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=with_sharding wrt=0" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-vectorize="function=with_sharding size=3" \
// RUN:   | filecheck %s --check-prefix=BATCH
// RUN: anvl-opt %s --anvl-gradient="function=with_sharding wrt=0" \
// RUN:   | %run --function=with_sharding_adjoint --args='[[[1.0, 2.0]]]' \
// RUN:   | %numbers %s

// A constraint, which the cotangent has too. The partitioner reads it as Shardy's string; the batch
// axis is left to it. On one device it is the identity.

// CHECK-LABEL: func.func @with_sharding_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<1x2xf32>
// CHECK:         %[[Y:.*]] = "anvl.with_sharding"(%[[X]]) {mesh = "x=4,y=2", spec = "-,y*x"}
// CHECK:         %[[G:.*]] = "anvl.broadcast_in_dim"
// CHECK:         %[[DX:.*]] = "anvl.with_sharding"(%[[G]]) {mesh = "x=4,y=2", spec = "-,y*x"}
// CHECK:         return %{{.*}}, %[[DX]]

// HLO-LABEL: func.func @with_sharding(
// HLO:         stablehlo.custom_call @Sharding(%{{.*}}) {mhlo.frontend_attributes =
// HLO-SAME:      {xla.sdy.sharding = "#sdy.sharding_per_value<[<mesh<[\22x\22=4, \22y\22=2]>, [{}, {\22y\22, \22x\22}]>]>"}}

// BATCH-LABEL: func.func @with_sharding_batched(
// BATCH:         "anvl.with_sharding"(%{{.*}}) {mesh = "x=4,y=2", spec = "?,-,y*x"}

// NUMBERS: f32[] 3.0
// NUMBERS-NEXT: f32[1,2] 1.0 1.0
func.func @with_sharding(%x: tensor<1x2xf32>) -> tensor<f32> {
  %y = "anvl.with_sharding"(%x) {mesh = "x=4,y=2", spec = "-,y*x"}
    : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %s = "anvl.sum"(%y) {axes = array<i64: 0, 1>} : (tensor<1x2xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
