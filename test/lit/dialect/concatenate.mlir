// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=concatenate_vjp --args='[[1.0, 2.0], [3.0], [1.0, 10.0, 100.0]]' \
// RUN:   | %numbers %s

// StableHLO's own op, with our rules: the cotangent is cut into the parts.

// CHECK-LABEL: func.func private @concatenate_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[Z:.*]] = stablehlo.concatenate %[[X]], %[[Y]], dim = 0
// CHECK:         %[[DX:.*]] = "anvl.slice"(%[[G]])
// CHECK-SAME:      limit_indices = array<i64: 2>, start_indices = array<i64: 0>
// CHECK-SAME:      strides = array<i64: 1>
// CHECK:         %[[DY:.*]] = "anvl.slice"(%[[G]])
// CHECK-SAME:      limit_indices = array<i64: 3>, start_indices = array<i64: 2>
// CHECK-SAME:      strides = array<i64: 1>
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @concatenate(
// HLO:         stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0
// HLO-NEXT:    return

// NUMBERS: f64[3] 1.0 2.0 3.0
// NUMBERS-NEXT: f64[2] 1.0 10.0
// NUMBERS-NEXT: f64[1] 100.0
func.func @concatenate(%x: tensor<2xf64>, %y: tensor<1xf64>) -> tensor<3xf64> {
  %z = "stablehlo.concatenate"(%x, %y) {dimension = 0 : i64}
      : (tensor<2xf64>, tensor<1xf64>) -> tensor<3xf64>
  return %z : tensor<3xf64>
}

func.func private @concatenate_vjp(tensor<2xf64>, tensor<1xf64>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<2xf64>, tensor<1xf64>)
    attributes {
      anvl.vjp = {callee = @concatenate, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
