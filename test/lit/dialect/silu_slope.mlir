// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=slope" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=slope" \
// RUN:   | %run --function=slope_adjoint --args='[0.0]' | %numbers %s

// The slope of x logistic(x), by one exponential of -|x|, and its derivative, which has no |x|: at 0,
// where |x| has a kink, it is 1/2.

// CHECK-LABEL: func.func @slope_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.silu_slope"(%[[X]])
// CHECK:         %[[NEAR:.*]] = "anvl.clamp"(%{{.*}}, %[[X]], %{{.*}})
// CHECK-DAG:     "anvl.logistic_slope"(%[[NEAR]])
// CHECK-DAG:     "anvl.tanh"
// CHECK-NOT:     "anvl.abs"
// CHECK:         return %[[Y]],

// HLO-LABEL: func.func @slope(
// HLO:         stablehlo.abs
// HLO:         %[[E:.*]] = stablehlo.exponential
// HLO:         stablehlo.divide %[[E]]
// HLO-NOT:     stablehlo.{{exponential|divide}}
// HLO:         stablehlo.clamp
// HLO:         return

// NUMBERS: f64[] 0.5
// NUMBERS-NEXT: f64[] 0.5
func.func @slope(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.silu_slope"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
