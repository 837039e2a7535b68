// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=logaddexp" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=logaddexp" \
// RUN:   | %run --function=logaddexp_adjoint --args='[0.0, 0.0]' | %numbers %s

// Of equal operands the result is log(2) above them, and each has half of the derivative.

// CHECK-LABEL: func.func @logaddexp_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.logaddexp"(%[[X]], %[[Y]])
// CHECK:         %[[GAP:.*]] = "anvl.sub"(%[[X]], %[[Y]])
// CHECK:         %[[FINITE:.*]] = "anvl.select"(%{{.*}}, %{{.*}}, %[[GAP]])
// CHECK:         %[[WEIGHT:.*]] = "anvl.logistic"(%[[FINITE]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[WEIGHT]])
// CHECK:         %[[OTHER:.*]] = "anvl.sub"(%[[Y]], %[[X]])
// CHECK:         %[[DY:.*]] = "anvl.mul"
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @logaddexp(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         stablehlo.log_plus_one
// HLO:         return

// NUMBERS: f64[] 0.693147
// NUMBERS-NEXT: f64[] 0.5
// NUMBERS-NEXT: f64[] 0.5
func.func @logaddexp(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.logaddexp"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
