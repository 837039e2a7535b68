// RUN: anvl-opt %s --verify-each --anvl-gradient --anvl-lower-to-stablehlo --trivial-dce \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --anvl-gradient --anvl-lower-to-stablehlo \
// RUN:   | %run --function=halves_vjp --args='[[1, 2, 3, 4], [10, 20]]' | %numbers %s

// The cotangents of slices that lie side by side are concatenated, where they would be padded to
// the whole size and added (Note [Sums of pads]).

// CHECK-LABEL: func.func private @halves_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[A:.*]] = stablehlo.slice %[[X]] [0:2]
// CHECK:         %[[B:.*]] = stablehlo.slice %[[X]] [2:4]
// CHECK:         %[[DA:.*]] = stablehlo.multiply %[[G]], %[[B]]
// CHECK:         %[[DB:.*]] = stablehlo.multiply %[[G]], %[[A]]
// CHECK-NOT:     stablehlo.pad
// CHECK:         %[[DX:.*]] = stablehlo.concatenate %[[DA]], %[[DB]], dim = 0
// CHECK:         %[[SUM:.*]] = stablehlo.add %[[DX]], %{{.*}}
// CHECK:         return %{{.*}}, %[[SUM]]

// NUMBERS: f64[2] 3.0 8.0
// NUMBERS-NEXT: f64[4] 30.0 80.0 10.0 40.0
func.func @halves(%x: tensor<4xf64>) -> tensor<2xf64> {
  %a = "anvl.slice"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf64>) -> tensor<2xf64>
  %b = "anvl.slice"(%x) {start_indices = array<i64: 2>, limit_indices = array<i64: 4>, strides = array<i64: 1>} : (tensor<4xf64>) -> tensor<2xf64>
  %y = "anvl.mul"(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func private @halves_vjp(tensor<4xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<4xf64>)
    attributes {anvl.vjp = {callee = @halves, wrt = array<i64: 0>, targets = array<i64: 0>}}
