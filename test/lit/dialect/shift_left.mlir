// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=shift_left --args='[3, 2]' | %numbers %s

// Two places left is times four.

// HLO-LABEL: func.func @shift_left(
// HLO:         stablehlo.shift_left %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] 12
func.func @shift_left(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %z = "anvl.shift_left"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %z : tensor<i32>
}
