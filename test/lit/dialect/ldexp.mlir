// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=ldexp" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=sum" \
// RUN:   | %run --function=sum_adjoint --args='[[0.75, 3.0, 5e-324], [2, -1, 60]]' \
// RUN:   | %numbers %s

// The cotangent is scaled by the same powers; numbers with fewer digits than others are not zero.

// CHECK-LABEL: func.func @ldexp_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[N:[a-zA-Z0-9_]+]]: tensor<i32>
// CHECK:         %[[Y:.*]] = "anvl.ldexp"(%[[X]], %[[N]])
// CHECK:         %[[G:.*]] = "anvl.constant"
// CHECK:         %[[DX:.*]] = "anvl.ldexp"(%[[G]], %[[N]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func private @ldexp_1(
// HLO:         stablehlo.bitcast_convert
// HLO-NOT:     stablehlo.multiply
// HLO:         return
func.func @ldexp(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %y = "anvl.ldexp"(%x, %n) : (tensor<f64>, tensor<i32>) -> tensor<f64>
  return %y : tensor<f64>
}

// NUMBERS: f64[] 4.5
// NUMBERS-NEXT: f64[3] 4.0 0.5 1.15292e+18
func.func @sum(%x: tensor<3xf64>, %n: tensor<3xi32>) -> tensor<f64> {
  %y = "anvl.ldexp"(%x, %n) : (tensor<3xf64>, tensor<3xi32>) -> tensor<3xf64>
  %z = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %z : tensor<f64>
}
