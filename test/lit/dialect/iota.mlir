// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=iota --args='[]' | %numbers %s

// Counts along one axis. It takes nothing, so it has no derivative.

// HLO-LABEL: func.func @iota(
// HLO:         stablehlo.iota dim = 1
// HLO-NEXT:    return

// NUMBERS: i32[2,3] 0 1 2 0 1 2
func.func @iota() -> tensor<2x3xi32> {
  %y = "anvl.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}
