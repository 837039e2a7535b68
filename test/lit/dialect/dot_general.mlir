// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=dot_general_vjp --args='[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], \
// RUN:     [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, 10.0], [100.0, 1000.0]]]' \
// RUN:   | %numbers %s

// A product of matrices: the cotangents are g y^T and x^T g.

// CHECK-LABEL: func.func private @dot_general_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x3xf64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<3x2xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[Z:.*]] = "anvl.dot_general"(%[[X]], %[[Y]])
// CHECK-SAME:      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]
// CHECK:         %[[DX:.*]] = "anvl.dot_general"(%[[G]], %[[Y]])
// CHECK-SAME:      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]
// CHECK:         %[[DY:.*]] = "anvl.dot_general"(%[[X]], %[[G]])
// CHECK-SAME:      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @dot_general(
// HLO:         stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0]
// HLO-NEXT:    return

// NUMBERS: f64[2,2] 4.0 5.0 10.0 11.0
// NUMBERS-NEXT: f64[2,3] 1.0 10.0 11.0 100.0 1000.0 1100.0
// NUMBERS-NEXT: f64[3,2] 401.0 4010.0 502.0 5020.0 603.0 6030.0
func.func @dot_general(%x: tensor<2x3xf64>, %y: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %z = "anvl.dot_general"(%x, %y) {
    dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
  } : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
  return %z : tensor<2x2xf64>
}

func.func private @dot_general_vjp(tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x2xf64>)
    -> (tensor<2x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>)
    attributes {
      anvl.vjp = {callee = @dot_general, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
