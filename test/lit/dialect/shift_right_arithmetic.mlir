// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=shift_right_arithmetic --args='[-8, 1]' \
// RUN:   | %numbers %s

// The sign comes in from the left: a half, rounded down.

// HLO-LABEL: func.func @shift_right_arithmetic(
// HLO:         stablehlo.shift_right_arithmetic %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] -4
func.func @shift_right_arithmetic(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %z = "anvl.shift_right_arithmetic"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %z : tensor<i32>
}
