// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=svd_vjp --args='[[[3.0, 0.0], [4.0, 5.0]], [[0.0, 0.0], [0.0, 0.0]], [1.0, 1.0], [[0.0, 0.0], [0.0, 0.0]]]' \
// RUN:   | %numbers %s

// The sum of the singular values grows along u vt.

// CHECK-LABEL: func.func private @svd_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[Y:.*]]:3 = "anvl.svd"(%[[X]])
// CHECK:         "anvl.any"
// CHECK:         "anvl.sub"
// CHECK:         %[[EQUAL:.*]] = "anvl.compare"({{.*}} LE>
// CHECK:         %[[GAPS:.*]] = "anvl.select"(%[[EQUAL]]
// CHECK:         "anvl.div"(%{{.*}}, %[[GAPS]])
// CHECK:         return %[[Y]]#0, %[[Y]]#1, %[[Y]]#2

// HLO-LABEL: func.func private @svd_1(
// HLO:         %[[Y:.*]]:5 = stablehlo.custom_call @lapack_dgesdd_ffi(
// HLO-SAME:      backend_config = {mode = 83 : ui8}
// HLO:         stablehlo.compare EQ, %[[Y]]#4, %{{.*}}
// HLO-LABEL: func.func @svd(
// HLO:         call @svd_1(

// NUMBERS: f64[2,2] ...
// NUMBERS-NEXT: f64[2] 6.7082 2.23607
// NUMBERS-NEXT: f64[2,2] ...
// NUMBERS-NEXT: f64[2,2] 0.894427 -0.447214 0.447214 0.894427
func.func @svd(%x0: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>) {
  %y:3 = "anvl.svd"(%x0) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>)
  return %y#0, %y#1, %y#2 : tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>
}

func.func private @svd_vjp(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>)
    -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @svd, wrt = array<i64: 0>, targets = array<i64: 0, 1, 2>}
    }
