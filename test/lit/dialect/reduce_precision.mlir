// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=reduce_precision" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=reduce_precision" \
// RUN:   | %run --function=reduce_precision_adjoint --args='[1.01]' \
// RUN:   | filecheck %s --check-prefix=NUMBERS

// To the bits of bf16: 1.01 becomes 1.0078125; the derivative is 1, rounded likewise.

// CHECK-LABEL: func.func @reduce_precision_adjoint(
// CHECK-SAME:    %[[X:\w+]]: tensor<f32>
// CHECK:         %[[Y:.*]] = "anvl.reduce_precision"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.reduce_precision"(%[[ONE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @reduce_precision(
// HLO:         stablehlo.reduce_precision %{{.*}}, format = e8m7
// HLO-NEXT:    return

// NUMBERS: f32[] 1.00781
// NUMBERS-NEXT: f32[] 1.0
func.func @reduce_precision(%x: tensor<f32>) -> tensor<f32> {
  %y = "anvl.reduce_precision"(%x) {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
