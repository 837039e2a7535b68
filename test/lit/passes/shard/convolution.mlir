// RUN: anvl-opt %s --anvl-shard="mesh=x:4,y:2 arg0=-,x,-,-" --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-shard="mesh=x:4 arg0=-,x,-,-" --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=ONE

// Over a mesh of several axes the window of a convolution is whole along its spatial dimensions: XLA's
// partitioner would sum the copies of the gradient of a kernel, too.

// CHECK:      %[[WINDOW:.*]] = stablehlo.custom_call @Sharding(%{{.*}}) {{.*}}[{}, {}, {?}, {?}]
// CHECK-NEXT: stablehlo.convolution(%{{.*}}, %[[WINDOW]])
// ONE-LABEL: func.func @main(
// ONE-NOT:   @Sharding
func.func @main(%x: tensor<4x8x8x2xf32>, %k: tensor<3x3x2x4xf32>) -> tensor<4x6x6x4xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<4x6x6x4xf32>
  return %y : tensor<4x6x6x4xf32>
}
