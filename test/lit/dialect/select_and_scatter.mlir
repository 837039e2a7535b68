// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=select_and_scatter_vjp --args='[[1.0, 3.0, 3.0, 2.0], [5.0, 7.0], \
// RUN:     [1.0, 10.0, 100.0, 1000.0]]' \
// RUN:   | %numbers %s

// StableHLO's own op, with our rules: each value gets the cotangent of the place it went to.

// CHECK-LABEL: func.func private @select_and_scatter_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[SOURCE:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[SELECT_AND_SCATTER:.*]] = "stablehlo.select_and_scatter"(%[[X]], %[[SOURCE]], %[[ZERO]])
// CHECK:         %[[SLICE:.*]] = "anvl.slice"(%[[X]])
// CHECK:         %[[SLICE2:.*]] = "anvl.slice"(%[[X]])
// CHECK:         %[[CONSTANT:.*]] = "anvl.constant"() {value = dense<true>
// CHECK:         %[[COMPARE:.*]] = "anvl.compare"(%[[SLICE]], %[[SLICE2]]) {comparison_direction = #stablehlo<comparison_direction GE>}
// CHECK:         %[[NOT:.*]] = "anvl.not"(%[[COMPARE]])
// CHECK:         %[[NOT2:.*]] = "anvl.not"(%[[NOT]])
// CHECK:         %[[AND:.*]] = "anvl.and"(%[[CONSTANT]], %[[NOT2]])
// CHECK:         %[[SLICE3:.*]] = "anvl.slice"(%[[G]]) {limit_indices = array<i64: 4>, start_indices = array<i64: 1>
// CHECK:         %[[SLICE4:.*]] = "anvl.slice"(%[[G]]) {limit_indices = array<i64: 3>, start_indices = array<i64: 0>
// CHECK:         %[[ZERO3:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[SELECT:.*]] = "anvl.select"(%[[NOT]], %[[SLICE3]], %[[ZERO3]])
// CHECK:         %[[SELECT2:.*]] = "anvl.select"(%[[AND]], %[[SLICE4]], %[[ZERO3]])
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[SELECT]], %[[SELECT2]])
// CHECK:         return %[[SELECT_AND_SCATTER]], %[[ADD]]

// HLO-LABEL: func.func @select_and_scatter(
// HLO:         "stablehlo.select_and_scatter"({{.*}}) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}>
// HLO:         stablehlo.compare  GE
// HLO:         stablehlo.add
// HLO:         return

// NUMBERS: f64[4] 0.0 5.0 7.0 0.0
// NUMBERS-NEXT: f64[2] 10.0 100.0
func.func @select_and_scatter(%x: tensor<4xf64>, %source: tensor<2xf64>) -> tensor<4xf64> {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %y = "stablehlo.select_and_scatter"(%x, %source, %zero) ({
  ^bb0(%best: tensor<f64>, %next: tensor<f64>):
    %keep = "anvl.compare"(%best, %next) {
      comparison_direction = #stablehlo<comparison_direction GE>
    } : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%there: tensor<f64>, %value: tensor<f64>):
    %sum = "anvl.add"(%there, %value) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %sum : tensor<f64>
  }) {
    window_dimensions = array<i64: 2>,
    window_strides = array<i64: 2>
  } : (tensor<4xf64>, tensor<2xf64>, tensor<f64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @select_and_scatter_vjp(tensor<4xf64>, tensor<2xf64>, tensor<4xf64>)
    -> (tensor<4xf64>, tensor<2xf64>)
    attributes {
      anvl.vjp = {callee = @select_and_scatter, wrt = array<i64: 1>, targets = array<i64: 0>}
    }
