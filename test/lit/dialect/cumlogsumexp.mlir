// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=cumlogsumexp_vjp --args='[[1000.0, 1000.0, -1000.0, 1000.0], \
// RUN:     [0.0, 0.0, 0.0, 3.0]]' \
// RUN:   | %numbers %s

// With w[i] = exp(y[i-1] - y[i]): s[i] = g[i] + w[i+1] s[i+1], and dx[i] = exp(x[i] - y[i]) s[i].
// No exponential is above 1.

// CHECK-LABEL: func.func private @cumlogsumexp_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK:         %[[CUMLOGSUMEXP:.*]] = "anvl.cumlogsumexp"(%[[X]])
// CHECK:         %[[CONSTANT:.*]] = "anvl.constant"() {value = dense<0xFFF0000000000000>
// CHECK:         %[[PAD:.*]] = "anvl.pad"(%[[CUMLOGSUMEXP]], %[[CONSTANT]])
// CHECK-SAME:      edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 1>
// CHECK:         %[[COMPARE:.*]] = "anvl.compare"(%[[PAD]], %[[CUMLOGSUMEXP]]) {comparison_direction = #stablehlo<comparison_direction EQ>}
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[PAD]], %[[CUMLOGSUMEXP]])
// CHECK:         %[[SELECT:.*]] = "anvl.select"(%[[COMPARE]], %[[ZERO]], %[[SUB]])
// CHECK:         %[[EXP:.*]] = "anvl.exp"(%[[SELECT]])
// CHECK:         %[[COMPARE2:.*]] = "anvl.compare"(%[[X]], %[[CUMLOGSUMEXP]]) {comparison_direction = #stablehlo<comparison_direction EQ>}
// CHECK:         %[[IS_INF:.*]] = "anvl.is_inf"(%[[X]])
// CHECK:         %[[AND:.*]] = "anvl.and"(%[[COMPARE2]], %[[IS_INF]])
// CHECK:         %[[SELECT2:.*]] = "anvl.select"(%[[AND]], %[[ZERO]], %[[EXP]])
// CHECK:         %[[COMPARE3:.*]] = "anvl.compare"(%[[X]], %[[CUMLOGSUMEXP]]) {comparison_direction = #stablehlo<comparison_direction EQ>}
// CHECK:         %[[SUB2:.*]] = "anvl.sub"(%[[X]], %[[CUMLOGSUMEXP]])
// CHECK:         %[[SELECT3:.*]] = "anvl.select"(%[[COMPARE3]], %[[ZERO]], %[[SUB2]])
// CHECK:         %[[EXP2:.*]] = "anvl.exp"(%[[SELECT3]])
// CHECK:         %[[ZERO2:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[PAD2:.*]] = "anvl.pad"(%[[SELECT2]], %[[ZERO2]])
// CHECK-SAME:      edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: -1>
// CHECK:         %[[LINEAR_RECURRENCE:.*]] = "anvl.linear_recurrence"(%[[PAD2]], %[[G]]) {axis = 0 : i64, reverse = true}
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[EXP2]], %[[LINEAR_RECURRENCE]])
// CHECK:         return %[[CUMLOGSUMEXP]], %[[MUL]]

// HLO-LABEL: func.func private @cumlogsumexp_1(
// HLO:         "stablehlo.reduce_window"({{.*}})
// HLO:         stablehlo.maximum
// HLO:         stablehlo.subtract
// HLO:         stablehlo.exponential
// HLO:         stablehlo.subtract
// HLO:         stablehlo.exponential
// HLO:         stablehlo.multiply
// HLO:         stablehlo.log
// HLO:         stablehlo.add
// HLO:         return
// HLO-LABEL: func.func @cumlogsumexp(
// HLO:         call @cumlogsumexp_1(

// NUMBERS: f64[4] 1000.0 1000.69 1000.69 1001.1
// NUMBERS-NEXT: f64[4] 1.0 1.0 0.0 1.0
func.func @cumlogsumexp(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = "anvl.cumlogsumexp"(%x) {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @cumlogsumexp_vjp(tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
    attributes {
      anvl.vjp = {callee = @cumlogsumexp, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
