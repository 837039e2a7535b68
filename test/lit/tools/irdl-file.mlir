// RUN: anvl-opt %s --irdl-file=%S/Inputs/complex.irdl.mlir --cse | filecheck %s
// RUN: anvl-opt %s --irdl-file=%S/Inputs/complex.irdl.mlir --emit-bytecode \
// RUN:   | anvl-opt --irdl-file=%S/Inputs/complex.irdl.mlir | filecheck %s
// RUN: sed -e 's/(%%x)/(%%x, %%x)/' -e 's/: (f32)/: (f32, f32)/' %s > %t.mlir
// RUN: not anvl-opt %t.mlir --irdl-file=%S/Inputs/complex.irdl.mlir 2>&1 \
// RUN:   | filecheck %s --check-prefix=COUNT
// RUN: sed 's/@cmplx/@anvl/' %S/Inputs/complex.irdl.mlir > %t.twice
// RUN: not anvl-opt %s --irdl-file=%t.twice 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not anvl-opt %s --irdl-file=%s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not anvl-opt %s --irdl-file=%S/split.mlir 2>&1 | filecheck %s --check-prefix=INVALID
// RUN: echo 'module {}' > %t.none
// RUN: not anvl-opt %s --irdl-file=%t.none 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --irdl-file=%t.absent 2>&1 | filecheck %s --check-prefix=ABSENT

// The dialects of an IRDL file are known before the input is read, and its ops are verified.

// CHECK-LABEL: func.func @f(
// CHECK:         "cmplx.negate"(%{{.*}}) : (f32) -> f32

// COUNT: mlir:[[# @LINE + 12]]:8: error: op expects exactly 1 operands, but got 2

// TWICE: .twice:1:15: error: irdl-file: there is a dialect anvl already; give it another name

// UNKNOWN: irdl-file.mlir:{{[0-9]+}}:{{[0-9]+}}: error: operation being parsed with an unregistered dialect

// INVALID: split.mlir:{{[0-9]+}}:1: error: redefinition of symbol named 'f'

// NONE: .none:1:1: error: irdl-file: no dialect; expected irdl.dialect @name

// ABSENT: .absent:1:1: error: cannot read the file, No such file or directory
func.func @f(%x: f32) -> f32 {
  %0 = "cmplx.negate"(%x) : (f32) -> f32
  return %0 : f32
}
