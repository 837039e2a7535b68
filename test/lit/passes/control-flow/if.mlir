// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main" \
// RUN:   --anvl-gradient="function=main_adjoint target=1" -o %t
// RUN: filecheck %s --input-file=%t
// RUN: %run %t --function=main_adjoint_adjoint --args='[true, 3.0]' \
// RUN:   | %numbers %s --check-prefix=TRUE
// RUN: %run %t --function=main_adjoint_adjoint --args='[false, 3.0]' \
// RUN:   | %numbers %s --check-prefix=FALSE
// RUN: anvl-opt %s --anvl-forward="function=main" \
// RUN:   --anvl-vectorize="function=main_tangent batched=0,1,2 size=3" --anvl-control-flow \
// RUN:   | %run --function=main_tangent_batched \
// RUN:     --args='[[true, false, true], [2, 2, -1], [1, 1, 10]]' \
// RUN:   | %numbers %s --check-prefix=SELECT

// The first region where the flag is true: x^3, and its derivatives; else x^2.

// CHECK-LABEL: func.func @main_adjoint_adjoint(
// CHECK-COUNT-3: "stablehlo.if"(

// TRUE:       f64[] 27.0
// TRUE-NEXT:  f64[] 27.0
// TRUE-NEXT:  f64[] 18.0
// FALSE:      f64[] 9.0
// FALSE-NEXT: f64[] 6.0
// FALSE-NEXT: f64[] 2.0
// SELECT:      f64[3] 8.0 4.0 -1.0
// SELECT-NEXT: f64[3] 12.0 4.0 30.0
func.func @main(%p: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "stablehlo.if"(%p) ({
    %2 = "anvl.mul"(%0, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %2 : tensor<f64>
  }, {
    stablehlo.return %0 : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %1 : tensor<f64>
}
