// RUN: rm -f %t.good %t.all %t.local
// RUN: anvl-opt %s --cse --mlir-pass-pipeline-crash-reproducer=%t.good -o %t.out
// RUN: not ls %t.good 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt --load=%S/Inputs/failing_passes.py %s --cse --my-wrong-type \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.all 2>&1 | filecheck %s
// RUN: filecheck %s --input-file=%t.all --check-prefix=ALL
// RUN: not anvl-opt --load=%S/Inputs/failing_passes.py %t.all --run-reproducer 2>&1 \
// RUN:   | filecheck %s
// RUN: not anvl-opt --load=%S/Inputs/failing_passes.py %s --cse --my-wrong-type \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.local --mlir-pass-pipeline-local-reproducer 2>&1 \
// RUN:   | filecheck %s
// RUN: filecheck %s --input-file=%t.local --check-prefix=LOCAL
// RUN: not anvl-opt --load=%S/Inputs/failing_passes.py %t.local --run-reproducer 2>&1 \
// RUN:   | filecheck %s

// Only where a pass fails a reproducer is left: the input with all passes, or what the pass that
// failed got, with this pass alone.

// CHECK: error: my-wrong-type: left invalid IR: cos: result is tensor<7xf64>

// NONE: No such file or directory

// ALL-COUNT-2: "anvl.sin"
// ALL: pipeline: "builtin.module(cse,my-wrong-type)"

// LOCAL: "anvl.sin"
// LOCAL-NOT: "anvl.sin"
// LOCAL: pipeline: "builtin.module(my-wrong-type)"
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
