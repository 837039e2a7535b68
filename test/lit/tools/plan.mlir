// RUN: anvl-plan %s --plan="mesh=x:1" --plan="mesh=x:2,y:2 arg0=-,y arg1=y,- arg2=x,-" --collectives | filecheck %s
// RUN: anvl-opt %s --anvl-shard="mesh=x:2,y:2 arg0=-,y arg1=y,- arg2=x,-" --anvl-print-collectives -o %t.mlir 2>&1 | filecheck %s --check-prefix=PASS
// RUN: anvl-opt %s --anvl-shard="mesh=x:2,y:2 arg0=-,y arg1=y,- arg2=x,-" -o %t.sharded.mlir
// RUN: diff %t.sharded.mlir %t.mlir
// RUN: anvl-opt %s --anvl-print-collectives -o %t.one.mlir 2>&1 | filecheck %s --check-prefix=ONE
// RUN: not anvl-opt %s --anvl-print-collectives=function=other 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: not anvl-plan %s --plan="mesh=x" 2>&1 | filecheck %s --check-prefix=MESH
// RUN: anvl-plan --help | filecheck %s --check-prefix=HELP

// Two products, of which the second sums along the axis y: its parts are added up.

// CHECK:      plan devices compute traffic messages step memory
// CHECK-NEXT: mesh=x:1 1 {{.*}} 0 {{.*}} kB
// CHECK-NEXT: mesh=x:2,y:2 arg0=-,y arg1=y,- arg2=x,- 4 {{.*}} us {{.*}} kB
// CHECK:      mesh=x:1:
// CHECK-NEXT: 0 collectives, 0 bytes on a device
// CHECK:      mesh=x:2,y:2 arg0=-,y arg1=y,- arg2=x,-:
// CHECK-NEXT: all-reduce f32[32,32]: 4,096 bytes, 2 groups of 2
// CHECK-NEXT: 1 collective, 4,096 bytes on a device

// PASS:      @main on 4 devices:
// PASS-NEXT: all-reduce f32[32,32]: 4,096 bytes, 2 groups of 2
// PASS-NEXT: 1 collective, 4,096 bytes on a device

// ONE:       @main on 1 device:
// ONE-NEXT:  0 collectives, 0 bytes on a device

// OTHER:     error: {{.*}}other
// MESH:      plan.mlir:{{[0-9]+}}:{{[0-9]+}}: error: anvl-shard: mesh: 'x' in 'x' is not an axis with its size
// HELP:      anvl-plan [FILE] [flags]: predict the time and the memory of a program on a machine, for some meshes
// HELP:      --plan='mesh=x:4,y:2 arg0=x,-'

func.func @main(%w: tensor<32x48xf32>, %v: tensor<48x32xf32>, %x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %h = "anvl.dot_general"(%x, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %y = "anvl.dot_general"(%h, %v) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
