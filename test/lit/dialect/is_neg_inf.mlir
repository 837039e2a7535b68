// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=is_neg_inf --args='[-Infinity]' | %numbers %s

// True of -infinity only.

// HLO-LABEL: func.func @is_neg_inf(
// HLO:         stablehlo.constant dense<0xFFF0000000000000>
// HLO-NEXT:    stablehlo.compare EQ, %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: bool[] true
func.func @is_neg_inf(%x: tensor<f64>) -> tensor<i1> {
  %y = "anvl.is_neg_inf"(%x) : (tensor<f64>) -> tensor<i1>
  return %y : tensor<i1>
}
