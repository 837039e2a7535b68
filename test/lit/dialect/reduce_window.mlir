// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=reduce_window_vjp --args='[[1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 10.0]]' \
// RUN:   | %numbers %s

// StableHLO's own op, with our rules.  Sums have sums over windows as adjoint: strides become
// dilations, and the padding is what the windows reach over.

// CHECK-LABEL: func.func private @reduce_window_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<5xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[REDUCE_WINDOW:.*]] = "stablehlo.reduce_window"(%[[X]], %[[ZERO]])
// CHECK:         %[[ZERO2:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[REDUCE_WINDOW2:.*]] = "stablehlo.reduce_window"(%[[G]], %[[ZERO2]])
// CHECK-SAME:      <{base_dilations = array<i64: 2>, padding = dense<2> : tensor<1x2xi64>,
// CHECK:         return %[[REDUCE_WINDOW]], %[[REDUCE_WINDOW2]]

// HLO-LABEL: func.func @reduce_window(
// HLO:         "stablehlo.reduce_window"({{.*}}) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}>
// HLO:         stablehlo.add
// HLO:         return

// NUMBERS: f64[2] 6.0 12.0
// NUMBERS-NEXT: f64[5] 1.0 1.0 11.0 10.0 10.0
func.func @reduce_window(%x: tensor<5xf64>) -> tensor<2xf64> {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %y = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%best: tensor<f64>, %next: tensor<f64>):
    %sum = "anvl.add"(%best, %next) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %sum : tensor<f64>
  }) {
    window_dimensions = array<i64: 3>,
    window_strides = array<i64: 2>
  } : (tensor<5xf64>, tensor<f64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @reduce_window_vjp(tensor<5xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<5xf64>)
    attributes {
      anvl.vjp = {callee = @reduce_window, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
