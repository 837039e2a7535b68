// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo --anvl-inline \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=softmax_vjp --args='[[0.0, -2.0], [1.0, 0.0]]' | %numbers %s

// y (g - sum(g y))

// CHECK-LABEL: func.func private @softmax_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.softmax"(%[[X]])
// CHECK:         %[[MEAN:.*]] = "anvl.sum"
// CHECK:         %[[OFF:.*]] = "anvl.sub"(%[[G]], %
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[Y]], %[[OFF]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @softmax(
// HLO-NOT:     anvl.
// HLO:         stablehlo.reduce
// HLO:         stablehlo.exponential
// HLO:         stablehlo.reduce
// HLO:         return

// NUMBERS: f64[2] 0.8807970780 0.1192029220
// NUMBERS-NEXT: f64[2] 0.1049935854 -0.1049935854
func.func @softmax(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = "anvl.softmax"(%x) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @softmax_vjp(tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    attributes {
      anvl.vjp = {callee = @softmax, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
