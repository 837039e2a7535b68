// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=sort_vjp --args='[ \
// RUN:   [3.0, 1.0, 2.0], [30, 10, 20], [1.0, 10.0, 100.0]]' \
// RUN:   | %numbers %s

// StableHLO's own op, with our rules.  Positions, sorted along, say where each element came from:
// the cotangents are put back there.  One sort, of the positions too, gives the values and the order.

// CHECK-LABEL: func.func private @sort_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[N:[a-zA-Z0-9_]+]]: tensor<3xi32>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[POSITIONS:.*]] = "anvl.iota"() {iota_dimension = 0 : i64}
// CHECK:         %[[Y:.*]]:3 = "stablehlo.sort"(%[[X]], %[[N]], %[[POSITIONS]])
// CHECK-SAME:      is_stable = true
// CHECK:         %[[ZERO:.*]] = "anvl.constant"()
// CHECK:         %[[AT:.*]] = "anvl.reshape"(%[[Y]]#2)
// CHECK:         %[[DX:.*]] = "stablehlo.scatter"(%[[ZERO]], %[[AT]], %[[G]])
// CHECK:         return %[[Y]]#0, %[[Y]]#1, %[[DX]]

// HLO-LABEL: func.func @sort(
// HLO:         "stablehlo.sort"(%{{.*}}, %{{.*}}) <{dimension = 0 : i64}>
// HLO:           stablehlo.compare LT
// HLO:         return

// XLA takes an axis that counts from the last, and looks for its size in memory that is another's.
// HLO-LABEL: func.func @rows_from_the_last(
// HLO:         "stablehlo.sort"(%{{.*}}) <{dimension = 0 : i64, is_stable = true}>
// HLO-LABEL: func.func @last(
// HLO:         "stablehlo.sort"(%{{.*}}) <{dimension = 1 : i64}>

// NUMBERS: f64[3] 1.0 2.0 3.0
// NUMBERS-NEXT: i32[3] 10 20 30
// NUMBERS-NEXT: f64[3] 100.0 1.0 10.0
func.func @sort(%x: tensor<3xf64>, %n: tensor<3xi32>) -> (tensor<3xf64>, tensor<3xi32>) {
  %y:2 = "stablehlo.sort"(%x, %n) ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>, %i: tensor<i32>, %j: tensor<i32>):
      %first = "anvl.compare"(%a, %b) {
        comparison_direction = #stablehlo<comparison_direction LT>
      } : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %first : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3xf64>, tensor<3xi32>) -> (tensor<3xf64>, tensor<3xi32>)
  return %y#0, %y#1 : tensor<3xf64>, tensor<3xi32>
}

func.func private @sort_vjp(tensor<3xf64>, tensor<3xi32>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<3xi32>, tensor<3xf64>)
    attributes {
      anvl.vjp = {callee = @sort, wrt = array<i64: 0>, targets = array<i64: 0>}
    }

func.func @rows_from_the_last(%x: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %y = "stablehlo.sort"(%x) <{dimension = -2 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %first = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %first : tensor<i1>
  }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

func.func @last(%x: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %y = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %first = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %first : tensor<i1>
  }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}
