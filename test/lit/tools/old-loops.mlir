// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main" -o %t.adjoint
// RUN: anvl-opt %t.adjoint --anvl-gradient="function=main_adjoint target=1" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint_adjoint --args='[2.0, 1.0]' \
// RUN:   | %numbers %s --check-prefix=FIRST,SECOND
// RUN: anvl-opt %t.adjoint --anvl-forward="function=main_adjoint wrt=0" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint_tangent --args='[2.0, 1.0, 1.0]' \
// RUN:   | %numbers %s --check-prefix=FIRST,FORWARD
// RUN: anvl-opt %s --anvl-forward="function=main wrt=0" \
// RUN:   --anvl-gradient="function=main_tangent target=1 wrt=0" --anvl-control-flow \
// RUN:   | %run --function=main_tangent_adjoint --args='[2.0, 1.0, 1.0]' \
// RUN:   | %numbers %s --check-prefix=MIXED
// RUN: anvl-opt %t.adjoint --anvl-vectorize="function=main_adjoint batched=0 size=3" \
// RUN:   --anvl-control-flow \
// RUN:   | %run --function=main_adjoint_batched --args='[[2.0, 5.0, 200.0], 1.0]' \
// RUN:   | %numbers %s --check-prefix=BATCH

// As version 0.1 wrote it, until November 2026: a loop is a function that is declared.
// x^2 a until 100, a loop whose number of steps depends on x: x^8 a^7 of 2, x^4 a^3 of 5, x of 200.
// Its derivatives of both orders, in every way.

// FIRST:        f64[] 256.0
// FIRST-NEXT:   f64[] 1024.0
// FIRST-NEXT:   f64[] 1792.0

// The slopes of the first derivative: 56 x^6 a^7, and 56 x^7 a^6.
// SECOND-NEXT:  f64[] 3584.0
// SECOND-NEXT:  f64[] 7168.0

// The tangents of all three, along x.
// FORWARD-NEXT: f64[] 1024.0
// FORWARD-NEXT: f64[] 3584.0
// FORWARD-NEXT: f64[] 7168.0

// MIXED:        f64[] 256.0
// MIXED-NEXT:   f64[] 1024.0
// MIXED-NEXT:   f64[] 3584.0

// BATCH:        f64[3] 256.0 625.0 200.0
// BATCH-NEXT:   f64[3] 1024.0 500.0 1.0
// BATCH-NEXT:   f64[3] 1792.0 1875.0 0.0
func.func private @loop(tensor<f64>, tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @below, body = @square, carry = 1 : i64}}

func.func private @below(%x: tensor<f64>, %a: tensor<f64>) -> tensor<i1> {
  %most = "anvl.constant"() {value = dense<100.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "anvl.compare"(%x, %most) {comparison_direction = #stablehlo<comparison_direction LT>}
    : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @square(%x: tensor<f64>, %a: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %a) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func @main(%x: tensor<f64>, %a: tensor<f64>) -> tensor<f64> {
  %0 = call @loop(%x, %a) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
