// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=mulhi --args='[[-7, 2000000000], [3, 2000000000]]' \
// RUN:   | %numbers %s

// The upper half of the product, as shifting it down would leave it.

// HLO-LABEL: func.func @mulhi(
// HLO:         stablehlo.multiply {{.*}} : tensor<2xi64>
// HLO:         stablehlo.shift_right_arithmetic
// HLO:         return

// NUMBERS: i32[2] -1 931322574
func.func @mulhi(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %z = "anvl.mulhi"(%x, %y) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %z : tensor<2xi32>
}
