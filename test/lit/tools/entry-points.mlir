// RUN: env PYTHONPATH=%S/Inputs/installed %PYTHON -m anvl.tools.opt.main %s --my-drop-scales 2>%t \
// RUN:   | filecheck %s
// RUN: filecheck %s --input-file=%t --check-prefix=IMPORTED
// RUN: env PYTHONPATH=%S/Inputs/installed %PYTHON -m anvl.tools.opt.main %s --emit-bytecode 2>%t \
// RUN:   | env PYTHONPATH=%S/Inputs/installed %PYTHON -m anvl.tools.opt.main 2>%t \
// RUN:   | filecheck %s --check-prefix=READ
// RUN: env PYTHONPATH=%S/Inputs/installed %PYTHON -m anvl.tools.opt.main /dev/null --cse 2>&1 \
// RUN:   | filecheck %s --check-prefix=UNUSED
// RUN: env PYTHONPATH=%S/Inputs/installed %PYTHON -m anvl.tools.opt.main --list-passes 2>&1 \
// RUN:   | filecheck %s --check-prefix=LIST
// RUN: not env PYTHONPATH=%S/Inputs/installed %PYTHON -m anvl.tools.opt.main %s \
// RUN:   -p "func.func(my-broken-pass)" 2>&1 | filecheck %s --check-prefix=BROKEN
// RUN: not env PYTHONPATH=%S/Inputs/installed %PYTHON -m anvl.tools.opt.main /dev/null \
// RUN:   --my-unwritten 2>&1 | filecheck %s --check-prefix=UNWRITTEN
// RUN: not env PYTHONPATH=%S/Inputs/installed %PYTHON -m anvl.tools.opt.main /dev/null \
// RUN:   --my-drop-scale 2>&1 | filecheck %s --check-prefix=NEAR

// A pass of an installed package is imported when a pipeline names it, a dialect when a program
// does, and both for the lists; an error names the distribution.

// IMPORTED: my_installed is imported

// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    return %x

// READ: "installed.double"(%

// UNUSED-NOT: my_installed
// UNUSED: module

// LIST: anvl-opt: warning: my-broken 0.1: entry point 'my-broken-pass'
// LIST: anvl-opt: warning: my-rescale 1.5: entry point 'my-unwritten'
// LIST: --my-drop-scales {{ *}}Put the operand of each scale in its place.

// BROKEN: anvl-opt: error: my-broken 0.1: entry point 'my-broken-pass' of anvl.passes cannot be loaded from 'my_broken_package.passes', ModuleNotFoundError: No module named 'my_broken_package'; repair or uninstall the package

// UNWRITTEN: anvl-opt: error: my-rescale 1.5: entry point 'my-unwritten' of anvl.passes: 'my_installed' defines no pass of this name

// NEAR: anvl-opt: error: no flag or pass 'my-drop-scale', did you mean 'my-drop-scales'?; --help lists all
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "installed.double"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
