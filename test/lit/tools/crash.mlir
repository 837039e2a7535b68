// RUN: rm -rf %t.mlir %t.out %t.tmp && mkdir %t.tmp
// RUN: not %PYTHON -m anvl.tools.opt.main --load=%S/Inputs/crashing_passes.py %s -o %t.out \
// RUN:   -p "cse,func.func(my-crash)" --mlir-pass-pipeline-crash-reproducer=%t.mlir \
// RUN:   --mlir-pass-pipeline-local-reproducer 2>&1 | filecheck %s
// RUN: not ls %t.out 2>&1 | filecheck %s --check-prefix=NONE
// RUN: filecheck %s --input-file=%t.mlir --check-prefix=LOCAL
// RUN: not env TMPDIR=%t.tmp %PYTHON -m anvl.tools.opt.main --load=%S/Inputs/crashing_passes.py \
// RUN:   --run-reproducer < %t.mlir 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: not %PYTHON -m anvl.tools.opt.main --load=%S/Inputs/crashing_passes.py %s --my-kill \
// RUN:   2>&1 | filecheck %s --check-prefix=KILL

// A pass that ends the process is an error: it names the pass, where it was, and a reproducer,
// which is written to a temporary file where no flag names one.

// CHECK:      crash.mlir:[[# @LINE + 19]]:1: error: my-crash: the pass crashed, SIGSEGV
// CHECK-NEXT: func.func @f
// CHECK-NEXT: ^
// CHECK-NEXT: note: Python was at crashing_passes.py:14, in run
// CHECK-NEXT: note: [[FILE:.*]].mlir is a reproducer: anvl-opt --load={{.*}} [[FILE]].mlir --run-reproducer
// CHECK-NOT:  {{.}}

// LOCAL-COUNT-1: "anvl.sin"
// LOCAL-NOT: "anvl.sin"
// LOCAL: pipeline: "builtin.module(func.func(my-crash))"

// AGAIN: <stdin>:{{[0-9]+}}:3: error: my-crash: the pass crashed, SIGSEGV
// AGAIN: note: {{.*}}anvl-opt-my-crash-{{.*}}.mlir is a reproducer

// NONE: No such file or directory

// KILL: error: my-kill: the pass crashed, SIGKILL
// KILL: note: another process has sent SIGKILL, as the system does where memory runs out

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
