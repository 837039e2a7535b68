// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=linear_recurrence_vjp --args='[[2.0, 3.0, 9.0], [1.0, 1.0, 1.0], \
// RUN:     [1.0, 0.0, 0.0]]' \
// RUN:   | %numbers %s

// The cotangents run through the recurrence backwards: s[i] = g[i] + a s of the next; db = s, and
// da = s times the result before.

// CHECK-LABEL: func.func private @linear_recurrence_vjp(
// CHECK-SAME:    %[[A:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[B:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[LINEAR_RECURRENCE:.*]] = "anvl.linear_recurrence"(%[[A]], %[[B]]) {axis = 0 : i64, reverse = true}
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[PAD:.*]] = "anvl.pad"(%[[A]], %[[ZERO]])
// CHECK-SAME:      edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 1>
// CHECK:         %[[LINEAR_RECURRENCE2:.*]] = "anvl.linear_recurrence"(%[[PAD]], %[[G]]) {axis = 0 : i64}
// CHECK:         %[[PAD2:.*]] = "anvl.pad"(%[[LINEAR_RECURRENCE]], %[[ZERO]])
// CHECK-SAME:      edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: -1>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[LINEAR_RECURRENCE2]], %[[PAD2]])
// CHECK:         return %[[LINEAR_RECURRENCE]], %[[MUL]], %[[LINEAR_RECURRENCE2]]

// HLO-LABEL: func.func private @linear_recurrence_1(
// HLO:         stablehlo.reverse
// HLO:         stablehlo.reverse
// HLO:         stablehlo.multiply
// HLO:         stablehlo.add
// HLO:         stablehlo.concatenate
// HLO:         stablehlo.reverse
// HLO:         return
// HLO-LABEL: func.func @linear_recurrence(
// HLO:         call @linear_recurrence_1(

// NUMBERS: f64[3] 9.0 4.0 1.0
// NUMBERS-NEXT: f64[3] 4.0 2.0 0.0
// NUMBERS-NEXT: f64[3] 1.0 2.0 6.0
func.func @linear_recurrence(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = "anvl.linear_recurrence"(%a, %b) {axis = 0 : i64, reverse = true}
    : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func private @linear_recurrence_vjp(tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    attributes {
      anvl.vjp = {callee = @linear_recurrence, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
