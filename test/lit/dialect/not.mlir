// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=not --args='[5]' | %numbers %s

// Flips every bit: ~5 = -6. Integers have no derivative.

// HLO-LABEL: func.func @not(
// HLO:         stablehlo.not %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] -6
func.func @not(%x: tensor<i32>) -> tensor<i32> {
  %y = "anvl.not"(%x) : (tensor<i32>) -> tensor<i32>
  return %y : tensor<i32>
}
