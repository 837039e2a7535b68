// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=gather_vjp --args='[ \
// RUN:   [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[1], [9], [1]], \
// RUN:   [[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]]' \
// RUN:   | %numbers %s

// The cotangent is added up where it came from.  A gather reads the nearest row for an index that
// is outside, where a scatter would write nothing: so the indices are clamped first.

// CHECK-LABEL: func.func private @gather_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3x2xf64>
// CHECK-SAME:    %[[AT:[a-zA-Z0-9_]+]]: tensor<3x1xi32>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3x2xf64>
// CHECK:         %[[Y:.*]] = "anvl.gather"(%[[X]], %[[AT]])
// CHECK-SAME:      slice_sizes = array<i64: 1, 2>
// CHECK:         %[[LAST:.*]] = "anvl.constant"() {value = dense<2>
// CHECK:         %[[FIRST:.*]] = "anvl.constant"() {value = dense<0>
// CHECK:         %[[INSIDE:.*]] = "anvl.clamp"(%[[FIRST]], %[[AT]], %[[LAST]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[DX:.*]] = "stablehlo.scatter"(%[[ZERO]], %[[INSIDE]], %[[G]])
// CHECK-SAME:      update_window_dims = [1], inserted_window_dims = [0]
// CHECK-SAME:      scatter_dims_to_operand_dims = [0], index_vector_dim = 1
// CHECK:           "anvl.add"
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @gather(
// HLO:         "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<
// HLO-NEXT:    return

// NUMBERS: f64[3,2] 2.0 3.0 4.0 5.0 2.0 3.0
// NUMBERS-NEXT: f64[3,2] 0.0 0.0 101.0 202.0 10.0 20.0
func.func @gather(%x: tensor<3x2xf64>, %at: tensor<3x1xi32>) -> tensor<3x2xf64> {
  %y = "anvl.gather"(%x, %at) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>
  } : (tensor<3x2xf64>, tensor<3x1xi32>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func private @gather_vjp(tensor<3x2xf64>, tensor<3x1xi32>, tensor<3x2xf64>)
    -> (tensor<3x2xf64>, tensor<3x2xf64>)
    attributes {
      anvl.vjp = {callee = @gather, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
