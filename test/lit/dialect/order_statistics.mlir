// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=middle wrt=0" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=middle wrt=0" \
// RUN:   | %run --function=middle_adjoint --args='[[5.0, 1.0, 0.0, 1.0], [1, 3], [6.0, 7.0]]' \
// RUN:   | %numbers %s

// The two elements that equal the one at position 1 get half of its weight each.

// CHECK-LABEL: func.func @middle_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[K:[a-zA-Z0-9_]+]]: tensor<2xi32>
// CHECK-SAME:    %[[W:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[SAME:.*]] = stablehlo.optimization_barrier %[[X]]
// CHECK:         "anvl.order_statistics"(%[[SAME]], %[[K]])
// CHECK-NOT:     sort
// CHECK:         %[[COUNT:.*]] = "anvl.sum"(%{{.*}}) {axes = array<i64: 1>}
// CHECK:         %[[ONE_AT_LEAST:.*]] = "anvl.maximum"(%[[COUNT]],
// CHECK:         %[[SHARE:.*]] = "anvl.div"(%{{.*}}, %[[ONE_AT_LEAST]])
// CHECK:         "anvl.compare"({{.*}} EQ>
// CHECK:         "anvl.compare"({{.*}} EQ>
// CHECK:         %[[DX:.*]] = "anvl.add"
// CHECK:         return %{{.*}}, %[[DX]]

// HLO-LABEL: func.func private @order_statistics(
// HLO:         "stablehlo.sort"
// HLO:         stablehlo.select
// HLO-NOT:     anvl.

// NUMBERS: f64[] 41.0
// NUMBERS-NEXT: f64[4] 7.0 3.0 0.0 3.0
func.func @middle(%x: tensor<4xf64>, %k: tensor<2xi32>, %w: tensor<2xf64>) -> tensor<f64> {
  %y = "anvl.order_statistics"(%x, %k) : (tensor<4xf64>, tensor<2xi32>) -> tensor<2xf64>
  %z = "anvl.mul"(%y, %w) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum = "anvl.sum"(%z) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
