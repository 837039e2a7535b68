// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=betainc wrt=2" --cse \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=betainc wrt=2" \
// RUN:   | %run --function=betainc_adjoint --args='[2.0, 2.0, 0.25]' | %numbers %s
// RUN: anvl-opt %s --anvl-gradient="function=betainc wrt=0,1" \
// RUN:   | %run --function=betainc_adjoint --args='[1.0, 1.0, 0.3]' | %numbers %s --check-prefix=ORDER

// The derivative with respect to x is x^(a-1) (1-x)^(b-1) / B(a, b): through logarithms, but at the
// ends, 0 and 1, by powers, so that derivatives of every order are finite there where they exist;
// 0 beside the jump of a parameter that is 0 or infinite.
// A loop computes the value.
// That with respect to a parameter is an integral, by Gauss and Legendre's rule.

// CHECK-LABEL: func.func @betainc_adjoint(
// CHECK-SAME:    %[[A:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[B:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.betainc"(%[[A]], %[[B]], %[[X]])
// CHECK:         %[[REST:.*]] = "anvl.sub"(%{{.*}}, %[[X]])
// CHECK:         %[[PRODUCT:.*]] = "anvl.mul"(%[[X]], %[[REST]])
// CHECK:         %[[AT_END:.*]] = "anvl.compare"(%[[PRODUCT]], %{{.*}} EQ>
// CHECK:         %[[INSIDE:.*]] = "anvl.select"(%[[AT_END]], %{{.*}}, %[[X]])
// CHECK:         "anvl.lgamma"(%[[A]])
// CHECK:         "anvl.lgamma"(%[[B]])
// CHECK:         "anvl.log"(%[[INSIDE]])
// CHECK:         "anvl.log1p"
// CHECK:         "anvl.pow"
// CHECK:         "anvl.select"(%[[AT_END]]
// CHECK:         return %[[Y]], %

// HLO-LABEL: func.func private @betainc_1(
// HLO:         stablehlo.while
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return
// HLO-LABEL: func.func @betainc(
// HLO:         call @betainc_1(

// NUMBERS: f64[] 0.15625
// NUMBERS-NEXT: f64[] 1.125

// ORDER: f64[] 0.3
// ORDER-NEXT: f64[] -0.361192
// ORDER-NEXT: f64[] 0.249672
func.func @betainc(%a: tensor<f64>, %b: tensor<f64>, %x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.betainc"(%a, %b, %x) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
