// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=slice_vjp --args='[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 10.0]]' \
// RUN:   | %numbers %s

// The cotangent is padded with zeros, also between its elements, to where they came from.

// CHECK-LABEL: func.func private @slice_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<6xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.slice"(%[[X]])
// CHECK-SAME:      limit_indices = array<i64: 5>, start_indices = array<i64: 1>
// CHECK-SAME:      strides = array<i64: 3>
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.pad"(%[[G]], %[[ZERO]])
// CHECK-SAME:      edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 1>
// CHECK-SAME:      interior_padding = array<i64: 2>
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @slice(
// HLO:         stablehlo.slice %{{.*}} [1:5:3]
// HLO-NEXT:    return

// NUMBERS: f64[2] 1.0 4.0
// NUMBERS-NEXT: f64[6] 0.0 1.0 0.0 0.0 10.0 0.0
func.func @slice(%x: tensor<6xf64>) -> tensor<2xf64> {
  %y = "anvl.slice"(%x) {
    start_indices = array<i64: 1>,
    limit_indices = array<i64: 5>,
    strides = array<i64: 3>
  } : (tensor<6xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @slice_vjp(tensor<6xf64>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<6xf64>)
    attributes {
      anvl.vjp = {callee = @slice, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
