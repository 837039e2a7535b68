// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=slope" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=slope" \
// RUN:   | %run --function=slope_adjoint --args='[40.0]' | %numbers %s

// The derivative of the logistic function y is y (1 - y), or t / (1 + t)^2 where t = exp(-|x|): the
// difference has no digits where y is almost 1.  y is not asked for, so that XLA:CPU need not keep
// its exponential as an array for both.
// Its own derivative is -y (1 - y) tanh(x/2).

// CHECK-LABEL: func.func @slope_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.logistic_slope"(%[[X]])
// CHECK:         %[[HALF:.*]] = "anvl.mul"(%[[X]], %
// CHECK:         %[[TANH:.*]] = "anvl.tanh"(%[[HALF]])
// CHECK:         "anvl.mul"(%[[Y]], %[[TANH]])

// HLO-LABEL: func.func @slope(
// HLO-NOT:     stablehlo.logistic
// HLO:         %[[ABS:.*]] = stablehlo.abs %x
// HLO:         %[[MINUS:.*]] = stablehlo.negate %[[ABS]]
// HLO:         %[[T:.*]] = stablehlo.exponential %[[MINUS]]
// HLO:         %[[ROOT:.*]] = stablehlo.add %[[T]]
// HLO:         %[[SQUARE:.*]] = stablehlo.multiply %[[ROOT]], %[[ROOT]]
// HLO:         stablehlo.divide %[[T]], %[[SQUARE]]

// NUMBERS: f64[] 4.2483543e-18
// NUMBERS-NEXT: f64[] -4.2483543e-18
func.func @slope(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.logistic_slope"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
