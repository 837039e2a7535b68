// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient --cse | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=select_vjp --args='[[true, false, true], [1.0, 2.0, 3.0], \
// RUN:     [4.0, 5.0, 6.0], [1.0, 10.0, 100.0]]' \
// RUN:   | %numbers %s

// Each element of the cotangent goes to the side that its element was taken from.

// CHECK-LABEL: func.func private @select_vjp(
// CHECK-SAME:    %[[PRED:[a-zA-Z0-9_]+]]: tensor<3xi1>
// CHECK-SAME:    %[[ON_TRUE:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[ON_FALSE:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xf64>
// CHECK:         %[[Y:.*]] = "anvl.select"(%[[PRED]], %[[ON_TRUE]], %[[ON_FALSE]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[DON_TRUE:.*]] = "anvl.select"(%[[PRED]], %[[G]], %[[ZERO]])
// CHECK:         %[[DON_FALSE:.*]] = "anvl.select"(%[[PRED]], %[[ZERO]], %[[G]])
// CHECK:         return %[[Y]], %[[DON_TRUE]], %[[DON_FALSE]]

// HLO-LABEL: func.func @select(
// HLO:         stablehlo.select %{{.*}}, %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[3] 1.0 5.0 3.0
// NUMBERS-NEXT: f64[3] 1.0 0.0 100.0
// NUMBERS-NEXT: f64[3] 0.0 10.0 0.0
func.func @select(%pred: tensor<3xi1>, %on_true: tensor<3xf64>, %on_false: tensor<3xf64>)
    -> tensor<3xf64> {
  %y = "anvl.select"(%pred, %on_true, %on_false)
      : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func private @select_vjp(tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    attributes {
      anvl.vjp = {callee = @select, wrt = array<i64: 1, 2>, targets = array<i64: 0>}
    }
