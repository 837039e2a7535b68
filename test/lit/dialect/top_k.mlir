// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=top_k_vjp --args='[[3.0, 1.0, 4.0, 4.0], [1.0, 10.0, 100.0]]' \
// RUN:   | %numbers %s

// The cotangents of the values are put where the indices say; of equals, the first goes first.

// CHECK-LABEL: func.func private @top_k_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[Y:.*]]:2 = "anvl.top_k"(%[[X]]) {k = 3 : i64}
// CHECK:         %[[ZERO:.*]] = "anvl.constant"()
// CHECK:         %[[AT:.*]] = "anvl.reshape"(%[[Y]]#1)
// CHECK:         %[[DX:.*]] = "stablehlo.scatter"(%[[ZERO]], %[[AT]], %[[G]])
// CHECK:         return %[[Y]]#0, %[[Y]]#1, %[[DX]]

// HLO-LABEL: func.func private @top_k_1(
// HLO-NOT:     chlo
// HLO:         "stablehlo.sort"
// HLO:         stablehlo.slice
// HLO:         return
// HLO-LABEL: func.func @top_k(
// HLO:         call @top_k_1(

// NUMBERS: f64[3] 4.0 4.0 3.0
// NUMBERS-NEXT: i32[3] 2 3 0
// NUMBERS-NEXT: f64[4] 100.0 0.0 1.0 10.0
func.func @top_k(%x: tensor<4xf64>) -> (tensor<3xf64>, tensor<3xi32>) {
  %values, %indices = "anvl.top_k"(%x) {k = 3 : i64}
    : (tensor<4xf64>) -> (tensor<3xf64>, tensor<3xi32>)
  return %values, %indices : tensor<3xf64>, tensor<3xi32>
}

func.func private @top_k_vjp(tensor<4xf64>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<3xi32>, tensor<4xf64>)
    attributes {
      anvl.vjp = {callee = @top_k, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
