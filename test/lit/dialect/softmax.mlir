// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo --anvl-inline \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=softmax_vjp --args='[[0.0, -40.0], [1.0, 0.0]]' | %numbers %s

// y (g - sum(g y)), with the g of a y that is almost 1 taken off first, as 1 - y would have no
// digits.

// CHECK-LABEL: func.func private @softmax_vjp(
// CHECK-SAME:    %[[X:\w+]]: tensor<2xf64>
// CHECK-SAME:    %[[G:\w+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.softmax"(%[[X]])
// CHECK:         %[[HEAVY:.*]] = "anvl.sum"
// CHECK:         %[[LOW:.*]] = "anvl.sub"(%[[G]], %
// CHECK:         %[[MEAN:.*]] = "anvl.sum"
// CHECK:         %[[OFF:.*]] = "anvl.sub"(%[[LOW]], %
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[Y]], %[[OFF]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @softmax(
// HLO-NOT:     anvl.
// HLO:         stablehlo.reduce
// HLO:         stablehlo.exponential
// HLO:         stablehlo.reduce
// HLO:         return

// NUMBERS: f64[2] 1.0 4.2483543e-18
// NUMBERS-NEXT: f64[2] 4.2483543e-18 -4.2483543e-18
func.func @softmax(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = "anvl.softmax"(%x) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @softmax_vjp(tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    attributes {
      anvl.vjp = {callee = @softmax, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
