// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=convert_vjp --args='[[1.5, -2.5], [1.0, 10.0]]' \
// RUN:   | %numbers %s

// The cotangent is converted back.

// CHECK-LABEL: func.func private @convert_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf32>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.convert"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.convert"(%[[G]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @convert(
// HLO:         stablehlo.convert %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[2] 1.5 -2.5
// NUMBERS-NEXT: f32[2] 1.0 10.0
func.func @convert(%x: tensor<2xf32>) -> tensor<2xf64> {
  %y = "anvl.convert"(%x) : (tensor<2xf32>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @convert_vjp(tensor<2xf32>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2xf32>)
    attributes {
      anvl.vjp = {callee = @convert, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
