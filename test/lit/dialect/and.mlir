// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=and --args='[12, 10]' | %numbers %s

// Bit by bit: 1100 and 1010 is 1000.

// HLO-LABEL: func.func @and(
// HLO:         stablehlo.and %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] 8
func.func @and(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %z = "anvl.and"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %z : tensor<i32>
}
