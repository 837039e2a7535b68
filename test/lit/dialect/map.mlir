// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=map_vjp \
// RUN:   --args='[[3.0, 1.0], [5.0, 7.0], [1.0, 10.0]]' | %numbers %s

// StableHLO's own op, with our rules: the derivative of the body, applied to whole arrays.

// CHECK-LABEL: func.func private @map_vjp(
// CHECK-SAME:    %[[A:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[B:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "stablehlo.map"(%[[A]], %[[B]])
// CHECK-DAG:     %[[DA:.*]] = "anvl.mul"(%[[G]], %[[B]])
// CHECK-DAG:     %[[DB:.*]] = "anvl.mul"(%[[G]], %[[A]])
// CHECK:         return %[[Y]], %[[DA]], %[[DB]]

// HLO-LABEL: func.func @map(
// HLO:         "stablehlo.map"(%{{.*}}, %{{.*}}) <{dimensions = array<i64: 0>}>
// HLO:           stablehlo.multiply
// HLO:         return

// NUMBERS: f64[2] 15.0 7.0
// NUMBERS-NEXT: f64[2] 5.0 70.0
// NUMBERS-NEXT: f64[2] 3.0 10.0
func.func @map(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xf64> {
  %z = "stablehlo.map"(%x, %y) ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %c = "anvl.mul"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      stablehlo.return %c : tensor<f64>
  }) {dimensions = array<i64: 0>} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %z : tensor<2xf64>
}

func.func private @map_vjp(tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
    attributes {
      anvl.vjp = {callee = @map, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
