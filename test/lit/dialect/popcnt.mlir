// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=popcnt --args='[7]' | %numbers %s

// Counts the bits that are set: three in 7.

// HLO-LABEL: func.func @popcnt(
// HLO:         stablehlo.popcnt %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] 3
func.func @popcnt(%x: tensor<i32>) -> tensor<i32> {
  %y = "anvl.popcnt"(%x) : (tensor<i32>) -> tensor<i32>
  return %y : tensor<i32>
}
