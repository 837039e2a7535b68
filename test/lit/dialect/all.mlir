// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=all --args='[[[true, true], [true, false]]]' \
// RUN:   | %numbers %s

// Whether all of a row are true. Bools have no derivative.

// HLO-LABEL: func.func @all(
// HLO:         stablehlo.constant dense<true>
// HLO-NEXT:    stablehlo.reduce({{.*}}) applies stablehlo.and across dimensions = [1]
// HLO-NEXT:    return

// NUMBERS: bool[2] true false
func.func @all(%x: tensor<2x2xi1>) -> tensor<2xi1> {
  %y = "anvl.all"(%x) {axes = array<i64: 1>} : (tensor<2x2xi1>) -> tensor<2xi1>
  return %y : tensor<2xi1>
}
