// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=xor --args='[12, 10]' | %numbers %s

// Bit by bit: 1100 xor 1010 is 0110.

// HLO-LABEL: func.func @xor(
// HLO:         stablehlo.xor %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: i32[] 6
func.func @xor(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %z = "anvl.xor"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %z : tensor<i32>
}
