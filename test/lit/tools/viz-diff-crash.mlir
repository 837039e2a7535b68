// RUN: rm -f %t.html
// RUN: not %PYTHON -m anvl.tools.viz.viz_tool --load=%S/Inputs/crashing_passes.py %s --cse --my-crash \
// RUN:   -o %t.html 2>&1 | filecheck %s
// RUN: not ls %t.html 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not %PYTHON -m anvl.tools.diff.diff_tool --load=%S/Inputs/crashing_passes.py %s --my-crash \
// RUN:   2>&1 | filecheck %s
// RUN: not %PYTHON -m anvl.tools.viz.viz_tool --load=%S/Inputs/crashing_import.py %s --cse 2>&1 \
// RUN:   | filecheck %s --check-prefix=LOAD
// RUN: not %PYTHON -m anvl.tools.diff.diff_tool --load=%S/Inputs/crashing_import.py %s --cse 2>&1 \
// RUN:   | filecheck %s --check-prefix=LOAD

// A pass or a file that ends the process is an error, and nothing is written.

// CHECK: viz-diff-crash.mlir:{{[0-9]+}}:1: error: my-crash: the pass crashed, SIGSEGV; anvl-opt leaves a reproducer of a pass
// NONE: No such file or directory
// LOAD: viz-diff-crash.mlir:1:1: error: loading the files of --load crashed, SIGSEGV
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
