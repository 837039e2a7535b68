// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=prod_vjp --args='[[0.0, 2.0, 5.0], 1.0]' \
// RUN:   | %numbers %s

// Each element gets the product of the others, also where one is 0: the cotangent is handed down
// through pairs, each time multiplied by the reversed pair.  A one makes the number even.

// CHECK-LABEL: func.func private @prod_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.prod"(%[[X]]) {axes = array<i64: 0>}
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[FOUR:.*]] = stablehlo.concatenate %[[X]], %[[ONE]], dim = 0
// CHECK:         %[[PAIRS:.*]] = "anvl.reshape"({{.*}} -> tensor<2x2x1xf64>
// CHECK:         %[[UP:.*]] = "anvl.mul"({{.*}} -> tensor<2x1xf64>
// CHECK:         %[[TOP:.*]] = "anvl.reverse"({{.*}} -> tensor<2x1x1xf64>
// CHECK:         %[[DOWN:.*]] = "anvl.mul"(%{{.*}}, %[[TOP]])
// CHECK:         %[[SWAPPED:.*]] = "anvl.reverse"(%[[PAIRS]]) {dimensions = array<i64: 0>}
// CHECK:         %[[ALL:.*]] = "anvl.mul"(%{{.*}}, %[[SWAPPED]])
// CHECK:         %[[DX:.*]] = "anvl.slice"
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @prod(
// HLO:         stablehlo.constant dense<1.000000e+00>
// HLO-NEXT:    stablehlo.reduce({{.*}}) applies stablehlo.multiply across dimensions = [0]
// HLO-NEXT:    return

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[3] 10.0 0.0 0.0
func.func @prod(%x: tensor<3xf64>) -> tensor<f64> {
  %y = "anvl.prod"(%x) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func private @prod_vjp(tensor<3xf64>, tensor<f64>)
    -> (tensor<f64>, tensor<3xf64>)
    attributes {
      anvl.vjp = {callee = @prod, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
