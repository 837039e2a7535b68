// RUN: anvl-opt %s --verify-roundtrip | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=alone --args='[]' | %numbers %s

// Device d of a mesh of 2 times 4 stands at d rem 4 along y; along one device, at 0.

// CHECK: "anvl.axis_index"() {axes = ["y"], mesh = "x=2,y=4"}
// HLO-LABEL: func.func private @xla.sdy.manual_computation_body_0(
// HLO:         %[[D:.*]] = stablehlo.partition_id
// HLO-NEXT:    %[[I:.*]] = stablehlo.convert %[[D]]
// HLO-DAG:     stablehlo.divide
// HLO:         stablehlo.remainder
func.func private @axis_index() -> tensor<1xi32> {
  %i = "anvl.axis_index"() {axes = ["y"], mesh = "x=2,y=4"} : () -> tensor<i32>
  %one = "anvl.reshape"(%i) {shape = array<i64: 1>} : (tensor<i32>) -> tensor<1xi32>
  return %one : tensor<1xi32>
}

// NUMBERS: i32[] 0
func.func @alone() -> tensor<i32> {
  %i = "anvl.axis_index"() {axes = ["x"], mesh = "x=1,y=4"} : () -> tensor<i32>
  return %i : tensor<i32>
}
func.func private @each() -> tensor<4xi32> attributes {
  anvl.shard_map = {body = @axis_index, mesh = "x=2,y=4", in = [], out = ["y"]}
}
func.func @whole() -> tensor<4xi32> {
  %y = func.call @each() : () -> tensor<4xi32>
  return %y : tensor<4xi32>
}
