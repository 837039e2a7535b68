// RUN: anvl-opt %s --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-gradient="function=main" \
// RUN:   | %run --function=main_adjoint --args='[[[1.0, 2.0], [3.0, 4.0]], [[0.5, 0.0], [0.0, 0.5]]]' \
// RUN:   | %numbers %s
// RUN: anvl-opt %s --anvl-lift --anvl-vectorize="function=main size=2" --anvl-inline \
// RUN:   | filecheck %s --check-prefix=BATCHED
// RUN: anvl-opt %s --anvl-lift --anvl-lower-to-stablehlo | filecheck %s --check-prefix=BACK

// A program as others write it: it can be differentiated and batched once it is anvl's.

// CHECK-LABEL: func.func @main(
// CHECK:         "anvl.dot_general"
// CHECK:         "anvl.erf"
// CHECK:         "anvl.compare"
// CHECK:         "anvl.select"
// CHECK:         "anvl.sum"(%{{.*}}) {axes = array<i64: 0, 1>}
// CHECK-NOT:     stablehlo.reduce

// NUMBERS:      f64[] 4.32204
// NUMBERS-NEXT: f64[2,2] 0.441661 0.208626 0.0597724 0.0103869
// NUMBERS-NEXT: f64[2,2] 1.24196 0.479573 2.24482 0.917599
// BATCHED:      func.func @main_batched(
// BATCHED:        "anvl.sum"(%{{.*}}) {axes = array<i64: 1, 2>}

// BACK-NOT:     anvl.
// BACK:         stablehlo.reduce
func.func @main(%x: tensor<2x2xf64>, %w: tensor<2x2xf64>) -> tensor<f64> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %1 = chlo.erf %0 : tensor<2x2xf64> -> tensor<2x2xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %2 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
  %3 = stablehlo.compare GT, %1, %2, FLOAT
    : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xi1>
  %4 = stablehlo.exponential %1 : tensor<2x2xf64>
  %5 = stablehlo.select %3, %1, %4 : tensor<2x2xi1>, tensor<2x2xf64>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
  %7 = stablehlo.tanh %6 : tensor<f64>
  %8 = stablehlo.add %6, %7 : tensor<f64>
  return %8 : tensor<f64>
}
