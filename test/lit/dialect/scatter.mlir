// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient --cse | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=scatter_vjp --args='[ \
// RUN:   [0.0, 1.0, 2.0], [1, 9, 1], [5.0, 6.0, 7.0], [1.0, 10.0, 100.0]]' \
// RUN:   | %numbers %s

// StableHLO's own op, with our rules, here for a body that assigns.  Each index writes its number
// to its place: the winner there gets the cotangent; places without one leave it to the input.
// Index 9 is outside.

// CHECK-LABEL: func.func private @scatter_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[AT:[a-zA-Z0-9_]+]]: tensor<3xi32>
// CHECK-SAME:    %[[U:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[Y:.*]] = "stablehlo.scatter"(%[[X]], %[[AT]], %[[U]])
// CHECK:         %[[IDS:.*]] = "anvl.broadcast_in_dim"
// CHECK:         %[[NONE:.*]] = "anvl.constant"() {value = dense<0> : tensor<3xi32>}
// CHECK:         %[[WINNER:.*]] = "stablehlo.scatter"(%[[NONE]], %[[AT]], %[[IDS]])
// CHECK:         %[[KEPT:.*]] = "anvl.compare"(%[[WINNER]], %[[NONE]]) {{.*}} EQ>
// CHECK:         %[[DX:.*]] = "anvl.select"(%[[KEPT]], %[[G]],
// CHECK:         "anvl.gather"(%[[WINNER]], %[[AT]])
// CHECK:         %[[INSIDE:.*]] = "anvl.and"
// CHECK:         %[[WON:.*]] = "anvl.compare"(%{{.*}}, %[[IDS]]) {{.*}} EQ>
// CHECK:         %[[TAKEN:.*]] = "anvl.gather"(%[[G]], %[[AT]])
// CHECK:         %[[THERE:.*]] = "anvl.select"(%{{.*}}, %[[TAKEN]],
// CHECK:         %[[DU:.*]] = "anvl.select"(%[[WON]], %[[THERE]],
// CHECK:         return %[[Y]], %[[DX]], %[[DU]]

// HLO-LABEL: func.func @scatter(
// HLO:         "stablehlo.scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{scatter_dimension_numbers =
// HLO:           stablehlo.return %{{.*}}
// HLO:         return

// NUMBERS: f64[3] 0.0 7.0 2.0
// NUMBERS-NEXT: f64[3] 1.0 0.0 100.0
// NUMBERS-NEXT: f64[3] 0.0 0.0 10.0
func.func @scatter(%x: tensor<3xf64>, %at: tensor<3xi32>, %u: tensor<3xf64>) -> tensor<3xf64> {
  %y = "stablehlo.scatter"(%x, %at, %u) ({
    ^bb0(%old: tensor<f64>, %new: tensor<f64>):
      stablehlo.return %new : tensor<f64>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>
  } : (tensor<3xf64>, tensor<3xi32>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func private @scatter_vjp(tensor<3xf64>, tensor<3xi32>, tensor<3xf64>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    attributes {
      anvl.vjp = {callee = @scatter, wrt = array<i64: 0, 2>, targets = array<i64: 0>}
    }
