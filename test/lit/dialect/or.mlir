// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=or --args='[12, 10]' | %numbers %s

// Bit by bit: 1100 or 1010 is 1110.

// HLO-LABEL: func.func @or(
// HLO:         stablehlo.or %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] 14
func.func @or(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %z = "anvl.or"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %z : tensor<i32>
}
