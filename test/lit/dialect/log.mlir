// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=log" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=log" | %run --function=log_adjoint --args='[2.0]' \
// RUN:   | %numbers %s

// The derivative of log is 1/x: a half at 2.

// CHECK-LABEL: func.func @log_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.log"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[X]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @log(
// HLO:         stablehlo.log %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.693147
// NUMBERS-NEXT: f64[] 0.5
func.func @log(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.log"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
