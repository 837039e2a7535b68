// RUN: not %PYTHON -m anvl.tools.run.run_tool %s --load=%S/Inputs/crashing_import.py 2>&1 \
// RUN:   | filecheck %s
// RUN: %PYTHON -m anvl.tools.run.run_tool %s --args='[2.0]' | %numbers %s --check-prefix=VALUE
// RUN: not %PYTHON -m anvl.tools.run.run_tool %s --args='[2.0, 3.0]' 2>&1 \
// RUN:   | filecheck %s --check-prefix=COUNT

// A crash of the tool itself, before it executes anything, is an error.

// CHECK: run-crash.mlir:1:1: error: loading the files of --load crashed, SIGSEGV; anvl-opt names the pass, where it is one

// VALUE: f32[] 4.0

// COUNT: error: {{.+}}
// COUNT-NOT: error
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
