// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient --cse | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=min_vjp --args='[[3.0, 1.0, 3.0, 2.0], 1.0]' \
// RUN:   | %numbers %s

// The smallest elements, here one, share the cotangent evenly: among numbers
// that are computed once.

// CHECK-LABEL: func.func private @min_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.min"(%[[X]]) {axes = array<i64: 0>}
// CHECK:         %[[ONCE:.*]] = stablehlo.optimization_barrier %[[X]]
// CHECK:         %[[Y2:.*]] = "anvl.min"(%[[ONCE]]) {axes = array<i64: 0>}
// CHECK:         %[[BROADCAST:.*]] = "anvl.broadcast_in_dim"(%[[Y2]])
// CHECK-SAME:      broadcast_dimensions = array<i64>
// CHECK:         %[[COMPARE:.*]] = "anvl.compare"(%[[ONCE]], %[[BROADCAST]]) {{.*}} EQ>
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[SELECT:.*]] = "anvl.select"(%[[COMPARE]], %[[ONE]], %[[ZERO]])
// CHECK:         %[[SUM:.*]] = "anvl.sum"(%[[SELECT]]) {axes = array<i64: 0>}
// CHECK:         %[[TWO:.*]] = "anvl.compare"(%[[SUM]], %{{.*}}) {{.*}} EQ>
// CHECK:         %[[HALF:.*]] = "anvl.select"(%[[TWO]], %{{.*}}, %{{.*}})
// CHECK:         %[[QUARTER:.*]] = "anvl.constant"() {value = dense<2.500000e-01>
// CHECK:         %[[SHARE:.*]] = "anvl.select"(%{{.*}}, %[[QUARTER]], %{{.*}})
// CHECK:         %[[DIV:.*]] = "anvl.mul"(%[[G]], %[[SHARE]])
// CHECK:         %[[BROADCAST2:.*]] = "anvl.broadcast_in_dim"(%[[DIV]])
// CHECK-SAME:      broadcast_dimensions = array<i64>
// CHECK:         %[[DX:.*]] = "anvl.select"(%[[COMPARE]], %[[BROADCAST2]], %[[ZERO]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @min(
// HLO:         stablehlo.constant dense<0x7FF0000000000000>
// HLO-NEXT:    stablehlo.reduce({{.*}}) applies stablehlo.minimum across dimensions = [0]
// HLO-NEXT:    return

// NUMBERS: f64[] 1.0
// NUMBERS-NEXT: f64[4] 0.0 1.0 0.0 0.0
func.func @min(%x: tensor<4xf64>) -> tensor<f64> {
  %y = "anvl.min"(%x) {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func private @min_vjp(tensor<4xf64>, tensor<f64>)
    -> (tensor<f64>, tensor<4xf64>)
    attributes {
      anvl.vjp = {callee = @min, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
