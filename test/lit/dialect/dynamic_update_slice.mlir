// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=dynamic_update_slice_vjp \
// RUN:   --args='[[0.0, 1.0, 2.0, 3.0], [8.0, 9.0], 1, [1.0, 10.0, 100.0, 1000.0]]' \
// RUN:   | %numbers %s

// The update gets the cotangent of its place; the operand gets the rest.

// CHECK-LABEL: func.func private @dynamic_update_slice_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[U:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[AT:[a-zA-Z0-9_]+]]: tensor<i32>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK:         %[[Y:.*]] = "anvl.dynamic_update_slice"(%[[X]], %[[U]], %[[AT]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.dynamic_update_slice"(%[[G]], %[[ZERO]], %[[AT]])
// CHECK:         %[[DU:.*]] = "anvl.dynamic_slice"(%[[G]], %[[AT]]) {slice_sizes = array<i64: 2>}
// CHECK:         return %[[Y]], %[[DX]], %[[DU]]

// HLO-LABEL: func.func @dynamic_update_slice(
// HLO:         stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[4] 0.0 8.0 9.0 3.0
// NUMBERS-NEXT: f64[4] 1.0 0.0 0.0 1000.0
// NUMBERS-NEXT: f64[2] 10.0 100.0
func.func @dynamic_update_slice(%x: tensor<4xf64>, %u: tensor<2xf64>, %at: tensor<i32>)
    -> tensor<4xf64> {
  %y = "anvl.dynamic_update_slice"(%x, %u, %at)
      : (tensor<4xf64>, tensor<2xf64>, tensor<i32>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @dynamic_update_slice_vjp(
      tensor<4xf64>, tensor<2xf64>, tensor<i32>, tensor<4xf64>)
    -> (tensor<4xf64>, tensor<4xf64>, tensor<2xf64>)
    attributes {
      anvl.vjp = {
        callee = @dynamic_update_slice, wrt = array<i64: 0, 1>, targets = array<i64: 0>
      }
    }
