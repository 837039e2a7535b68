// RUN: not anvl-opt %s --load=%S/Inputs/wrong_passes.py --cse --my-drop-negations --canonicalize --anvl-validate-each 2>&1 | filecheck %s
// RUN: not anvl-opt %s --load=%S/Inputs/wrong_passes.py -p "cse,func.func(canonicalize,my-swap-operands),symbol-dce" --anvl-validate-each=functions=@both 2>&1 | filecheck %s --check-prefix=NESTED
// RUN: not anvl-opt %s --load=%S/Inputs/wrong_passes.py --anvl-gradient=function=loss --my-permute --anvl-lower-to-stablehlo --anvl-validate-each 2>&1 | filecheck %s --check-prefix=NEW
// RUN: rm -f %t.fails %t.npz
// RUN: not anvl-opt %s --load=%S/Inputs/wrong_passes.py --cse --my-drop-negations --anvl-validate-each="seed=5 inputs=1 functions=both" --mlir-pass-pipeline-crash-reproducer=%t.fails --mlir-pass-pipeline-local-reproducer 2>&1 | filecheck %s --check-prefix=LOCAL
// RUN: not anvl-opt %t.fails --load=%S/Inputs/wrong_passes.py --run-reproducer --anvl-validate-each="seed=5 inputs=1 functions=both" 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: %run %t.fails --function=both --random-seed=5 --random-range=-1,1 -o %t.npz
// RUN: anvl-opt %t.fails --load=%S/Inputs/wrong_passes.py --run-reproducer | not %run --function=both --random-seed=5 --random-range=-1,1 --compare=%t.npz 2>&1 | filecheck %s --check-prefix=EXECUTED

// The first pass after which a function computes other numbers is named, at the function, with the
// result, the largest difference, the inputs and a way to see it again: also a pass that is nested
// in others, and one that spoils a function which another pass has made.

// CHECK:      wrong.mlir:[[# @LINE + 22]]:1: error: my-drop-negations: @both computes other numbers after this pass than before it: result 0, tensor<3xf32>: 3 of 3 elements differ; the worst at [{{[0-2]}}] {{(-[0-9.]+ and [0-9.]+|[0-9.]+ and -[0-9.]+)}}, absolute error
// CHECK:      note: the inputs, %x: tensor<3xf32>, %y: tensor<3xf32>, are those of anvl-run --function=both --random-seed={{[0-2]}} --random-range=
// CHECK-NEXT: note: --mlir-pass-pipeline-crash-reproducer=FILE --mlir-pass-pipeline-local-reproducer writes the module before this pass, with this pass alone; then: anvl-opt FILE --run-reproducer --anvl-validate-each
// CHECK-NOT:  func.func

// NESTED: error: my-swap-operands: @both computes other numbers after this pass

// NEW: remark: anvl-validate-each: @loss_adjoint is new after anvl-gradient{function=loss}, and compared from there on
// NEW: error: my-permute: @{{loss|loss_adjoint}} computes other numbers

// LOCAL: note: to reproduce: anvl-opt {{.*}}.fails --run-reproducer "--anvl-validate-each=functions=both inputs=1 seed=5"

// AGAIN: .fails:{{[0-9]+}}:{{[0-9]+}}: error: my-drop-negations: @both computes other numbers
// AGAIN: are those of anvl-run --function=both --random-seed=5 --random-range=-1,1

// EXECUTED: error: plugin and {{.*}}: result 0: tensor<3xf32>: 3 of 3 elements differ

func.func @untouched(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @both(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sub"(%x, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.neg"(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

func.func @loss(%x: tensor<2x2xf32>) -> tensor<f32> {
  %0 = "anvl.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "anvl.mul"(%x, %0) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = "anvl.sum"(%2) {axes = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
