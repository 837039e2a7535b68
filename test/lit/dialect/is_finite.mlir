// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=is_finite --args='[Infinity]' | %numbers %s

// True of a number, false of infinity and NaN.

// HLO-LABEL: func.func @is_finite(
// HLO:         stablehlo.is_finite %{{.*}}
// HLO-NEXT:    return

// NUMBERS: bool[] false
func.func @is_finite(%x: tensor<f64>) -> tensor<i1> {
  %y = "anvl.is_finite"(%x) : (tensor<f64>) -> tensor<i1>
  return %y : tensor<i1>
}
