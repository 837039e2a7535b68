// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=svdvals_vjp --args='[[[3.0, 0.0], [4.0, 5.0]], [1.0, 1.0]]' \
// RUN:   | %numbers %s

// The values alone are cheaper; their derivative asks for the vectors too, whose columns it scales:
// of the products of columns only those that make a value are computed.

// CHECK-LABEL: func.func private @svdvals_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[S:.*]] = "anvl.svdvals"(%[[X]])
// CHECK:         %[[V:.*]]:3 = "anvl.svd"(%[[X]])
// CHECK:         %[[U:.*]] = "anvl.mul"(%{{.*}}, %[[V]]#0)
// CHECK:         "anvl.dot_general"(%[[U]], %
// CHECK-NOT:     "anvl.dot_general"
// CHECK:         return %[[S]], %{{.*}}

// HLO-LABEL: func.func private @svdvals_1(
// HLO:         %[[Y:.*]]:5 = stablehlo.custom_call @lapack_dgesdd_ffi(
// HLO-SAME:      backend_config = {mode = 78 : ui8}
// HLO-LABEL: func.func @svdvals(
// HLO:         call @svdvals_1(

// NUMBERS: f64[2] 6.7082 2.23607
// NUMBERS-NEXT: f64[2,2] 0.894427 -0.447214 0.447214 0.894427
func.func @svdvals(%x0: tensor<2x2xf64>) -> (tensor<2xf64>) {
  %y = "anvl.svdvals"(%x0) : (tensor<2x2xf64>) -> (tensor<2xf64>)
  return %y : tensor<2xf64>
}

func.func private @svdvals_vjp(tensor<2x2xf64>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @svdvals, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
