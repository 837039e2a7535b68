// RUN: anvl-opt %s --verify-each --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-lower-to-stablehlo \
// RUN:   | %run --function=both --args='[[[4.0, 7.0], [2.0, 5.0]], [[2.0], [3.0]]]' \
// RUN:   | %numbers %s
// RUN: anvl-opt %s --anvl-lift --anvl-gradient="function=size wrt=0" --anvl-lower-to-stablehlo \
// RUN:   | %run --function=size_adjoint --args='[[[4.0, 7.0], [2.0, 5.0]]]' \
// RUN:   | %numbers %s --check-prefix=GRADIENT

// Of the matrix [[4, 2], [2, 5]] StableHLO's factor reads one triangle, whatever is in the other.

// CHECK-LABEL: func.func @both(
// CHECK-NOT:     stablehlo.
// CHECK:         "anvl.cholesky"
// CHECK-NOT:     stablehlo.cholesky
// CHECK:         "anvl.triangular_solve"(%{{.*}}, %{{.*}}) {left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
// CHECK:         "anvl.cholesky"
// CHECK:         return

// NUMBERS:      f64[2,2] 2.0 0.0 1.0 2.0
// NUMBERS-NEXT: f64[2,1] 1.0 1.0
// NUMBERS-NEXT: f64[2,2] 2.0 1.0 0.0 2.0
func.func @both(%a: tensor<2x2xf64>, %b: tensor<2x1xf64>) -> (tensor<2x2xf64>, tensor<2x1xf64>, tensor<2x2xf64>) {
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf64>
  %x = "stablehlo.triangular_solve"(%l, %b) {
    left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>
  } : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %u = stablehlo.cholesky %t : tensor<2x2xf64>
  return %l, %x, %u : tensor<2x2xf64>, tensor<2x1xf64>, tensor<2x2xf64>
}

// The sum of the factor's squares is the trace; of the element above the diagonal nothing depends.

// GRADIENT:      f64[] 9.0
// GRADIENT-NEXT: f64[2,2] 1.0 0.0 0.0 1.0
func.func @size(%a: tensor<2x2xf64>) -> tensor<f64> {
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf64>
  %s = stablehlo.multiply %l, %l : tensor<2x2xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %y = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// What says more stays.

// CHECK-LABEL: func.func @noted(
// CHECK:         stablehlo.cholesky
func.func @noted(%a: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %l = stablehlo.cholesky %a, lower = true {my.note} : tensor<2x2xf64>
  return %l : tensor<2x2xf64>
}
