// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=reshape_vjp --args='[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], \
// RUN:     [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]' \
// RUN:   | %numbers %s

// The cotangent takes the shape of the operand.

// CHECK-LABEL: func.func private @reshape_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<6xf64>
// CHECK:         %[[Y:.*]] = "anvl.reshape"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.reshape"(%[[G]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @reshape(
// HLO:         stablehlo.reshape %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[6] 1.0 2.0 3.0 4.0 5.0 6.0
// NUMBERS-NEXT: f64[2,3] 1.0 2.0 3.0 4.0 5.0 6.0
func.func @reshape(%x: tensor<2x3xf64>) -> tensor<6xf64> {
  %y = "anvl.reshape"(%x) : (tensor<2x3xf64>) -> tensor<6xf64>
  return %y : tensor<6xf64>
}

func.func private @reshape_vjp(tensor<2x3xf64>, tensor<6xf64>)
    -> (tensor<6xf64>, tensor<2x3xf64>)
    attributes {
      anvl.vjp = {callee = @reshape, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
