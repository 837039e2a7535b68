// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=slope" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=slope" \
// RUN:   | %run --function=slope_adjoint --args='[0.0]' | %numbers %s

// The slope of gelu's form with tanh, by one exponential, and its derivative: at 0 it is
// 2 sqrt(2 / pi) / 2.

// CHECK-LABEL: func.func @slope_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.gelu_tanh_slope"(%[[X]])
// CHECK:         %[[NEAR:.*]] = "anvl.clamp"(%{{.*}}, %[[X]], %{{.*}})
// CHECK-NOT:     "anvl.abs"
// CHECK:         "anvl.logistic_slope"
// CHECK:         return %[[Y]],

// HLO-LABEL: func.func @slope(
// HLO:         stablehlo.clamp
// HLO:         %[[E:.*]] = stablehlo.exponential
// HLO:         %[[LESS:.*]] = stablehlo.divide %[[E]]
// HLO:         %[[MORE:.*]] = stablehlo.subtract %{{.*}}, %[[LESS]]
// HLO-NOT:     stablehlo.{{exponential|divide}}
// HLO:         stablehlo.multiply %[[LESS]], %[[MORE]]

// NUMBERS: f64[] 0.5
// NUMBERS-NEXT: f64[] 0.7978845
func.func @slope(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.gelu_tanh_slope"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
