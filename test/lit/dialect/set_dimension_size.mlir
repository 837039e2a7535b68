// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=set_dimension_size_vjp --args='[[1.0, 2.0, 3.0], [10.0, 20.0]]' \
// RUN:   | %numbers %s

// Of a known size, it is a slice; the cotangent is padded with zeros.

// CHECK-LABEL: func.func private @set_dimension_size_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>, %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>)
// CHECK-NEXT:    %[[Y:.*]] = "anvl.set_dimension_size"(%[[X]]) {dimension = 0 : i64, size = 2 : i64}
// CHECK-NEXT:    %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK-NEXT:    %[[DX:.*]] = "anvl.pad"(%[[G]], %[[ZERO]])
// CHECK-SAME:      edge_padding_high = array<i64: 1>
// CHECK-NEXT:    return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @set_dimension_size(
// HLO-NEXT:    stablehlo.slice %{{.*}} [0:2]
// HLO-NEXT:    return

// NUMBERS:      f64[2] 1.0 2.0
// NUMBERS-NEXT: f64[3] 10.0 20.0 0.0
func.func @set_dimension_size(%x: tensor<3xf64>) -> tensor<2xf64> {
  %y = "anvl.set_dimension_size"(%x) {dimension = 0 : i64, size = 2 : i64}
    : (tensor<3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @set_dimension_size_vjp(tensor<3xf64>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<3xf64>)
    attributes {
      anvl.vjp = {callee = @set_dimension_size, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
