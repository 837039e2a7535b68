// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=reduce_precision" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=reduce_precision" \
// RUN:   | %run --function=reduce_precision_adjoint --args='[1.3]' \
// RUN:   | %numbers %s

// 1.3 with two bits of mantissa is 1.25. The derivative is 1, rounded in the same way.

// CHECK-LABEL: func.func @reduce_precision_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.reduce_precision"(%[[X]]) {exponent_bits = 5
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.reduce_precision"(%[[ONE]]) {exponent_bits = 5
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @reduce_precision(
// HLO:         stablehlo.reduce_precision %{{.*}}, format = e5m2
// HLO-NEXT:    return

// NUMBERS: f64[] 1.25
// NUMBERS-NEXT: f64[] 1.0
func.func @reduce_precision(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.reduce_precision"(%x) {exponent_bits = 5 : i32, mantissa_bits = 2 : i32}
      : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
