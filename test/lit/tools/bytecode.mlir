// RUN: anvl-opt %s --emit-bytecode -o %t.mlirbc
// RUN: anvl-opt %t.mlirbc | filecheck %s
// RUN: anvl-opt %s --emit-bytecode | anvl-opt - --trust-input --cse | filecheck %s
// RUN: %PYTHON -c "print('ML', end=''); import sys; sys.stdout.flush(); sys.stdout.buffer.write(bytes([0xef, 0x52, 0x0d, 0x41]))" > %t.bad
// RUN: not anvl-opt %t.bad 2>&1 | filecheck %s --check-prefix=BAD

// Bytecode reads back as what was written; what is malformed is refused.

// BAD: bytecode.mlir.tmp.bad:1:1: error: malformed bytecode

// CHECK-LABEL: func.func @f(
// CHECK:         "anvl.sin"
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
