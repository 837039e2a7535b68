// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=rng_bit_generator --args='[[0, 0]]' \
// RUN:   | %numbers %s

// Bits, and the state for the next ones: they have no derivative.  The numbers are those of
// Threefry-2x32 in the paper's own test vectors: key 0, counter 0.

// HLO-LABEL: func.func @rng_bit_generator(
// HLO:         %output_state, %output = stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY
// HLO:         return %output_state, %output

// NUMBERS: ui64[2] 0 1
// NUMBERS-NEXT: ui32[2] 1797259609 2579123966
func.func @rng_bit_generator(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>) {
  %next, %bits = "anvl.rng_bit_generator"(%state) {
    rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>
  } : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  return %next, %bits : tensor<2xui64>, tensor<2xui32>
}
