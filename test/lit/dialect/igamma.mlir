// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=igamma wrt=1" --cse \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=igamma wrt=1" \
// RUN:   | %run --function=igamma_adjoint --args='[1.0, 1.0]' | %numbers %s
// RUN: anvl-opt %s --anvl-gradient="function=igamma wrt=0" \
// RUN:   | %run --function=igamma_adjoint --args='[1.0, 1.0]' | %numbers %s --check-prefix=ORDER

// The derivative with respect to x is x^(a-1) e^-x / Gamma(a): 1/e at a = x = 1.
// A loop computes the value.
// That with respect to a parameter is an integral, by Gauss and Legendre's rule.

// CHECK-LABEL: func.func @igamma_adjoint(
// CHECK-SAME:    %[[A:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.igamma"(%[[A]], %[[X]])
// CHECK:         %[[ENDLESS:.*]] = "anvl.or"
// CHECK:         %[[PARAMETER:.*]] = "anvl.select"(%[[ENDLESS]], %{{.*}}, %[[A]])
// CHECK:         %[[FINITE:.*]] = "anvl.select"(%[[ENDLESS]], %{{.*}}, %[[X]])
// CHECK:         %[[AT_0:.*]] = "anvl.compare"(%[[FINITE]]
// CHECK:         %[[INSIDE:.*]] = "anvl.select"(%[[AT_0]], %{{.*}}, %[[FINITE]])
// CHECK:         "anvl.log"(%[[INSIDE]])
// CHECK:         "anvl.lgamma"(%[[PARAMETER]])
// CHECK:         "anvl.exp"
// CHECK:         "anvl.select"(%[[AT_0]]
// CHECK:         return %[[Y]], %

// HLO-LABEL: func.func private @igamma_1(
// HLO:         stablehlo.while
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return
// HLO-LABEL: func.func @igamma(
// HLO:         call @igamma_1(

// NUMBERS: f64[] 0.632121
// NUMBERS-NEXT: f64[] 0.367879

// ORDER: f64[] 0.632121
// ORDER-NEXT: f64[] -0.43173
func.func @igamma(%a: tensor<f64>, %x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.igamma"(%a, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
