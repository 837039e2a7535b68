// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo --anvl-inline \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=log_softmax_vjp --args='[[0.0, -2.0], [1.0, 0.0]]' | %numbers %s

// g - softmax(x) sum(g)

// CHECK-LABEL: func.func private @log_softmax_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.log_softmax"(%[[X]])
// CHECK:         %[[SHARE:.*]] = "anvl.softmax"(%[[X]])
// CHECK:         %[[ALL:.*]] = "anvl.sum"(%[[G]])
// CHECK:         %[[OFF:.*]] = "anvl.mul"(%[[SHARE]], %
// CHECK:         %[[DX:.*]] = "anvl.sub"(%[[G]], %[[OFF]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @log_softmax(
// HLO-NOT:     anvl.
// HLO:         stablehlo.reduce
// HLO:         stablehlo.exponential
// HLO:         stablehlo.reduce
// HLO:         return

// NUMBERS: f64[2] -0.1269280110 -2.1269280110
// NUMBERS-NEXT: f64[2] 0.1192029220 -0.1192029220
func.func @log_softmax(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = "anvl.log_softmax"(%x) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @log_softmax_vjp(tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    attributes {
      anvl.vjp = {callee = @log_softmax, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
