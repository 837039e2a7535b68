// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=slope" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=slope" \
// RUN:   | %run --function=slope_adjoint --args='[40.0]' | %numbers %s

// The derivative of the logistic function y is y (1 - y), where 1 - y is exp(-x) y: the difference
// has no digits where y is almost 1.  XLA computes y by exp(-x) too, so there is one exponential.
// Its own derivative is -y (1 - y) tanh(x/2).

// CHECK-LABEL: func.func @slope_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.logistic_slope"(%[[X]])
// CHECK:         %[[HALF:.*]] = "anvl.mul"(%[[X]], %
// CHECK:         %[[TANH:.*]] = "anvl.tanh"(%[[HALF]])
// CHECK:         "anvl.mul"(%[[Y]], %[[TANH]])

// HLO-LABEL: func.func @slope(
// HLO:         %[[Y:.*]] = stablehlo.logistic
// HLO:         %[[IS_LEFT:.*]] = stablehlo.compare LT
// HLO:         stablehlo.subtract %{{.*}}, %[[Y]]
// HLO:         %[[E:.*]] = stablehlo.exponential
// HLO:         %[[RIGHT:.*]] = stablehlo.multiply %[[E]], %[[Y]]
// HLO:         stablehlo.select %[[IS_LEFT]], %{{.*}}, %[[RIGHT]]

// NUMBERS: f64[] 4.2483543e-18
// NUMBERS-NEXT: f64[] -4.2483543e-18
func.func @slope(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.logistic_slope"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
