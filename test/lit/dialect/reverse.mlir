// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=reverse_vjp --args='[[1.0, 2.0, 3.0], [1.0, 10.0, 100.0]]' \
// RUN:   | %numbers %s

// The cotangent is reversed too.

// CHECK-LABEL: func.func private @reverse_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[Y:.*]] = "anvl.reverse"(%[[X]]) {dimensions = array<i64: 0>}
// CHECK:         %[[DX:.*]] = "anvl.reverse"(%[[G]]) {dimensions = array<i64: 0>}
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @reverse(
// HLO:         stablehlo.reverse %{{.*}}, dims = [0]
// HLO-NEXT:    return

// NUMBERS: f64[3] 3.0 2.0 1.0
// NUMBERS-NEXT: f64[3] 100.0 10.0 1.0
func.func @reverse(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = "anvl.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func private @reverse_vjp(tensor<3xf64>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<3xf64>)
    attributes {
      anvl.vjp = {callee = @reverse, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
