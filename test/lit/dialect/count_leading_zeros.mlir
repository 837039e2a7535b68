// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=count_leading_zeros --args='[1]' | %numbers %s

// Counts the zero bits before the first one: 31 in the 32-bit number 1.

// HLO-LABEL: func.func @count_leading_zeros(
// HLO:         stablehlo.count_leading_zeros %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] 31
func.func @count_leading_zeros(%x: tensor<i32>) -> tensor<i32> {
  %y = "anvl.count_leading_zeros"(%x) : (tensor<i32>) -> tensor<i32>
  return %y : tensor<i32>
}
