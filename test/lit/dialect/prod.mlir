// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=prod_vjp --args='[[0.0, 2.0, 5.0], 1.0]' \
// RUN:   | %numbers %s

// Each element gets the product of the others, also where one is 0: pairs are multiplied up, and
// the cotangent is handed down with the other one of each pair.

// CHECK-LABEL: func.func private @prod_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.prod"(%[[X]]) {axes = array<i64: 0>}
// CHECK:         %[[ROOT:.*]] = "anvl.reshape"(%[[G]])
// CHECK:         %[[SLICE:.*]] = "anvl.slice"(%[[X]])
// CHECK:         %[[SLICE2:.*]] = "anvl.slice"(%[[X]])
// CHECK:         %[[SLICE3:.*]] = "anvl.slice"(%[[X]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[SLICE]], %[[SLICE2]])
// CHECK:         %[[JOIN:.*]] = stablehlo.concatenate %[[MUL]], %[[SLICE3]], dim = 0
// CHECK:         %[[SLICE4:.*]] = "anvl.slice"(%[[JOIN]])
// CHECK:         %[[SLICE5:.*]] = "anvl.slice"(%[[JOIN]])
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[SLICE4]], %[[SLICE5]])
// CHECK:         %[[MUL3:.*]] = "anvl.mul"(%[[ROOT]], %[[SLICE5]])
// CHECK:         %[[MUL4:.*]] = "anvl.mul"(%[[ROOT]], %[[SLICE4]])
// CHECK:         %[[JOIN2:.*]] = stablehlo.concatenate %[[MUL3]], %[[MUL4]], dim = 0
// CHECK:         %[[SLICE6:.*]] = "anvl.slice"(%[[JOIN2]])
// CHECK:         %[[SLICE7:.*]] = "anvl.slice"(%[[JOIN2]])
// CHECK:         %[[MUL5:.*]] = "anvl.mul"(%[[SLICE6]], %[[SLICE2]])
// CHECK:         %[[MUL6:.*]] = "anvl.mul"(%[[SLICE6]], %[[SLICE]])
// CHECK:         %[[DX:.*]] = stablehlo.concatenate %[[MUL5]], %[[MUL6]], %[[SLICE7]], dim = 0
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
