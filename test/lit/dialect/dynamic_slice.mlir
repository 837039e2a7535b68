// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=dynamic_slice_vjp --args='[[0.0, 1.0, 2.0, 3.0], 9, [1.0, 10.0]]' \
// RUN:   | %numbers %s

// The cotangent is written into zeros, at the same place; both ops move a start that is outside.

// CHECK-LABEL: func.func private @dynamic_slice_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[AT:[a-zA-Z0-9_]+]]: tensor<i32>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.dynamic_slice"(%[[X]], %[[AT]]) {slice_sizes = array<i64: 2>}
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.dynamic_update_slice"(%[[ZERO]], %[[G]], %[[AT]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @dynamic_slice(
// HLO:         stablehlo.dynamic_slice %{{.*}}, %{{.*}}, sizes = [2]
// HLO-NEXT:    return

// NUMBERS: f64[2] 2.0 3.0
// NUMBERS-NEXT: f64[4] 0.0 0.0 1.0 10.0
func.func @dynamic_slice(%x: tensor<4xf64>, %at: tensor<i32>) -> tensor<2xf64> {
  %y = "anvl.dynamic_slice"(%x, %at) {slice_sizes = array<i64: 2>}
      : (tensor<4xf64>, tensor<i32>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @dynamic_slice_vjp(tensor<4xf64>, tensor<i32>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<4xf64>)
    attributes {
      anvl.vjp = {callee = @dynamic_slice, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
