// RUN: not anvl-opt --load=%S/Inputs/failing_passes.py %s --cse --my-erase-used 2>&1 \
// RUN:   | filecheck %s --check-prefix=ERASE
// RUN: not anvl-opt --load=%S/Inputs/failing_passes.py %s --my-erase-by-pattern 2>&1 \
// RUN:   | filecheck %s --check-prefix=PATTERN
// RUN: not anvl-opt --load=%S/Inputs/failing_passes.py %s --my-wrong-type --cse 2>&1 \
// RUN:   | filecheck %s --check-prefix=TYPE

// A pass that would erase a used op gets an error in place of a crash, and a pass that leaves an
// invalid op is named; both messages show the op as it is now, not the line of the input.

// ERASE: invalid-passes.mlir:[[# @LINE + 11]]:8: error: my-erase-used: InvalidErasure: erase: anvl.sin is still used, by anvl.mul; replace its uses first (failing_passes.py:{{[0-9]+}}, in run)
// ERASE-NEXT: invalid-passes.mlir:{{.*}}: note: the op is now: %0 = "anvl.sin"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
// ERASE-NOT: {{.}}

// PATTERN: error: my-erase-by-pattern: InvalidErasure: erase: anvl.sin is still used, by anvl.mul
// PATTERN-NEXT: note: the op is now: %0 = "anvl.sin"(%arg0)

// TYPE: error: my-wrong-type: left invalid IR: cos: result is tensor<7xf64> but the operands give tensor<3xf32>
// TYPE-NEXT: note: the op is now: %0 = "anvl.cos"(%arg0) : (tensor<3xf32>) -> tensor<7xf64>
// TYPE-NOT: {{.}}
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.mul"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
