// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=custom_call --args='[2.0]' \
// RUN:   | %numbers %s
// RUN: not anvl-opt %s --anvl-gradient="function=custom_call wrt=0" 2>&1 \
// RUN:   | filecheck %s --check-prefix=REFUSED

// StableHLO's own op.  A derivative is refused by the name of the routine.  This one, which XLA
// knows on every platform, is the identity where there is nothing to partition.

// HLO-LABEL: func.func @custom_call(
// HLO:         stablehlo.custom_call @Sharding(%{{.*}})

// NUMBERS: f32[] 2.0

// REFUSED: {{.*}}custom_call {{.*}}anvl knows no derivative of the routine 'Sharding'; make the call in the `lower` rule of an op of your own
func.func @custom_call(%x: tensor<f32>) -> tensor<f32> {
  %y = "stablehlo.custom_call"(%x) {call_target_name = "Sharding", backend_config = ""}
    : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
