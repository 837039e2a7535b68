// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=silu" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=silu" --anvl-lower-to-stablehlo --anvl-inline --cse \
// RUN:   | filecheck %s --check-prefix=SHARED
// RUN: anvl-opt %s --anvl-gradient="function=silu" \
// RUN:   | %run --function=silu_adjoint --args='[2.0]' | %numbers %s

// x times the logistic function of x.  Its derivative is an op of x alone, without a selection whose
// mask the cotangent would carry on (Note [Gates]); at -infinity there is no 0 * inf.

// CHECK-LABEL: func.func @silu_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.silu"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SLOPE:.*]] = "anvl.silu_slope"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @silu(
// HLO-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// HLO:         stablehlo.abs %[[X]]
// HLO:         %[[LESS:.*]] = stablehlo.divide
// HLO:         stablehlo.subtract %{{.*}}, %[[LESS]]
// HLO:         %[[GATE:.*]] = stablehlo.select
// HLO:         %[[FINITE:.*]] = stablehlo.select
// HLO:         stablehlo.multiply %[[FINITE]], %[[GATE]]

// One exponential and one quotient serve the function and its slope.
// SHARED-LABEL: func.func @silu_adjoint(
// SHARED:         stablehlo.exponential
// SHARED:         %[[LESS:.*]] = stablehlo.divide
// SHARED-NOT:     stablehlo.{{exponential|divide|logistic}}
// SHARED:         return

// NUMBERS: f64[] 1.7615942
// NUMBERS-NEXT: f64[] 1.0907843
func.func @silu(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.silu"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
