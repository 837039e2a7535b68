// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main" \
// RUN:   --anvl-gradient="function=main_adjoint target=1" -o %t
// RUN: anvl-opt %t --anvl-control-flow -o %t.bodies
// RUN: %run %t.bodies --function=main_adjoint_adjoint --args='[0, 2.0]' \
// RUN:   | %numbers %s --check-prefix=SQUARE
// RUN: %run %t.bodies --function=main_adjoint_adjoint --args='[-7, 2.0]' \
// RUN:   | %numbers %s --check-prefix=SQUARE
// RUN: %run %t.bodies --function=main_adjoint_adjoint --args='[7, 2.0]' \
// RUN:   | %numbers %s --check-prefix=CUBE
// RUN: anvl-opt %s --anvl-forward="function=main" \
// RUN:   --anvl-vectorize="function=main_tangent batched=0,1,2 size=3" --anvl-control-flow \
// RUN:   | %run --function=main_tangent_batched --args='[[0, 1, 9], [2, 2, -1], [1, 1, 10]]' \
// RUN:   | %numbers %s --check-prefix=SELECT
// RUN: anvl-opt %s --anvl-gradient="function=main" \
// RUN:   --anvl-vectorize="function=main_adjoint batched=1 size=3" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint_batched --args='[1, [2, 2, -1]]' \
// RUN:   | %numbers %s --check-prefix=BATCH

// As version 0.1 wrote it, until November 2026: a choice is a function that is declared, and an index
// below 0 means its first branch.  x^2 or x^3, and its derivatives.

// SQUARE:      f64[] 4.0
// SQUARE-NEXT: f64[] 4.0
// SQUARE-NEXT: f64[] 2.0

// CUBE:        f64[] 8.0
// CUBE-NEXT:   f64[] 12.0
// CUBE-NEXT:   f64[] 12.0

// SELECT:      f64[3] 4.0 8.0 -1.0
// SELECT-NEXT: f64[3] 4.0 12.0 30.0

// BATCH:       f64[3] 8.0 8.0 -1.0
// BATCH-NEXT:  f64[3] 12.0 12.0 3.0
func.func private @choose(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@square, @cube]}}
func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @cube(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func @main(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = call @choose(%i, %x) : (tensor<i32>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
