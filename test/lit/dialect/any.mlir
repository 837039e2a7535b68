// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=any --args='[[[false, false], [true, false]]]' \
// RUN:   | %numbers %s

// Whether one of a row is true. Bools have no derivative.

// HLO-LABEL: func.func @any(
// HLO:         stablehlo.constant dense<false>
// HLO-NEXT:    stablehlo.reduce({{.*}}) applies stablehlo.or across dimensions = [1]
// HLO-NEXT:    return

// NUMBERS: bool[2] false true
func.func @any(%x: tensor<2x2xi1>) -> tensor<2xi1> {
  %y = "anvl.any"(%x) {axes = array<i64: 1>} : (tensor<2x2xi1>) -> tensor<2xi1>
  return %y : tensor<2xi1>
}
