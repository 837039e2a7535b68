// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=zeta wrt=1" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=zeta wrt=1" \
// RUN:   | %run --function=zeta_adjoint --args='[2.0, 1.0]' | %numbers %s
// RUN: anvl-opt %s --anvl-gradient="function=zeta wrt=0" \
// RUN:   | %run --function=zeta_adjoint --args='[2.0, 1.0]' | %numbers %s --check-prefix=ORDER

// The derivative with respect to q is -s zeta(s + 1, q), and 0 where that is, NaN for s < 1:
// -2 zeta(3) at s = 2, q = 1.
// That with respect to s is a sum, by Euler and Maclaurin's formula.

// CHECK-LABEL: func.func @zeta_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.zeta"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[X]], %[[ONE]])
// CHECK:         %[[ZETA:.*]] = "anvl.zeta"(%[[ADD]], %[[Y]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[X]], %[[ZETA]])
// CHECK:         %[[FINITE:.*]] = "anvl.select"(%{{.*}}, %[[ZETA]], %[[MUL]])
// CHECK:         %[[GE:.*]] = "anvl.compare"(%[[X]], %[[ONE]]) {comparison_direction = #stablehlo<comparison_direction GE>
// CHECK:         %[[SLOPE:.*]] = "anvl.select"(%[[GE]], %[[FINITE]], %{{.*}})
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[ONE]], %[[SLOPE]])
// CHECK:         %[[DY:.*]] = "anvl.neg"(%[[MUL2]])
// CHECK:         return %[[Z]], %[[DY]]

// HLO-LABEL: func.func @zeta(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: f64[] 1.64493
// NUMBERS-NEXT: f64[] -2.40411

// ORDER: f64[] 1.64493
// ORDER-NEXT: f64[] -0.937548
func.func @zeta(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.zeta"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
