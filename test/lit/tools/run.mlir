// RUN: %run %s --function=sin --args="[[0.0, 1.0], 2]" | %numbers %s
// RUN: anvl-opt %s --anvl-gradient="function=square wrt=0" | %run --function=square_adjoint --args="[3.0]" | %numbers %s --check-prefix=GRADIENT
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --emit-bytecode -o %t && %run %t --function=square --args="[3]" | %numbers %s --check-prefix=LOWERED
// RUN: not %run %s --function=sun 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not %run %s --function=square 2>&1 | filecheck %s --check-prefix=ARGS

// `%run` lowers what it is given, runs one function, and prints a line for each result.

// NUMBERS:      f32[2] 0.0 0.841471
// NUMBERS-NEXT: i32[] 2

// GRADIENT:      f64[] 9.0
// GRADIENT-NEXT: f64[] 6.0
// LOWERED:       f64[] 9.0
// NAME: run.mlir:1:1: error: anvl-run: no function @sun, did you mean '@sin'?; there are @sin, @square
// ARGS: run.mlir:[[# @LINE + 6]]:1: error: no value for argument 0 (%x: tensor<f64>); give --args, --input, --inputs or --random-seed
func.func @sin(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  %0 = "anvl.sin"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %n : tensor<2xf32>, tensor<i32>
}

func.func @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
