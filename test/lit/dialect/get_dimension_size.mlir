// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=get_dimension_size --args='[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]' \
// RUN:   | %numbers %s

// The size of an axis is an i32 scalar; it has no derivative.

// HLO-LABEL: func.func @get_dimension_size(
// HLO-NEXT:    stablehlo.get_dimension_size %{{.*}}, dim = 1
// HLO-NEXT:    return

// NUMBERS: i32[] 3
func.func @get_dimension_size(%x: tensor<2x3xf64>) -> tensor<i32> {
  %y = "anvl.get_dimension_size"(%x) {dimension = 1 : i64} : (tensor<2x3xf64>) -> tensor<i32>
  return %y : tensor<i32>
}
