// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=reduce wrt=0" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=reduce wrt=0" \
// RUN:   | %run --function=reduce_adjoint --args='[[1.0, 2.0, 5.0]]' \
// RUN:   | %numbers %s

// The body a + b + a b folds to (1 + x0)(1 + x1)(1 + x2) - 1: each slope is the product of the
// others, found by differentiating the body along a tree.  StableHLO's own op, borrowed.

// CHECK-LABEL: func.func @reduce_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[Y:.*]] = stablehlo.reduce(%[[X]] init:
// CHECK:         "anvl.mul"
// CHECK:         return %[[Y]], %{{.*}} : tensor<f64>, tensor<3xf64>

// HLO-LABEL: func.func @reduce(
// HLO:         stablehlo.reduce
// HLO:         stablehlo.multiply
// HLO:         stablehlo.add

// NUMBERS: f64[] 35.0
// NUMBERS-NEXT: f64[3] 18.0 12.0 6.0
func.func @reduce(%x: tensor<3xf64>) -> tensor<f64> {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %y = stablehlo.reduce(%x init: %zero) across dimensions = [0]
      : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    reducer(%a: tensor<f64>, %b: tensor<f64>) {
      %ab = "anvl.mul"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %sum = "anvl.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %both = "anvl.add"(%sum, %ab) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      stablehlo.return %both : tensor<f64>
    }
  return %y : tensor<f64>
}
