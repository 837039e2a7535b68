// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=transpose_vjp --args='[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], \
// RUN:     [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]]' \
// RUN:   | %numbers %s

// The cotangent is permuted back.

// CHECK-LABEL: func.func private @transpose_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<1x2x3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3x1x2xf64>
// CHECK:         %[[Y:.*]] = "anvl.transpose"(%[[X]]) {permutation = array<i64: 2, 0, 1>}
// CHECK:         %[[DX:.*]] = "anvl.transpose"(%[[G]]) {permutation = array<i64: 1, 2, 0>}
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @transpose(
// HLO:         stablehlo.transpose %{{.*}}, dims = [2, 0, 1]
// HLO-NEXT:    return

// NUMBERS: f64[3,1,2] 1.0 4.0 2.0 5.0 3.0 6.0
// NUMBERS-NEXT: f64[1,2,3] 1.0 3.0 5.0 2.0 4.0 6.0
func.func @transpose(%x: tensor<1x2x3xf64>) -> tensor<3x1x2xf64> {
  %y = "anvl.transpose"(%x) {permutation = array<i64: 2, 0, 1>}
      : (tensor<1x2x3xf64>) -> tensor<3x1x2xf64>
  return %y : tensor<3x1x2xf64>
}

func.func private @transpose_vjp(tensor<1x2x3xf64>, tensor<3x1x2xf64>)
    -> (tensor<3x1x2xf64>, tensor<1x2x3xf64>)
    attributes {
      anvl.vjp = {callee = @transpose, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
