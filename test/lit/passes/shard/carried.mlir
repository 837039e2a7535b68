// RUN: anvl-opt %s --anvl-gradient="function=main wrt=1" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-forward="function=main wrt=0" | filecheck %s --check-prefix=JVP
// RUN: anvl-opt %s --anvl-vectorize="function=main batched=0 size=3" | filecheck %s --check-prefix=BATCH
// RUN: anvl-opt %s --anvl-gradient="function=main split" | filecheck %s --check-prefix=SPLIT
// RUN: anvl-opt %s --anvl-hoist-constants | filecheck %s --check-prefix=HOIST
// RUN: anvl-opt %s --anvl-hoist-constants --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO

// A cotangent and a tangent lie as their argument or result does; a batch axis is whole on each device;
// a captured array keeps its sharding as an argument; the partitioner reads Shardy's strings.

// GRAD-LABEL: func.func @main_adjoint(
// GRAD-SAME:      tensor<4xf32> {anvl.sharding = "x=2;x"}, %{{.*}}: tensor<4xf32> {anvl.sharding = "x=2;-"}
// GRAD-SAME:      -> (tensor<f32> {anvl.sharding = "x=2;"}, tensor<4xf32> {anvl.sharding = "x=2;-"})
// JVP-LABEL: func.func @main_tangent(
// JVP-SAME:      %{{.*}}: tensor<4xf32> {anvl.sharding = "x=2;x"}, %{{.*}}: tensor<4xf32> {anvl.sharding = "x=2;-"}
// JVP-SAME:      %{{.*}}: tensor<4xf32> {anvl.sharding = "x=2;x"})
// JVP-SAME:      -> (tensor<f32> {anvl.sharding = "x=2;"}, tensor<f32> {anvl.sharding = "x=2;"})
// BATCH-LABEL: func.func @main_batched(
// BATCH-SAME:      tensor<3x4xf32> {anvl.sharding = "x=2;-,x"}
// BATCH-SAME:      -> (tensor<3xf32> {anvl.sharding = "x=2;-"})
// SPLIT-LABEL: func.func @main_fwd(
// SPLIT-SAME:      tensor<4xf32> {anvl.sharding = "x=2;x"}
// HOIST-LABEL: func.func @main(
// HOIST-SAME:      tensor<4xf32> {anvl.captured = 0 : i64, anvl.constant = "c1", anvl.sharding = "x=2;x"}
// HOIST-SAME:      tensor<4xf32> {anvl.sharding = "x=2;x"}
// HLO-LABEL: func.func @main(
// HLO-SAME:      tensor<4xf32> {anvl.captured = 0 : i64, anvl.constant = "c1", mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<mesh<[\22x\22=2]>, [{\22x\22}]>"}}
// HLO-SAME:      -> tensor<f32> {
// HLO:           %[[S:.*]] = stablehlo.custom_call @Sharding(%{{.*}}) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<mesh<[\22x\22=2]>, []>]>"}}
// HLO-NEXT:      return %[[S]]
func.func @main(%x: tensor<4xf32> {anvl.sharding = "x=2;x"}, %y: tensor<4xf32> {anvl.sharding = "x=2;-"})
    -> (tensor<f32> {anvl.sharding = "x=2;"}) {
  %c = "anvl.captured"() {index = 0 : i64, anvl.sharding = "x=2;x"} : () -> tensor<4xf32>
  %0 = "anvl.mul"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "anvl.mul"(%0, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "anvl.sum"(%1) {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
