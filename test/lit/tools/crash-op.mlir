// RUN: rm -f %t.out
// RUN: not %PYTHON -m anvl.tools.opt.main --load=%S/Inputs/crashing_passes.py %s --cse --my-crash-at \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | filecheck %s
// RUN: not %PYTHON -m anvl.tools.opt.main --load=%S/Inputs/crashing_passes.py %s --my-leave -o %t.out \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | filecheck %s --check-prefix=LEAVE
// RUN: not ls %t.out 2>&1 | filecheck %s --check-prefix=NONE

// A pass that crashes is named with the op that it had taken up, as it was then: the second sine
// reads a product.  One that ends the process with the exit code of a success has failed, too.

// CHECK: error: my-crash-at: the pass crashed, SIGSEGV
// CHECK-NEXT: crash-op.mlir:[[# @LINE + 12]]:8: note: the last op that it took up: %2 = "anvl.sin"(%1)
// CHECK-NEXT: note: Python was at crashing_passes.py:{{[0-9]+}}, in _read
// CHECK-NEXT: is a reproducer

// LEAVE: crash-op.mlir:1:1: error: my-leave: the pass ended the process, exit code 0
// LEAVE-NEXT: is a reproducer

// NONE: No such file or directory

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.mul"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.sin"(%1) : (tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
