// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=div" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=div" \
// RUN:   | %run --function=div_adjoint --args='[3.0, 2.0]' | %numbers %s

// d(x/y) = dx/y - (x/y) dy/y: 1/2 and -3/4 at 3/2.

// CHECK-LABEL: func.func @div_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.div"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[Y]])
// CHECK:         %[[NEG:.*]] = "anvl.neg"(%[[ONE]])
// CHECK:         %[[DIV:.*]] = "anvl.div"(%[[NEG]], %[[Y]])
// CHECK:         %[[DY:.*]] = "anvl.mul"(%[[DIV]], %[[Z]])
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @div(
// HLO:         stablehlo.divide %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 1.5
// NUMBERS-NEXT: f64[] 0.5
// NUMBERS-NEXT: f64[] -0.75
func.func @div(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.div"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
