// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=sum_vjp --args='[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1.0, 10.0]]' \
// RUN:   | %numbers %s

// Every element that was added gets the cotangent of the sum.

// CHECK-LABEL: func.func private @sum_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.sum"(%[[X]]) {axes = array<i64: 1>}
// CHECK:         %[[DX:.*]] = "anvl.broadcast_in_dim"(%[[G]])
// CHECK-SAME:      broadcast_dimensions = array<i64: 0>
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @sum(
// HLO:         stablehlo.constant dense<0.000000e+00>
// HLO-NEXT:    stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1]
// HLO-NEXT:    return

// NUMBERS: f64[2] 6.0 15.0
// NUMBERS-NEXT: f64[2,3] 1.0 1.0 1.0 10.0 10.0 10.0
func.func @sum(%x: tensor<2x3xf64>) -> tensor<2xf64> {
  %y = "anvl.sum"(%x) {axes = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @sum_vjp(tensor<2x3xf64>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2x3xf64>)
    attributes {
      anvl.vjp = {callee = @sum, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
