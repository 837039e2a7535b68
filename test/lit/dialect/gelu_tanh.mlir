// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=gelu" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=gelu" \
// RUN:   | %run --function=gelu_adjoint --args='[2.0]' | %numbers %s

// x (1 + tanh u) / 2 as x logistic(2 u), which keeps its digits for negative u; and its derivative,
// an op of x alone (Note [Gates]).

// CHECK-LABEL: func.func @gelu_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.gelu_tanh"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[SLOPE:.*]] = "anvl.gelu_tanh_slope"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[SLOPE]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @gelu(
// HLO:         stablehlo.exponential
// HLO:         %[[LESS:.*]] = stablehlo.divide
// HLO:         stablehlo.subtract %{{.*}}, %[[LESS]]
// HLO:         stablehlo.select
// HLO-NOT:     stablehlo.{{exponential|divide}}
// HLO:         return

// NUMBERS: f64[] 1.9545977
// NUMBERS-NEXT: f64[] 1.0860992
func.func @gelu(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.gelu_tanh"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
