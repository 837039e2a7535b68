// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=cumprod_vjp --args='[[2.0, 0.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0]]' \
// RUN:   | %numbers %s

// With y the products: s[i] = g[i] + x[i+1] s[i+1], and dx[i] = y[i-1] s[i].  No division, so a zero
// is as good as any number.

// CHECK-LABEL: func.func private @cumprod_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK:         %[[CUMPROD:.*]] = "anvl.cumprod"(%[[X]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[PAD:.*]] = "anvl.pad"(%[[X]], %[[ZERO]])
// CHECK-SAME:      edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: -1>
// CHECK:         %[[LINEAR_RECURRENCE:.*]] = "anvl.linear_recurrence"(%[[PAD]], %[[G]]) {axis = 0 : i64, reverse = true}
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[PAD2:.*]] = "anvl.pad"(%[[CUMPROD]], %[[ONE]])
// CHECK-SAME:      edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 1>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[PAD2]], %[[LINEAR_RECURRENCE]])
// CHECK:         return %[[CUMPROD]], %[[MUL]]

// HLO-LABEL: func.func @cumprod(
// HLO:         "stablehlo.reduce_window"({{.*}}) <{padding = dense<{{\[\[}}3, 0]]> : tensor<1x2xi64>,
// HLO:         window_dimensions = array<i64: 4>
// HLO:         stablehlo.multiply
// HLO:         return

// NUMBERS: f64[4] 2.0 0.0 0.0 0.0
// NUMBERS-NEXT: f64[4] 1.0 32.0 0.0 0.0
func.func @cumprod(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = "anvl.cumprod"(%x) {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @cumprod_vjp(tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
    attributes {
      anvl.vjp = {callee = @cumprod, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
