// RUN: not anvl-opt %s --anvl-shard="mesh=x:4 function=g arg0=x" 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not anvl-opt %s --anvl-shard="mesh=x:4 arg2=x" 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not anvl-opt %s --anvl-shard="mesh=x:4 arg0=x" 2>&1 | filecheck %s --check-prefix=UNEVEN
// RUN: not anvl-opt %s --anvl-shard="mesh=x:2 result0=z" 2>&1 | filecheck %s --check-prefix=AXIS
// RUN: not anvl-opt %s --anvl-shard="mesh=x arg0=x" 2>&1 | filecheck %s --check-prefix=MESH
// RUN: not anvl-opt %s --anvl-shard="mesh=x:4;arg0=x" 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: not anvl-opt %s --anvl-shard="mesh=x:2 arg0=(" 2>&1 | filecheck %s --check-prefix=SPEC
// RUN: not anvl-opt %s --anvl-shard="arg0=x" 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not anvl-opt %s --anvl-shard="mesh=x:2 arg=x" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not anvl-opt %s --anvl-lower-to-stablehlo 2>&1 | filecheck %s --check-prefix=LOWER

// NAME: error: anvl-shard: there is no function @g; the module has @main, @wrong
// RANGE: errors.mlir:{{[0-9]+}}:{{.*}}error: anvl-shard: arg2 is out of range; @main has 1
// UNEVEN: error: anvl-shard: argument 0 of @main, tensor<6xf32>: dimension 0 of size 6 does not divide into 4 parts, spec 'x' on mesh 'x=4'; pad it to 8, or cut another dimension
// UNEVEN-NEXT: mesh  x=4  (4 devices)
// UNEVEN-NEXT: dim 0       6  x  <- here
// AXIS: error: anvl-shard: result 0 of @main, tensor<6xf32>: axis z of spec 'z' is not in mesh 'x=2'; its axes are x
// MESH: error: anvl-shard: mesh: 'x' in 'x' is not an axis with its size; write the mesh like x=4,y=2
// ALONE: error: anvl-shard: mesh: 'x:4;arg0=x' in 'x:4;arg0=x' is not an axis with its size
// SPEC: error: anvl-shard: {{.*}}
// MISSING: error: anvl-shard: option mesh is missing; add mesh=<str>
// OPTION: error: anvl-shard: no option 'arg'
// LOWER: error: anvl-lower-to-stablehlo: argument 1 of @wrong, tensor<6xf32>: axis q of spec 'q' is not in mesh 'x=2'
func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}
func.func @wrong(%x: tensor<6xf32>, %y: tensor<6xf32> {anvl.sharding = "x=2;q"}) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}
