// RUN: not anvl-opt %s --anvl-lower-to-stablehlo --split-input-file 2>&1 | filecheck %s
// RUN: sed 's/out = \["-"\]/out = ["-"], check = false/' %s > %t.mlir
// RUN: anvl-opt %t.mlir --anvl-lower-to-stablehlo --split-input-file | filecheck %s --check-prefix=TAKEN

// A result that is whole along an axis must be equal there, and all devices must reach a collective:
// what may differ is refused, unless the attribute says check = false.

// CHECK: error: anvl-lower-to-stablehlo: shard_map: result 0 of part may differ between devices along x, and is whole along x
// CHECK-SAME: by its spec '-' on mesh 'x=2,y=2'
// TAKEN: @xla.sdy.manual_computation_body_0
func.func private @part(%x: tensor<2xf32>) -> tensor<2xf32> {
  %p = "anvl.axis_index"() {mesh = "x=2,y=2", axes = ["y"]} : () -> tensor<i32>
  %s = "anvl.all_reduce"(%x, %p) {mesh = "x=2,y=2", axes = ["y"], kind = "max"} : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}
func.func private @each(tensor<4xf32>) -> tensor<2xf32>
    attributes {anvl.shard_map = {body = @part, mesh = "x=2,y=2", in = ["x"], out = ["-"]}}
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %y = func.call @each(%x) : (tensor<4xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// CHECK: error: anvl-lower-to-stablehlo: shard_map: devices along x may differ in what stablehlo.if at
// CHECK-SAME: decides, and it has a collective along x, which all must reach
// TAKEN: stablehlo.all_reduce
func.func private @branch(%x: tensor<2xf32>, %c: tensor<1xi1>) -> tensor<2xf32> {
  %p = "anvl.axis_index"() {mesh = "x=2", axes = ["x"]} : () -> tensor<i32>
  %b = "anvl.reshape"(%c) : (tensor<1xi1>) -> tensor<i1>
  %y = "stablehlo.if"(%b) ({
    %s = "anvl.all_reduce"(%x, %p) {mesh = "x=2", axes = ["x"], kind = "sum"} : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
    stablehlo.return %s : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @each(tensor<2xf32>, tensor<2xi1>) -> tensor<2xf32>
    attributes {anvl.shard_map = {body = @branch, mesh = "x=2", in = ["-", "x"], out = ["-"]}}
func.func @main(%x: tensor<2xf32>, %c: tensor<2xi1>) -> tensor<2xf32> {
  %y = func.call @each(%x, %c) : (tensor<2xf32>, tensor<2xi1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
