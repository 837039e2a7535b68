// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=pad_vjp --args='[[1.0, 2.0], 9.0, \
// RUN:     [1.0, 10.0, 100.0, 1000.0, 10000.0]]' \
// RUN:   | %numbers %s

// The operand gets the cotangents of its places; the padding value the sum of all the others.

// CHECK-LABEL: func.func private @pad_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[VALUE:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<5xf64>
// CHECK:         %[[Y:.*]] = "anvl.pad"(%[[X]], %[[VALUE]])
// CHECK-SAME:      edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 1>
// CHECK-SAME:      interior_padding = array<i64: 1>
// CHECK:         %[[DX:.*]] = "anvl.slice"(%[[G]])
// CHECK-SAME:      limit_indices = array<i64: 4>, start_indices = array<i64: 1>
// CHECK-SAME:      strides = array<i64: 2>
// CHECK:         %[[CONSTANT:.*]] = "anvl.constant"() {value = dense<false>
// CHECK:         %[[CONSTANT2:.*]] = "anvl.constant"() {value = dense<true>
// CHECK:         %[[BROADCAST:.*]] = "anvl.broadcast_in_dim"(%[[CONSTANT]])
// CHECK-SAME:      broadcast_dimensions = array<i64>
// CHECK:         %[[PAD2:.*]] = "anvl.pad"(%[[BROADCAST]], %[[CONSTANT2]])
// CHECK-SAME:      edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 1>
// CHECK-SAME:      interior_padding = array<i64: 1>
// CHECK:         %[[ZERO2:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[SELECT:.*]] = "anvl.select"(%[[PAD2]], %[[G]], %[[ZERO2]])
// CHECK:         %[[DVALUE:.*]] = "anvl.sum"(%[[SELECT]]) {axes = array<i64: 0>}
// CHECK:         return %[[Y]], %[[DX]], %[[DVALUE]]

// HLO-LABEL: func.func @pad(
// HLO:         stablehlo.pad %{{.*}}, %{{.*}}, low = [1], high = [1], interior = [1]
// HLO-NEXT:    return

// NUMBERS: f64[5] 9.0 1.0 9.0 2.0 9.0
// NUMBERS-NEXT: f64[2] 10.0 1000.0
// NUMBERS-NEXT: f64[] 10101.0
func.func @pad(%x: tensor<2xf64>, %value: tensor<f64>) -> tensor<5xf64> {
  %y = "anvl.pad"(%x, %value) {
    edge_padding_low = array<i64: 1>,
    edge_padding_high = array<i64: 1>,
    interior_padding = array<i64: 1>
  } : (tensor<2xf64>, tensor<f64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func private @pad_vjp(tensor<2xf64>, tensor<f64>, tensor<5xf64>)
    -> (tensor<5xf64>, tensor<2xf64>, tensor<f64>)
    attributes {
      anvl.vjp = {callee = @pad, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
