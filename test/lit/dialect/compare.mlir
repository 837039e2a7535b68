// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=compare --args='[[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]]' \
// RUN:   | %numbers %s

// One op for six comparisons. The result is a bool, which has no derivative.

// HLO-LABEL: func.func @compare(
// HLO:         stablehlo.compare LT, %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: bool[3] true false false
func.func @compare(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xi1> {
  %z = "anvl.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>}
      : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  return %z : tensor<3xi1>
}
