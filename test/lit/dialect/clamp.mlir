// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient --cse | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=clamp_vjp --args='[0.0, [-1.0, 0.0, 9.0], 2.0, [1.0, 10.0, 100.0]]' \
// RUN:   | %numbers %s

// Below and above, the bound gets the cotangent; between and at a bound, x does.  Bounds in the wrong
// order and NaN leave nothing at the wrong place.

// CHECK-LABEL: func.func private @clamp_vjp(
// CHECK-SAME:    %[[LOW:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[HIGH:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[Y:.*]] = "anvl.clamp"(%[[LOW]], %[[X]], %[[HIGH]])
// CHECK:         %[[LOWS:.*]] = "anvl.broadcast_in_dim"(%[[LOW]])
// CHECK-SAME:      broadcast_dimensions = array<i64>
// CHECK:         %[[HIGHS:.*]] = "anvl.broadcast_in_dim"(%[[HIGH]])
// CHECK-SAME:      broadcast_dimensions = array<i64>
// CHECK:         %[[BELOW:.*]] = "anvl.compare"(%[[X]], %[[LOWS]]) {{.*}} LT>
// CHECK:         %[[ORDERED:.*]] = "anvl.compare"(%[[LOWS]], %[[HIGHS]]) {{.*}} LE>
// CHECK:         %[[BOTH:.*]] = "anvl.and"(%[[BELOW]], %[[ORDERED]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[OF_LOW:.*]] = "anvl.select"(%[[BOTH]], %[[G]], %[[ZERO]])
// CHECK:         %[[DLOW:.*]] = "anvl.sum"(%[[OF_LOW]]) {axes = array<i64: 0>}
// CHECK:         %[[ABOVE_LOW:.*]] = "anvl.compare"(%[[LOWS]], %[[X]]) {{.*}} LE>
// CHECK:         %[[BELOW_HIGH:.*]] = "anvl.compare"(%[[X]], %[[HIGHS]]) {{.*}} LE>
// CHECK:         %[[INSIDE:.*]] = "anvl.and"(%[[ABOVE_LOW]], %[[BELOW_HIGH]])
// CHECK:         %[[DX:.*]] = "anvl.select"(%[[INSIDE]], %[[G]], %[[ZERO]])
// CHECK:         %[[MAXIMUM:.*]] = "anvl.maximum"(%[[X]], %[[LOWS]])
// CHECK:         %[[ABOVE:.*]] = "anvl.compare"(%[[MAXIMUM]], %[[HIGHS]]) {{.*}} GT>
// CHECK:         %[[OF_HIGH:.*]] = "anvl.select"(%[[ABOVE]], %[[G]], %[[ZERO]])
// CHECK:         %[[DHIGH:.*]] = "anvl.sum"(%[[OF_HIGH]]) {axes = array<i64: 0>}
// CHECK:         return %[[Y]], %[[DLOW]], %[[DX]], %[[DHIGH]]

// HLO-LABEL: func.func @clamp(
// HLO:         stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[3] 0.0 0.0 2.0
// NUMBERS-NEXT: f64[] 1.0
// NUMBERS-NEXT: f64[3] 0.0 10.0 0.0
// NUMBERS-NEXT: f64[] 100.0
func.func @clamp(%low: tensor<f64>, %x: tensor<3xf64>, %high: tensor<f64>) -> tensor<3xf64> {
  %y = "anvl.clamp"(%low, %x, %high) : (tensor<f64>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func private @clamp_vjp(tensor<f64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<f64>)
    attributes {
      anvl.vjp = {callee = @clamp, wrt = array<i64: 0, 1, 2>, targets = array<i64: 0>}
    }
