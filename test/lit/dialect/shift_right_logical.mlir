// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=shift_right_logical --args='[-1, 28]' \
// RUN:   | %numbers %s

// Zeros come in from the left: of 32 ones four are left.

// HLO-LABEL: func.func @shift_right_logical(
// HLO:         stablehlo.shift_right_logical %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] 15
func.func @shift_right_logical(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %z = "anvl.shift_right_logical"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %z : tensor<i32>
}
