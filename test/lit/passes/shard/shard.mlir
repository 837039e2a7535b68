// RUN: anvl-opt %s --verify-each --anvl-shard="mesh=x:4,y:2 arg0=x,y arg1=x*y result0=" | filecheck %s
// RUN: anvl-opt %s --anvl-shard="mesh=x:4,y:2 arg0=x,y arg1=x*y result0=" \
// RUN:   --anvl-shard="mesh=x:4,y:2 arg0=x,y" | filecheck %s
// RUN: anvl-opt %s --anvl-shard="mesh=x:4,y:2 arg0=x,-" --anvl-shard="mesh=z:8 arg0=z,-" \
// RUN:   | filecheck %s --check-prefix=LAST
// RUN: anvl-opt %s --anvl-shard="mesh=x:4" | filecheck %s --check-prefix=NONE
// RUN: anvl-opt %s \
// RUN:   --pass-pipeline="builtin.module(anvl-shard{mesh=x:4,y:2 arg0=x,y arg1=x*y result0=})" \
// RUN:   --dump-pass-pipeline 2>&1 | filecheck %s --check-prefix=PIPELINE

// Arguments and results that are named get mesh and spec; doing it again changes nothing, and the last
// one counts.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      tensor<8x6xf32> {anvl.sharding = "x=4,y=2;x,y"}
// CHECK-SAME:      tensor<8xf32> {anvl.sharding = "x=4,y=2;x*y", my.note}
// CHECK-SAME:      -> (tensor<f32> {anvl.sharding = "x=4,y=2;"})
// LAST: tensor<8x6xf32> {anvl.sharding = "z=8;z,-"}
// NONE-LABEL: func.func @main(
// NONE-NOT: anvl.sharding
// PIPELINE: anvl-shard{mesh="x:4,y:2" function=main arg0=x,y arg1=x*y result0=}
func.func @main(%w: tensor<8x6xf32>, %x: tensor<8xf32> {my.note}) -> tensor<f32> {
  %y = "anvl.dot_general"(%x, %w) {dot_dimension_numbers =
      #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}
    : (tensor<8xf32>, tensor<8x6xf32>) -> tensor<6xf32>
  %s = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<6xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
