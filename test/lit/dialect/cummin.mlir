// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=cummin_vjp --args='[[3.0, 1.0, 2.0, 1.0], [1.0, 10.0, 100.0, 1000.0]]' \
// RUN:   | %numbers %s

// Every place sends its cotangent to the elements that it equals, an even share to each.

// CHECK-LABEL: func.func private @cummin_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK:         %[[CUMMIN:.*]] = "anvl.cummin"(%[[X]])
// CHECK:         %[[ONCE:.*]] = stablehlo.optimization_barrier %[[X]]
// CHECK:         %[[AGAIN:.*]] = "anvl.cummin"(%[[ONCE]])
// CHECK:         %[[COMPARE:.*]] = "anvl.compare"(%[[ONCE]], %[[AGAIN]]) {comparison_direction = #stablehlo<comparison_direction EQ>}
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[PAD:.*]] = "anvl.pad"(%[[AGAIN]], %[[ZERO]])
// CHECK-SAME:      edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 1>
// CHECK:         %[[COMPARE2:.*]] = "anvl.compare"(%[[AGAIN]], %[[PAD]]) {comparison_direction = #stablehlo<comparison_direction EQ>}
// CHECK:         %[[CONVERT:.*]] = "anvl.convert"(%[[COMPARE2]])
// CHECK:         %[[CONVERT2:.*]] = "anvl.convert"(%[[COMPARE]])
// CHECK:         %[[LINEAR_RECURRENCE:.*]] = "anvl.linear_recurrence"(%[[CONVERT]], %[[CONVERT2]]) {axis = 0 : i64}
// CHECK:         %[[CONSTANT:.*]] = "anvl.constant"() {value = dense<1>
// CHECK:         %[[MAXIMUM:.*]] = "anvl.maximum"(%[[LINEAR_RECURRENCE]], %[[CONSTANT]])
// CHECK:         %[[CONVERT3:.*]] = "anvl.convert"(%[[MAXIMUM]])
// CHECK:         %[[CONVERT4:.*]] = "anvl.convert"(%[[COMPARE2]])
// CHECK:         %[[PAD2:.*]] = "anvl.pad"(%[[CONVERT4]], %[[ZERO]])
// CHECK-SAME:      edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: -1>
// CHECK:         %[[DIV:.*]] = "anvl.div"(%[[G]], %[[CONVERT3]])
// CHECK:         %[[LINEAR_RECURRENCE2:.*]] = "anvl.linear_recurrence"(%[[PAD2]], %[[DIV]]) {axis = 0 : i64, reverse = true}
// CHECK:         %[[ZERO2:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[SELECT:.*]] = "anvl.select"(%[[COMPARE]], %[[LINEAR_RECURRENCE2]], %[[ZERO2]])
// CHECK:         return %[[CUMMIN]], %[[SELECT]]

// HLO-LABEL: func.func @cummin(
// HLO:         "stablehlo.reduce_window"({{.*}}) <{padding = dense<{{\[\[}}3, 0]]> : tensor<1x2xi64>,
// HLO:         window_dimensions = array<i64: 4>
// HLO:         stablehlo.minimum
// HLO:         return

// NUMBERS: f64[4] 3.0 1.0 1.0 1.0
// NUMBERS-NEXT: f64[4] 1.0 610.0 0.0 500.0
func.func @cummin(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = "anvl.cummin"(%x) {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @cummin_vjp(tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
    attributes {
      anvl.vjp = {callee = @cummin, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
