// RUN: not anvl-opt %s 2>&1 | filecheck %s
// RUN: not anvl-opt no-such-file.mlir 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not anvl-opt %s --cze 2>&1 | filecheck %s --check-prefix=FLAG
// RUN: not anvl-opt %s -p cze 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not anvl-opt %s -p "func.func(cse" 2>&1 | filecheck %s --check-prefix=BALANCE
// RUN: not anvl-opt %s --cse -p cse 2>&1 | filecheck %s --check-prefix=TWICE

// Every error names the file, line and column, or what is wrong with the command line.

// CHECK: errors.mlir:[[# @LINE + 9]]:23: error: use of value '%x' expects different type than prior uses: 'tensor<f64>' vs 'tensor<f32>'
// CHECK-NEXT: stablehlo.sine %x : tensor<f64>
// CHECK-NEXT: {{^ +\^$}}
// CHECK-NOT: Traceback

// FILE: no-such-file.mlir:1:1: error: cannot read the file, No such file or directory

// FLAG: anvl-opt: error: no flag or pass 'cze', did you mean 'cse'?; --help lists all
func.func @f(%x: tensor<f32>) -> tensor<f64> {
  %0 = stablehlo.sine %x : tensor<f64>
  return %0 : tensor<f64>
}

// PASS: anvl-opt: error: cze: no such pass, did you mean 'cse'?; --list-passes shows all
// BALANCE: anvl-opt: error: pipeline: unbalanced '(' at column 10 of 'func.func(cse'
// TWICE: anvl-opt: error: passes are given twice; use --pass-pipeline or pass flags, not both
