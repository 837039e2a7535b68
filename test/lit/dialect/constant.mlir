// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=constant --args='[]' | %numbers %s

// A known array. It takes nothing, so it has no derivative.

// HLO-LABEL: func.func @constant(
// HLO:         stablehlo.constant dense<[1.000000e+00, 2.000000e+00]>
// HLO-NEXT:    return

// NUMBERS: f32[2] 1.0 2.0
func.func @constant() -> tensor<2xf32> {
  %y = "anvl.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  return %y : tensor<2xf32>
}
