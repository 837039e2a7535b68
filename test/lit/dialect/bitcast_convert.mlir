// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=bitcast_convert --args='[[1065353216, 0]]' \
// RUN:   | %numbers %s

// The bits of 1.0 in f32 are 0x3F800000. Bits carry no derivative.

// HLO-LABEL: func.func @bitcast_convert(
// HLO:         stablehlo.bitcast_convert %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f32[2] 1.0 0.0
func.func @bitcast_convert(%x: tensor<2xi32>) -> tensor<2xf32> {
  %y = "anvl.bitcast_convert"(%x) : (tensor<2xi32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
